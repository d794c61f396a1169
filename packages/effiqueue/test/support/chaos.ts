/** A scene of `bench/chaos`, for as many seconds: what it checks is there, and what fails says how it can be had again. */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { showsNoPassword } from "./password.ts";

const MAIN = fileURLToPath(new URL("../../../../bench/chaos/main.mjs", import.meta.url));

export async function rage(
  scene: "daemon" | "flexiq" | "flapping",
  seconds: number,
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly code: unknown; readonly output: string }> {
  const args = [MAIN, "--scene", scene, "--seconds", String(seconds)];
  const child = spawn(process.execPath, args, { env: { ...process.env, ...env } });
  onTestFinished(() => void child.kill("SIGTERM"));
  let output = "";
  showsNoPassword(() => output);
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const code = await new Promise((resolve) => child.once("close", resolve));
  return { code, output };
}

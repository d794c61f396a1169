/** Faults drawn from a seed, for a minute on each product: the scenes of `npm run bench -- --only chaos`, which goes on for ten. */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { describeBroker } from "../../packages/effiqueue/test/support/broker.ts";

const MAIN = fileURLToPath(new URL("../../bench/chaos/main.mjs", import.meta.url));

/** Of faults; beginning, mending and working off what is left take as long again. */
const SECONDS = 40;

async function rage(scene: string): Promise<{ readonly code: unknown; readonly output: string }> {
  const child = spawn(process.execPath, [MAIN, "--scene", scene, "--seconds", String(SECONDS)]);
  onTestFinished(() => void child.kill("SIGTERM"));
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const code = await new Promise((resolve) => child.once("close", resolve));
  return { code, output };
}

describeBroker("DESIGN 4.11: chaos from a seed", () => {
  it("loses nothing that was acknowledged, leaves nobody, and holds every limit after each fault, in both products", {
    timeout: 600_000,
  }, async () => {
    for (const { code, output } of await Promise.all(["daemon", "flexiq"].map(rage))) {
      expect(code, output).toBe(0);
      expect(output).toMatch(/seed \d+/);
    }
  });
});

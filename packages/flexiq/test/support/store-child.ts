/** Processes that work on a queue file, by the fixture `store-child`. */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

const FIXTURE = fileURLToPath(new URL("../fixtures/store-child.mjs", import.meta.url));

export interface StoreChild {
  /** What it has said so far, a line each. */
  readonly lines: readonly string[];
  /** Everything it said, once it has ended; its exit code, `null` by a signal. */
  readonly ended: Promise<number | null>;
  kill(): void;
}

export function storeChild(role: "claim" | "unique" | "enqueue", dbPath: string, count = 0): StoreChild {
  // Reading extra certificates costs each Node process 50 ms, and no test needs them.
  const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;
  const child = spawn(process.execPath, [FIXTURE, role, dbPath, String(count)], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => lines.push(line));
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  return { lines, ended, kill: () => void child.kill("SIGKILL") };
}

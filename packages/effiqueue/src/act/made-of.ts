/**
 * What a worker was started with, in so few characters that it can be written down and compared: who was started with something else is
 * outdated, also when an earlier life of the pool did it. A digest, since an environment may hold secrets. DESIGN 4.10.
 */
import { createHash } from "node:crypto";
import type { WorkerSettings } from "./options.ts";

export function madeOf({ command, output }: WorkerSettings): string {
  const { file, args, cwd, env = {}, shell, user } = command;
  // Written one way or another, an environment is the same.
  const variables = Object.entries(env).sort(([a], [b]) => (a < b ? -1 : 1));
  const parts = [file, args, cwd, variables, shell === true, user, output];
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 16);
}

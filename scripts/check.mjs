// `npm run check`: every static check, two at a time, for most of them keep one processor busy and no more. What each prints comes in
// one piece, and all of them run, so that one pass tells everything that is wrong.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { ROOT } from "./prepare.mjs";

/** The longest first. */
const CHECKS = ["lint", "types", "packages", "layers", "dead-code", "format", "generated", "design"];

/** @returns whether it found nothing */
async function passes(name) {
  const child = spawn("npm", ["run", "--silent", `check:${name}`], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...(process.stdout.isTTY ? { FORCE_COLOR: "1" } : {}) },
  });
  const chunks = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => chunks.push(chunk));
  const [code] = await once(child, "close");
  process.stdout.write(Buffer.concat([Buffer.from(`\n== ${name}\n`), ...chunks]));
  return code === 0;
}

const failed = [];
async function work(left) {
  for (let name = left.shift(); name !== undefined; name = left.shift()) if (!(await passes(name))) failed.push(name);
}

const left = [...CHECKS];
await Promise.all([work(left), work(left)]);
console.log(failed.length === 0 ? "\nEvery check has passed." : `\nFailed: ${failed.join(", ")}`);
process.exitCode = failed.length === 0 ? 0 : 1;

/** A named pipe that nobody writes to; it lives as long as its test. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { tempDir } from "./temp-dir.ts";

export function pipe(): string {
  const path = join(tempDir(), "pipe");
  execFileSync("mkfifo", ["-m", "600", path]);
  return path;
}

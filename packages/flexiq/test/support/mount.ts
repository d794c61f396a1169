/** Small and read-only filesystems, for the faults of disks. Needs root on Linux; says so where it cannot. */
import { execFileSync } from "node:child_process";
import { onTestFinished } from "vitest";
import { tempDir } from "../../../effiqueue/test/support/temp-dir.ts";

const run = (command: string, ...args: string[]): void => {
  execFileSync(command, args, { stdio: ["ignore", "ignore", "pipe"] });
};

/** A filesystem of its own, unmounted after the test; `undefined` where this process may not mount. */
export function mountTmpfs(size: string): string | undefined {
  const path = tempDir();
  try {
    run("mount", "-t", "tmpfs", "-o", `size=${size}`, "tmpfs", path);
  } catch {
    return undefined;
  }
  onTestFinished(() => run("umount", "-l", path));
  return path;
}

/** Nothing may be open for writing on it. */
export const remountReadOnly = (path: string): void => run("mount", "-o", "remount,ro", path);

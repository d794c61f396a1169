/** Small filesystems of a test, for the faults of disks. They need root on Linux. */
import { execFileSync } from "node:child_process";
import { onTestFinished } from "vitest";
import { tempDir } from "./temp-dir.ts";

/** On Linux, root may; a container may forbid it all the same. */
export const mayMount = ((): boolean => {
  try {
    execFileSync("unshare", ["--mount", "true"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
})();

/** A filesystem of its own, unmounted after the test. */
export function mountTmpfs(size: string): string {
  const path = tempDir();
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${size}`, "tmpfs", path]);
  onTestFinished(() => void execFileSync("umount", ["-l", path]));
  return path;
}

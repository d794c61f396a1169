/** A kernel that refuses calls to one process, for the faults that no limit can make: strace answers in its place. */
import { execFileSync, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { onTestFinished } from "vitest";
import { waitFor } from "./wait-for.ts";

/** Where strace is installed, and may trace. */
export const mayTrace = ((): boolean => {
  try {
    execFileSync("strace", ["-qq", "-e", "trace=none", "true"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
})();

const tracerOf = (pid: number): string | undefined =>
  /^TracerPid:\t(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1];

/**
 * From now on these calls of the main thread end with that error, until what this resolves with is called.
 *
 * @param calls names of system calls, with commas between them
 */
export async function refuseCalls(pid: number, calls: string, error: string): Promise<() => Promise<void>> {
  const rules = ["-e", `trace=${calls}`, "-e", `inject=${calls}:error=${error}`];
  const strace = spawn("strace", ["-qq", "-o", "/dev/null", ...rules, "-p", String(pid)], { stdio: "ignore" });
  onTestFinished(() => void strace.kill());
  await waitFor(() => tracerOf(pid) === String(strace.pid), { what: `strace holds ${pid}` });
  return async () => {
    strace.kill();
    await waitFor(() => tracerOf(pid) === "0", { what: `strace lets go of ${pid}` });
  };
}

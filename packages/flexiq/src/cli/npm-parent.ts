/**
 * `npx flexiq autoscale` and npm scripts put a shell between npm and us. A SIGTERM that npm gets kills that shell, which tells
 * nobody; we would run on, unknown to whoever asked for the end. DESIGN 11.4.
 */
import { readFileSync } from "node:fs";
import type { Logger } from "effiqueue";

const LOOK_INTERVAL_MS = 1_000;

/** Under a shell of npm, its end is taken for SIGTERM. Elsewhere a parent may come and go. */
export function stopWithNpm(logger: Logger): void {
  const shell = process.ppid;
  if (process.env["npm_command"] === undefined || !isShellCommand(shell)) return;
  const timer = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(timer);
    logger.warn({}, "npm, which ran this command, was stopped and did not pass that on: stopping too");
    process.kill(process.pid, "SIGTERM");
  }, LOOK_INTERVAL_MS);
  timer.unref();
}

/** False also where /proc does not exist. */
function isShellCommand(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0")[1] === "-c";
  } catch {
    return false;
  }
}

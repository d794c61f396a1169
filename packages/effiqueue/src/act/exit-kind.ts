/**
 * What the end of a worker was. DESIGN 4.6, 4.12.
 */
import type { WorkerExit } from "../model/worker.ts";
import { DEFAULT_MIN_UPTIME_MS, type WorkerPoolOptions } from "./options.ts";
import type { LeaderExit, Worker } from "./worker.ts";

/** As a shell, and most runners of other programs, say that their child was ended by SIGKILL. */
const CHILD_KILLED = 128 + 9;

type Settings = Pick<WorkerPoolOptions, "exitCodes" | "minUptimeMs" | "oomKills">;

export function exitKind(worker: Worker, exit: LeaderExit, uptimeMs: number, settings: Settings): WorkerExit["kind"] {
  const { exitCodes = [], oomKills } = settings;
  const { exitCode } = exit;
  if (worker.killed) return "killed";
  if (mayBeKilled(exit) && oomKills?.claimOomKill() === true) return "oom-killed";
  if (worker.state === "draining") return "stopped";
  const isExpected = exitCode !== null && exitCodes.includes(exitCode);
  return isYoung(uptimeMs, settings) && !isExpected ? "crashed" : "exited";
}

export const isYoung = (uptimeMs: number, { minUptimeMs = DEFAULT_MIN_UPTIME_MS }: Settings): boolean =>
  uptimeMs < minUptimeMs;

/** Of an adopted worker nobody knows how it ended. */
const mayBeKilled = ({ exitCode, signal }: LeaderExit): boolean =>
  signal === "SIGKILL" || exitCode === CHILD_KILLED || (signal === null && exitCode === null);

/**
 * One worker of the pool, from spawn or adoption until nothing of its group is left. DESIGN 4.3.
 *
 * - starting: spawned, and the directory does not list it yet;
 * - serving: takes work; the directory lists it, or there is no directory;
 * - relieved: takes work as long as the one in its place does not; becomes serving again when that one is lost;
 * - retiring: cordoned, takes nothing new, has no signal yet; becomes serving again when it is recalled;
 * - draining: has the stop signal; only ends.
 */
import type { ChildProcess } from "node:child_process";
import type { ProcessIdentity, WorkerSnapshot, WorkerState } from "../model/worker.ts";
import type { MonotonicMs } from "../units.ts";

export interface Worker {
  readonly identity: ProcessIdentity;
  readonly processNum: number;
  readonly startedAt: MonotonicMs;
  /** `undefined`: adopted, so not our child. */
  readonly child: ChildProcess | undefined;
  /** Of the settings it was started with; `undefined`: nobody wrote it down. */
  readonly madeOf: string | undefined;
  state: WorkerState;
  retiredAt: MonotonicMs | undefined;
  /** It retires for its own sake, and is not called back. */
  isSpent: boolean;
  /** It has reached the minimum uptime. */
  lived: boolean;
  /** SIGKILL was sent. */
  killed: boolean;
  /** The drain under way; true if no SIGKILL was needed. */
  drain: Promise<boolean> | undefined;
  /** Called once, when nothing of the worker is left. */
  readonly onGone: Set<() => void>;
}

/** How a worker's own process ended; `null`s for an adopted one, whose exit code is unknowable. */
export interface LeaderExit {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly at: MonotonicMs;
}

export function newWorker(
  fields: Pick<Worker, "identity" | "processNum" | "startedAt" | "child" | "madeOf"> & { readonly state: WorkerState },
): Worker {
  return {
    ...fields,
    retiredAt: undefined,
    isSpent: false,
    lived: false,
    killed: false,
    drain: undefined,
    onGone: new Set(),
  };
}

export const isCurrent = ({ state }: Worker): boolean => state === "starting" || state === "serving";

export const snapshotOf = (
  { identity, processNum, state, startedAt, child, madeOf }: Worker,
  wouldBeMadeOf: string,
): WorkerSnapshot => ({
  identity,
  processNum,
  state,
  startedAt,
  adopted: child === undefined,
  outdated: madeOf !== undefined && madeOf !== wouldBeMadeOf,
});

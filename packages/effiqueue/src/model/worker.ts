/**
 * A worker process as the layers pass it around. DESIGN 4. Pure.
 */
import type { MonotonicMs } from "../units.ts";

/**
 * Proof of who a process is. A pid alone is no proof: pids are reused, within hours on a busy machine. A pid
 * is signalled only while the process that has it still started at `startTime` of boot `bootId` (DESIGN 4.2).
 */
export interface ProcessIdentity {
  readonly pid: number;
  /** Opaque start stamp as the platform tells it (Linux: clock ticks since boot, /proc/PID/stat field 22). */
  readonly startTime: string;
  /** Opaque id of this boot of this machine. */
  readonly bootId: string;
  /** Opaque id of the pid namespace (containers have their own); empty where there is no such thing. */
  readonly pidNamespace: string;
}

/**
 * - starting: spawned, not yet known to take work;
 * - serving: takes work;
 * - relieved: has another worker in its place, and works on until that one does: can still be called back;
 * - retiring: chosen to go and told by the queue to take nothing new, but not signalled: can still be called back;
 * - draining: has the stop signal.
 *
 * starting and serving are current (`currentOf`); the others count as draining.
 */
export type WorkerState = "starting" | "serving" | "relieved" | "retiring" | "draining";

export interface WorkerSnapshot {
  readonly identity: ProcessIdentity;
  /** Lowest free number at spawn, from 0; reused after exit. */
  readonly processNum: number;
  readonly state: WorkerState;
  readonly startedAt: MonotonicMs;
  /** Taken over from an earlier life of this program: not our child, so its exit code is unknowable. */
  readonly adopted: boolean;
  /** Started with another command, environment or output than a worker would be now. */
  readonly outdated?: boolean;
}

/** What a queue that knows its workers says of one of them. */
export interface WorkerView {
  readonly pid: number;
  readonly startTime: string;
  /** Jobs it can run at once. */
  readonly slots: number;
  /** Jobs it runs now. */
  readonly busy: number;
  /** Jobs it has finished since its start, where the queue counts them. */
  readonly finished?: number;
  /** It was told to take no new work. An adopted worker that says so was chosen to go by an earlier life of the pool. */
  readonly cordoned?: boolean;
}

export interface WorkerExit {
  readonly pid: number;
  readonly processNum: number;
  /** `null` when ended by a signal, or when the worker was adopted. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly uptimeMs: number;
  /** `stopped`: we asked for it. `killed`: we had to use SIGKILL. `crashed`: too young. `exited`: on its own, but not young. `oom-killed`: by the kernel, for want of memory. */
  readonly kind: "stopped" | "killed" | "crashed" | "exited" | "oom-killed";
}

export interface PoolCounts {
  readonly starting: number;
  readonly serving: number;
  /** relieved + retiring + draining */
  readonly draining: number;
}

/** Workers that count as there. */
export const currentOf = ({ starting, serving }: Pick<PoolCounts, "starting" | "serving">): number =>
  starting + serving;

/** What is said of that very process: a pid alone may have another by now. */
export const viewOf = (
  { pid, startTime }: Pick<ProcessIdentity, "pid" | "startTime">,
  views: readonly WorkerView[] | null,
): WorkerView | undefined => views?.find((each) => each.pid === pid && each.startTime === startTime);

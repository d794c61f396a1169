/**
 * What the loop needs of the other layers. The layers never import each other; they meet here. DESIGN 1.4. Types only.
 */
import type { MonotonicMs, WallMs } from "../units.ts";
import type { Decision, ProgramDecision } from "./decision.ts";
import type { EventFields, EventName } from "./events.ts";
import type { Learned, LearnedBefore } from "./learned.ts";
import type { MachineReading } from "./machine.ts";
import type { Measured, Observation, QueueReading } from "./observation.ts";
import type { Reading } from "./reading.ts";
import type { ActiveSpan } from "./schedule.ts";
import type { TickRecord } from "./tick-record.ts";
import type { PoolCounts, WorkerExit, WorkerSnapshot, WorkerView } from "./worker.ts";

/** The only sources of time and delay. */
export interface Clock {
  monotonicMs(): MonotonicMs;
  wallMs(): WallMs;
  /**
   * Calls back once after `delayMs` (clamped to what a timer can hold); returns a cancel function. `background`: a process
   * that has nothing else to wait for ends without it.
   */
  after(delayMs: number, callback: () => void, options?: { readonly background?: boolean }): () => void;
}

/** A queue that can be read. Never rejects: what could not be read is `unreadable`. */
export interface QueueSource {
  read(): Promise<Reading<QueueReading>>;
}

/** Who knows of the kills of the kernel. */
export interface OomAccount {
  /**
   * Asked when a worker has ended by SIGKILL, not of ours: true once for each process that the kernel has just killed for want of memory.
   * At once, for the answer is part of how the end is treated.
   */
  claimOomKill(): boolean;
}

/** Memory, read once a tick for all programs. Never rejects: what could not be read is unknown. */
export interface MemoryProbe {
  /** @param leaders pids of the leaders of the process groups to measure */
  read(leaders: readonly number[]): Promise<MachineReading>;
}

/**
 * A queue that knows its workers (flexiq does; a broker mostly does not). With it the pool picks idle victims and
 * retires busy ones without aborting their jobs. Every method may reject; the pool then goes on without.
 */
export interface WorkerDirectory {
  /** Live registered workers of this pool and others; the pool matches them by pid and start time. */
  workers(): Promise<readonly WorkerView[]>;
  /** Atomically: if the worker runs nothing, it will take no new work, and true; else nothing changes, and false. */
  cordonIfIdle(pid: number, startTime: string): Promise<boolean>;
  /** From now on the worker takes no new work. */
  cordon(pid: number, startTime: string): Promise<void>;
  /** Takes a cordon back. */
  uncordon(pid: number, startTime: string): Promise<void>;
}

/** When spawning has to pause because workers crash in a row: pure, JSON-safe state. DESIGN 4.6. */
export interface BackoffState {
  /** Crashes since a worker last lived long enough. */
  readonly consecutiveCrashes: number;
  /** Monotonic seconds before which nothing is spawned. */
  readonly notBeforeSec: number;
}

export interface BackoffPolicy {
  readonly initial: BackoffState;
  /** A worker exited unasked too young, or could not be started at all. */
  crashed(state: BackoffState, nowSec: number): BackoffState;
  /** A worker reached the minimum uptime. */
  lived(state: BackoffState): BackoffState;
  /** Seconds until spawning may go on; 0 when it may now. */
  remainingSec(state: BackoffState, nowSec: number): number;
}

/** The worker processes of one program. */
export interface WorkerPool {
  counts(): PoolCounts;
  snapshot(): readonly WorkerSnapshot[];
  /** Exits since the last call, oldest first; never blocks. */
  reap(): readonly WorkerExit[];
  /** Asks the directory, if any, who serves and who is idle; updates states. Never rejects. */
  refresh(): Promise<readonly WorkerView[] | null>;
  /** Grows or shrinks towards `desired` live workers; returns at once, drains go on in the background. Never rejects. */
  resize(desired: number): Promise<void>;
  /**
   * Drains one worker as a resize would: one that is known to be busy takes nothing new, and is told to stop when it is idle. False when it
   * is no current worker. Never rejects.
   */
  recycle(pid: number): Promise<boolean>;
  /**
   * Starts a worker in the place of this one, which works on and counts as draining until it is recycled, or called back because the pool
   * has less than it should. False when it is no serving worker, or none can be started. Never rejects.
   */
  relieve(pid: number): Promise<boolean>;
  /** Called when something happened that a loop should not sleep through: an exit, the end of a back-off. */
  onWake(callback: () => void): () => void;
  /** Drains every worker in parallel; resolves when none is left. */
  shutdown(): Promise<void>;
  /** SIGKILL to every worker's group, at once. */
  killAll(): void;
  /** Seconds until spawning may go on after crashes in a row; 0 when it may. */
  spawnBackoffSec(): number;
}

/** Workers by which one queue can be compared with another. */
export interface Need {
  /** To keep the promise; whole. */
  readonly needed: number;
  /** To do what arrives, and no more; at most `needed`. */
  readonly keepUp: number;
}

export interface Appetite {
  /** Live workers it would have if memory were no limit; whole. */
  readonly wanted: number;
  /** `null`: unknown. */
  readonly need: Need | null;
  /** Workers whose memory stays its own while it tries fewer. Absent: none. */
  readonly kept?: number | undefined;
}

/** What one program holds of a budget that it shares, and what it would like. Whole workers. */
export interface BudgetClaim extends Appetite {
  readonly program: string;
  /** Higher is served first. */
  readonly priority: number;
  /** Live ones, or as many as were just ordered. */
  readonly workers: number;
  readonly draining: number;
  /** Bytes to reckon with for each of them; `null`: none was measured yet. */
  readonly workerBytes: number | null;
  /** Bytes that single ones take beyond that. Absent: none. */
  readonly beyondBytes?: number;
  /** Live workers it has whatever the budget is. */
  readonly floor: number;
}

/** What the size of a worker is reckoned by beside the sizes of those that live. */
export interface WorkerMarkLimits {
  /** Seconds since it was last reckoned. */
  readonly dtSec: Measured;
  /** A worker that takes more is replaced, so no other will for long; `undefined`: nobody is replaced for its size. */
  readonly maxBytes?: number | undefined;
}

export interface ProgramLimits {
  readonly minWorkers: number;
  readonly maxWorkers: number;
}

/** Spans of time with another floor or ceiling. */
export interface Calendar {
  /** Those that hold at this moment of the wall clock, in the order in which they were set. */
  at(now: WallMs): readonly ActiveSpan[];
}

/** A budget as it is fair, for each claim at its place. */
export interface BudgetDivision {
  /** Bytes of a worker. */
  readonly sizes: readonly number[];
  /** Live workers. */
  readonly shares: readonly number[];
}

/** How programs share the memory of one machine: pure. DESIGN 7.8. */
export interface BudgetPolicy {
  /** Bytes to reckon with for one worker, from what they take now and what this function said at the tick before. */
  workerBytes(memory: Observation["memory"], remembered: number | null, limits: WorkerMarkLimits): number | null;
  /** Bytes that single workers take beyond that. */
  bytesBeyond(memory: Observation["memory"], workerBytes: number): number;
  /** What a program would have if memory were no limit, by its last decision. */
  appetite(decision: Decision | ProgramDecision, queue: QueueReading | null, limits: ProgramLimits): Appetite;
  /** Bytes that all workers together may take, `poolsBytes` being what they take now; `null`: unknown, so no limit. */
  totalBytes(machine: MachineReading | null, poolsBytes: number): number | null;
  /** What each has coming of `totalBytes`. */
  divide(totalBytes: number, claims: readonly BudgetClaim[]): BudgetDivision;
  /**
   * Bytes of `totalBytes` that the program at `index` may take, its draining workers included.
   *
   * @param division of these claims as they are, or as they were a moment ago
   */
  shareBytes(totalBytes: number, claims: readonly BudgetClaim[], index: number, division?: BudgetDivision): number;
}

/** A pure policy bound to its configuration. */
export interface Policy<State> {
  initialState(learned?: LearnedBefore): State;
  step(state: State, observation: Observation): { readonly state: State; readonly decision: Decision };
  /** What is worth knowing after a restart; `null`: nothing. */
  learned?(state: State): Learned | null;
}

export interface Reporter {
  emit<Name extends EventName>(name: Name, fields: EventFields[Name]): void;
}

/** Hears of every tick of every program, right after it. Must not throw. */
export interface TickListener {
  ticked(record: TickRecord): void;
}

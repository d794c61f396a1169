/**
 * The data that passes between the queue, its store, its workers and its autoscaler. DESIGN 9. Types only.
 *
 * Stamps are wall-clock milliseconds since the epoch unless their name says otherwise.
 */
import type { ProcessIdentity } from "effiqueue";
import type { JobState } from "./lifecycle.ts";

export type JobId = number;

/** What a caller may say of a job at enqueue. */
export interface EnqueueOptions {
  /** Default `"default"`. */
  queue?: string;
  /** Higher goes first; any safe integer. Default 0. */
  priority?: number;
  /** Not before this many milliseconds from now. Not together with `runAt`. */
  delayMs?: number;
  /** Not before this moment. */
  runAt?: Date | number;
  /** Retries after the first attempt. Default 3. */
  maxRetries?: number;
  /**
   * Milliseconds one attempt may take, from its start: then its signal is aborted, and it has failed. A synchronous handler
   * runs to its end first. Default: no limit.
   */
  timeoutMs?: number;
  /** While a job with this key is scheduled, pending, running or failed, enqueueing returns that job's id. */
  uniqueKey?: string;
}

/** Options of a task: defaults for its jobs, and how its retries are spaced (DESIGN 9.7). */
export interface TaskOptions extends Omit<EnqueueOptions, "delayMs" | "runAt" | "uniqueKey"> {
  /** Delay before the first retry. Default 1,000. */
  retryBaseMs?: number;
  /** Upper bound of that delay. Default 3,600,000. */
  retryMaxMs?: number;
}

/** A job ready to be inserted; every default is filled in. */
export interface NewJob {
  readonly task: string;
  readonly queue: string;
  /** JSON array. */
  readonly argsJson: string;
  readonly priority: number;
  /** `null`: at once. */
  readonly runAtMs: number | null;
  readonly maxRetries: number;
  readonly timeoutMs: number | null;
  readonly uniqueKey: string | null;
  readonly retryBaseMs: number;
  readonly retryMaxMs: number;
}

/** A job as people and programs read it. */
export interface JobRecord {
  readonly id: JobId;
  readonly task: string;
  readonly queue: string;
  readonly state: JobState;
  readonly args: readonly unknown[];
  readonly priority: number;
  readonly attempts: number;
  readonly maxRetries: number;
  readonly timeoutMs: number | null;
  readonly uniqueKey: string | null;
  readonly enqueuedAtMs: number;
  readonly runAtMs: number | null;
  readonly startedAtMs: number | null;
  readonly finishedAtMs: number | null;
  /** Of the last report; `null` before the first. */
  readonly progress: unknown;
  /** Of a completed job. */
  readonly result: unknown;
  /** Of the last failed attempt. */
  readonly error: string | null;
}

/** A job handed to a worker. */
export interface ClaimedJob {
  readonly id: JobId;
  /** Fencing token of this claim. */
  readonly token: number;
  readonly task: string;
  readonly queue: string;
  readonly argsJson: string;
  /** Counted at the claim: 1 on the first run. */
  readonly attempt: number;
  readonly maxRetries: number;
  readonly timeoutMs: number | null;
}

/** How one run of a job ended, as its worker reports it. */
export type Outcome = {
  readonly id: JobId;
  readonly token: number;
  /** Milliseconds that the run took, where somebody measured. */
  readonly ranMs?: number;
} & (
  | { readonly kind: "completed"; readonly resultJson: string | null }
  /** `retry: false`: to the dead letters at once, whatever attempts are left. */
  | { readonly kind: "failed"; readonly error: string; readonly retry: boolean }
  | { readonly kind: "cancelled"; readonly error: string | null }
  /** Given back unfinished; the attempt does not count. */
  | { readonly kind: "released" }
);

export interface ExchangeRequest {
  readonly workerId: number;
  readonly outcomes: readonly Outcome[];
  /** At most this many new jobs; 0 claims none. */
  readonly claim: number;
  /** `null`: every queue. */
  readonly queues: readonly string[] | null;
}

export interface ExchangeResult {
  readonly claimed: readonly ClaimedJob[];
  /** Outcomes that came too late: the job had been given to another worker, or is gone. */
  readonly refused: readonly JobId[];
  /** Jobs of this worker whose cancellation was asked for. */
  readonly cancelRequested: readonly JobId[];
  /** Milliseconds until the next scheduled or failed job of any queue is due; `null`: there is none. */
  readonly nextDueInMs: number | null;
  /** The worker is cordoned: it was chosen to go and gets no jobs. */
  readonly cordoned: boolean;
  /** False: the worker was declared dead and gets no jobs until it registers again. */
  readonly registered: boolean;
}

export interface WorkerRegistration {
  readonly identity: ProcessIdentity;
  readonly slots: number;
  readonly queues: readonly string[] | null;
}

export interface WorkerRow {
  readonly id: number;
  readonly identity: ProcessIdentity;
  readonly slots: number;
  readonly busy: number;
  /** Runs that have ended since the worker began, as of its last heartbeat. */
  readonly finished: number;
  readonly cordoned: boolean;
  readonly queues: readonly string[] | null;
  readonly startedAtMs: number;
  readonly heartbeatAtMs: number;
}

/** Jobs per state (DESIGN 9.3): what is due counts as pending, so these never overlap. */
export interface QueueStats {
  readonly pending: number;
  readonly running: number;
  readonly completed: number;
  /** Waiting for a retry that is not due yet. */
  readonly failed: number;
  readonly dead: number;
  readonly cancelled: number;
  /** Not due yet, first attempt. */
  readonly scheduled: number;
  /** Seconds the oldest pending job has been due; `null` when nothing is pending. */
  readonly oldestPendingAgeSec: number | null;
}

/** What an autoscaler needs to know, cheap at any size of history: paused queues hold no pending work (DESIGN 9.9). */
export interface QueueLoad {
  readonly pending: number;
  readonly running: number;
  /** Running on cordoned workers. */
  readonly runningOnCordoned: number;
  readonly oldestPendingAgeSec: number | null;
}

/** The runs that ended in one way since the file was made. */
export interface RunTally {
  readonly count: number;
  /** Of those whose time was measured: how many took at most so many seconds; the last bound is `Infinity`. */
  readonly atMost: readonly { readonly sec: number; readonly count: number }[];
  /** Seconds of all of them together. */
  readonly totalSec: number;
}

/** All that can be counted of a file, at a cost that no history of finished jobs changes. */
export interface Census {
  readonly jobs: Readonly<Record<JobState, number>>;
  /** Seconds the oldest pending job has been due; `null` when nothing is pending. */
  readonly oldestPendingAgeSec: number | null;
  /** Jobs ever enqueued, also those that are deleted by now. */
  readonly enqueued: number;
  /** `failed`: whatever became of the job; those that ended with their worker are counted, but not measured. */
  readonly runs: Readonly<Record<"completed" | "failed" | "cancelled", RunTally>>;
}

/** The same, and what has passed through the queue since the file exists: totals that only ever grow, but for the cases named. */
export interface QueueFlow extends QueueLoad {
  /** Jobs that became due; falls when a queue is paused, by what waits in it. */
  readonly arrivedTotal: number;
  /** Jobs that ended for good, as completed, dead or cancelled; falls when dead jobs are tried again. */
  readonly finishedTotal: number;
}

export interface Retention {
  /** Seconds that completed and cancelled jobs stay. 0 deletes them at once, `Infinity` keeps them. Default 86,400. */
  readonly completedSec: number;
  /** Seconds that dead letters stay. Default `Infinity`: until purged. */
  readonly deadSec: number;
}

export type Durability = "normal" | "full";

/** What a job knows of itself while it runs: `currentJob()`. */
export interface JobContext {
  readonly id: JobId;
  readonly task: string;
  readonly queue: string;
  /** 1 on the first run. */
  readonly attempt: number;
  readonly maxRetries: number;
  /** Aborted at a timeout, a cancellation, or a forced stop; `reason` is a typed error. */
  readonly signal: AbortSignal;
  /** Records any JSON value as the job's progress. Cheap to call often: the last value wins. */
  progress(this: void, value: unknown): void;
}

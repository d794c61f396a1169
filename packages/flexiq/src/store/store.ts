/**
 * The file behind a queue: every read and write that queue, workers, autoscaler and command line make. DESIGN 9.
 *
 * Every method is one short transaction (or a few small ones, where it says so) and rejects with a `FlexiqError`: `busy`
 * when the file stays locked for `busyTimeoutMs`, `closed` after `close`, or what SQLite said.
 */
import type { ProcessIdentity } from "effiqueue";
import type { JobState } from "../lifecycle.ts";
import type {
  ExchangeRequest,
  ExchangeResult,
  JobId,
  JobRecord,
  NewJob,
  QueueLoad,
  QueueStats,
  WorkerRegistration,
  WorkerRow,
} from "../model.ts";
import type { StoreOptions } from "./options.ts";

export interface JobFilter {
  /** What is due counts as pending, as in `stats`. */
  readonly state?: JobState;
  readonly queue?: string;
  /** Default 100. */
  readonly limit?: number;
  /** Only jobs with a higher id: the next page. */
  readonly afterId?: JobId;
}

export interface PurgeFilter {
  readonly state: "completed" | "dead" | "cancelled";
  readonly queue?: string;
  /** Only what finished at least this long ago. Default 0. */
  readonly olderThanSec?: number;
}

export interface QueueInfo {
  readonly name: string;
  readonly paused: boolean;
  readonly stats: QueueStats;
}

/** What a sweep for dead workers found. */
export interface Reclaimed {
  /** Jobs that went back to pending or to the dead letters. */
  readonly jobs: number;
  /** The workers that were declared dead; their rows are gone. */
  readonly workers: readonly ProcessIdentity[];
}

/** `requested`: the job runs, its worker will abort it. `finished`: too late. */
export type CancelOutcome = "cancelled" | "requested" | "finished";

const todo = (): never => {
  throw new Error("not built yet");
};

export class Store {
  readonly dbPath: string;
  readonly leaseMs: number;

  private constructor(options: StoreOptions) {
    this.dbPath = options.dbPath;
    this.leaseMs = options.leaseMs ?? 30_000;
  }

  /**
   * Opens, checks and migrates the file (DESIGN 9.1). Blocks for milliseconds, at worst for `busyTimeoutMs`.
   *
   * @throws FlexiqError network-filesystem, foreign-file, newer-schema, corrupt, read-only, disk-full, cannot-open, no-sqlite
   */
  static open(options: StoreOptions): Store {
    return new Store(options);
  }

  /** Resolves once the job is as durable as `durability` says. With a `uniqueKey` that is taken: the id of the job that has it. */
  insert(_job: NewJob): Promise<JobId> {
    return todo();
  }

  /** All or none, in one transaction; ids in the order given. */
  insertMany(_jobs: readonly NewJob[]): Promise<JobId[]> {
    return todo();
  }

  /** The worker's id, for `exchange`, `heartbeat` and `removeWorker`. The row's stamp counts as its first heartbeat. */
  registerWorker(_registration: WorkerRegistration): Promise<number> {
    return todo();
  }

  /** Renews the lease of all the worker's jobs. False: it was declared dead and its jobs were given away; register again. */
  heartbeat(_workerId: number): Promise<boolean> {
    return todo();
  }

  /** Removes the row; jobs it still holds go back to pending and their attempt does not count. */
  removeWorker(_workerId: number): Promise<void> {
    return todo();
  }

  /** Outcomes in, new jobs out, in one transaction (DESIGN 9.5). Also promotes scheduled and failed jobs that are due. */
  exchange(_request: ExchangeRequest): Promise<ExchangeResult> {
    return todo();
  }

  /** Records the progress of running jobs; entries with an old token are dropped. `json` is any JSON text. */
  progress(_entries: readonly { readonly id: JobId; readonly token: number; readonly json: string }[]): Promise<void> {
    return todo();
  }

  /** Takes the jobs of dead workers back (DESIGN 9.6). Reads only, unless somebody is dead. */
  reclaim(): Promise<Reclaimed> {
    return todo();
  }

  /** Promotes due jobs and applies retention, in small transactions. Cheap when there is nothing to do; call it every few seconds. */
  maintain(): Promise<void> {
    return todo();
  }

  stats(_queue?: string): Promise<QueueStats> {
    return todo();
  }

  /** What waits and runs in these queues (default: all), paused ones excluded. Call `reclaim` first: jobs of the dead still count as running. */
  load(_queues?: readonly string[] | null): Promise<QueueLoad> {
    return todo();
  }

  job(_id: JobId): Promise<JobRecord | null> {
    return todo();
  }

  /** By id, ascending. */
  jobs(_filter?: JobFilter): Promise<JobRecord[]> {
    return todo();
  }

  /** Waiting: cancelled at once. Running: its worker is asked. @throws FlexiqError unknown-job */
  cancel(_id: JobId): Promise<CancelOutcome> {
    return todo();
  }

  /**
   * Makes dead jobs pending again with fresh attempts, and failed ones due now; given ids, or all of a queue or of the file.
   * Others are skipped, and so is a job whose unique key another one took meanwhile. The number of jobs moved.
   */
  retry(_which: readonly JobId[] | { readonly queue?: string }): Promise<number> {
    return todo();
  }

  /** Deletes finished jobs in small transactions; how many. */
  purge(_filter: PurgeFilter): Promise<number> {
    return todo();
  }

  /** The queue takes jobs and hands out none (DESIGN 9.9). */
  pause(_queue: string): Promise<void> {
    return todo();
  }

  resume(_queue: string): Promise<void> {
    return todo();
  }

  /** Every queue that has a job or is paused, by name. */
  queues(): Promise<QueueInfo[]> {
    return todo();
  }

  workers(): Promise<WorkerRow[]> {
    return todo();
  }

  /** Atomically: a worker that holds no job is cordoned, and true; else (or unknown) nothing changes, and false. */
  cordonIfIdle(_workerId: number): Promise<boolean> {
    return todo();
  }

  cordon(_workerId: number): Promise<void> {
    return todo();
  }

  uncordon(_workerId: number): Promise<void> {
    return todo();
  }

  /**
   * Calls back soon after any process wrote to the file (this one included; several writes may be one call). Best
   * effort: where the system offers no watch it never calls, so poll slowly as well. Does not keep the process alive.
   *
   * @returns stops the calls
   */
  onChange(_callback: () => void): () => void {
    return todo();
  }

  /** Closes the file. Harmless twice. */
  close(): void {
    todo();
  }
}

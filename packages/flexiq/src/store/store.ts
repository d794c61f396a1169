/**
 * The file behind a queue: every read and write that queue, workers, autoscaler and command line make. DESIGN 9.
 *
 * Every method is one short transaction (or a few small ones, where it says so) and rejects with a `FlexiqError`: `busy`
 * when the file stays locked for `busyTimeoutMs`, `file-missing` or `file-replaced` when it is no longer what its path names,
 * `corrupt` once it was found damaged, `closed` after `close`, or what SQLite said.
 */
import { systemClock } from "effiqueue";
import { FlexiqError } from "../errors.ts";
import type {
  Census,
  ExchangeRequest,
  ExchangeResult,
  JobId,
  JobRecord,
  NewJob,
  QueueFlow,
  QueueLoad,
  QueueStats,
  WorkerRegistration,
  WorkerRow,
} from "../model.ts";
import { cancel, retry, retryable, setPaused } from "./admin.ts";
import { BusyLine, PATIENT, type Patience, PROMPT } from "./busy.ts";
import { census, flow, load, queueInfos, stats } from "./counts.ts";
import { loadDriver } from "./drivers/load.ts";
import { insert, insertMany } from "./enqueue.ts";
import { exchange } from "./exchange.ts";
import { FileGuard } from "./file-guard.ts";
import { recordProgress } from "./finish.ts";
import { applyRetention, promoteAllDue, purge } from "./maintenance.ts";
import { openDatabase, whileLocked } from "./open.ts";
import { STORE_DEFAULTS, type StoreOptions } from "./options.ts";
import { reclaim } from "./reclaim.ts";
import { job, jobs } from "./records.ts";
import { BATCH, Session } from "./session.ts";
import type { CancelOutcome, JobFilter, PurgeFilter, QueueInfo, Reclaimed } from "./types.ts";
import { ChangeWatch } from "./watch.ts";
import { cordonIfIdle, heartbeat, listWorkers, registerWorker, removeWorker, setCordon } from "./workers.ts";

const isList = (value: unknown): value is readonly JobId[] => Array.isArray(value);

export class Store {
  readonly dbPath: string;
  readonly leaseMs: number;
  readonly #session: Session;
  readonly #guard: FileGuard;
  readonly #line: BusyLine;
  readonly #changes: ChangeWatch;
  #isClosed = false;

  private constructor(options: StoreOptions) {
    const {
      dbPath,
      leaseMs,
      busyTimeoutMs,
      time = systemClock,
      chance = Math.random,
    } = { ...STORE_DEFAULTS, ...options };
    this.dbPath = dbPath;
    this.leaseMs = leaseMs;
    const retention = { ...STORE_DEFAULTS.retention, ...options.retention };
    this.#session = new Session(openDatabase(options, busyTimeoutMs), { leaseMs, retention, time, chance });
    this.#guard = new FileGuard(dbPath, loadDriver(options.driver));
    this.#line = new BusyLine({ dbPath, timeoutMs: busyTimeoutMs, chance, guarded: (work) => this.#guard.run(work) });
    this.#changes = new ChangeWatch(dbPath);
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
  insert(job: NewJob): Promise<JobId> {
    return this.#write(() => insert(this.#session, job));
  }

  /** All or none, in one transaction; ids in the order given. */
  insertMany(jobs: readonly NewJob[]): Promise<JobId[]> {
    return this.#write(() => insertMany(this.#session, jobs));
  }

  /** The worker's id, for `exchange`, `heartbeat` and `removeWorker`. The row's stamp counts as its first heartbeat. */
  registerWorker(registration: WorkerRegistration): Promise<number> {
    return this.#write(() => {
      // This thread runs jobs from now on, and they are not to wait for a lock.
      this.#session.neverBlock();
      return registerWorker(this.#session, registration);
    });
  }

  /** Renews the lease of all the worker's jobs, and says how many it has finished. False: it was declared dead and its jobs were given away; register again. */
  heartbeat(workerId: number, finished: number): Promise<boolean> {
    return this.#write(() => heartbeat(this.#session, workerId, finished));
  }

  /** Removes the row; jobs it still holds go back to pending and their attempt does not count. */
  removeWorker(workerId: number): Promise<void> {
    return this.#write(() => removeWorker(this.#session, workerId));
  }

  /** Outcomes in, new jobs out, in one transaction (DESIGN 9.5). Also promotes scheduled and failed jobs that are due. */
  exchange(request: ExchangeRequest): Promise<ExchangeResult> {
    // An idle worker that only asks has a job waiting for it; one that also gives outcomes is in the middle of its work.
    const patience = request.outcomes.length > 0 ? PATIENT : PROMPT;
    return this.#write(() => exchange(this.#session, request), patience);
  }

  /** As `exchange`, before it returns: for a process that ends. Blocks, at worst for `timeoutMs`. @throws FlexiqError */
  exchangeNow(request: ExchangeRequest, timeoutMs: number): ExchangeResult {
    return whileLocked(() => this.#guard.run(() => exchange(this.#session, request)), this.dbPath, timeoutMs);
  }

  /** Records the progress of running jobs; entries with an old token are dropped. `json` is any JSON text. */
  progress(entries: readonly { readonly id: JobId; readonly token: number; readonly json: string }[]): Promise<void> {
    return this.#write(() => recordProgress(this.#session, entries));
  }

  /**
   * Takes the jobs of dead workers back (DESIGN 9.6). Reads only, unless somebody is dead.
   *
   * @param watcher a worker's id: looks at the few workers behind it, and at all only when one of those is dead
   */
  reclaim(watcher?: number): Promise<Reclaimed> {
    return this.#write(() => reclaim(this.#session, watcher));
  }

  /** Promotes due jobs and applies retention, in small transactions. Cheap when there is nothing to do; call it every few seconds. */
  async maintain(): Promise<void> {
    await promoteAllDue(this.#session, this.#line);
    await applyRetention(this.#session, this.#line);
  }

  stats(queue?: string): Promise<QueueStats> {
    return this.#read(() => stats(this.#session, queue));
  }

  /** What waits and runs in these queues (default: all), paused ones excluded. Call `reclaim` first: jobs of the dead still count as running. */
  load(queues: readonly string[] | null = null): Promise<QueueLoad> {
    return this.#read(() => load(this.#session, queues));
  }

  /** For metrics: every count there is, of all queues. */
  census(): Promise<Census> {
    return this.#read(() => census(this.#session));
  }

  /** The load of all queues, with what has passed through them. */
  flow(): Promise<QueueFlow> {
    return this.#read(() => flow(this.#session));
  }

  job(id: JobId): Promise<JobRecord | null> {
    return this.#read(() => job(this.#session, id));
  }

  /** By id, ascending. */
  jobs(filter: JobFilter = {}): Promise<JobRecord[]> {
    return this.#read(() => jobs(this.#session, filter));
  }

  /** Waiting: cancelled at once. Running: its worker is asked. @throws FlexiqError unknown-job */
  cancel(id: JobId): Promise<CancelOutcome> {
    return this.#write(() => cancel(this.#session, id));
  }

  /**
   * Makes dead jobs pending again with fresh attempts, and failed ones due now; given ids, or all of a queue or of the file.
   * Others are skipped, and so is a job whose unique key another one took meanwhile. The number of jobs moved.
   */
  async retry(which: readonly JobId[] | { readonly queue?: string }): Promise<number> {
    const ids = isList(which) ? which : await this.#read(() => retryable(this.#session, which.queue));
    let moved = 0;
    for (let from = 0; from < ids.length; from += BATCH) {
      const batch = ids.slice(from, from + BATCH);
      moved += await this.#write(() => retry(this.#session, batch));
    }
    return moved;
  }

  /** Deletes finished jobs in small transactions; how many. */
  purge(filter: PurgeFilter): Promise<number> {
    return purge(this.#session, this.#line, filter);
  }

  /** The queue takes jobs and hands out none (DESIGN 9.9). */
  pause(queue: string): Promise<void> {
    return this.#write(() => setPaused(this.#session, queue, true));
  }

  resume(queue: string): Promise<void> {
    return this.#write(() => setPaused(this.#session, queue, false));
  }

  /** Every queue that has a job or is paused, by name. */
  queues(): Promise<QueueInfo[]> {
    return this.#read(() => queueInfos(this.#session));
  }

  workers(): Promise<WorkerRow[]> {
    return this.#read(() => listWorkers(this.#session));
  }

  /** Atomically: a worker that holds no job is cordoned, and true; else (or unknown) nothing changes, and false. */
  cordonIfIdle(workerId: number): Promise<boolean> {
    return this.#write(() => cordonIfIdle(this.#session, workerId));
  }

  cordon(workerId: number): Promise<void> {
    return this.#write(() => setCordon(this.#session, workerId, true));
  }

  uncordon(workerId: number): Promise<void> {
    return this.#write(() => setCordon(this.#session, workerId, false));
  }

  /**
   * Calls back soon after any process wrote to the file (this one included; several writes may be one call). Best
   * effort: where the system offers no watch it never calls, so poll slowly as well. Does not keep the process alive.
   *
   * @returns stops the calls
   */
  onChange(callback: () => void): () => void {
    return this.#changes.subscribe(callback);
  }

  /** Closes the file. Harmless twice. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#line.close(new FlexiqError("closed", `the queue ${this.dbPath} is closed`));
    this.#changes.close();
    this.#session.close();
  }

  #write<T>(work: () => T, patience?: Patience): Promise<T> {
    return this.#line.write(work, patience);
  }

  #read<T>(work: () => T): Promise<T> {
    return this.#line.read(work);
  }
}

/**
 * What an application holds: tasks, and the jobs it enqueues for them. The file is opened at first use, so that importing
 * a module of tasks touches no disk. DESIGN 9.
 */
import { BRAND, isBranded } from "./brand.ts";
import { invalidOption, onlyKnown, text, wholeNumber } from "./check.ts";
import { FlexiqError } from "./errors.ts";
import { jobFilter, jobIdOf, purgeFilter, queueName, retryFilter } from "./filters.ts";
import type { EnqueueOptions, JobId, JobRecord, NewJob, QueueLoad, QueueStats, TaskOptions } from "./model.ts";
import { type JobDefaults, newJob, taskDefaults } from "./new-job.ts";
import { type QueueOptions, queueSettings } from "./queue-options.ts";
import { Results } from "./results.ts";
import type { StoreOptions } from "./store/options.ts";
import { Store } from "./store/store.ts";
import type { CancelOutcome, JobFilter, PurgeFilter, QueueInfo } from "./store/types.ts";
import { Task } from "./task.ts";

/** A call to queue: one entry of `enqueueMany`. */
export interface Call {
  /** A task's name, or the task. */
  task: string | { readonly name: string };
  args?: readonly unknown[];
  options?: EnqueueOptions;
}

const CALL_KEYS = ["task", "args", "options"] as const satisfies readonly (keyof Call)[];

/** @throws FlexiqError invalid-option */
function nameOf(task: string | { readonly name: string }): string {
  const name: unknown = typeof task === "object" ? (task as { readonly name: unknown } | null)?.name : task;
  if (typeof name === "string" && name !== "") return name;
  throw invalidOption("task", "a task or its non-empty name", task);
}

export class Queue {
  readonly [BRAND] = true;
  /** Absolute, and no link. */
  readonly dbPath: string;
  /** Job slots of one worker process. */
  readonly workers: number;
  readonly leaseMs: number;
  readonly #storeOptions: StoreOptions;
  readonly #defaults: JobDefaults;
  readonly #tasks = new Map<string, Task<never[]>>();
  readonly #taskDefaults = new Map<string, JobDefaults>();
  #open: { readonly store: Store; readonly results: Results } | undefined;
  #isClosed = false;

  /** Makes nothing on disk. @throws FlexiqError invalid-option */
  constructor(options: QueueOptions = {}) {
    const { store, workers, defaults } = queueSettings(options);
    this.#storeOptions = store;
    this.dbPath = store.dbPath;
    this.leaseMs = store.leaseMs;
    this.workers = workers;
    this.#defaults = defaults;
  }

  /** Whether a value is a queue, of this or another copy of the package. */
  static isQueue(value: unknown): value is Queue {
    return isBranded(value);
  }

  /** Opened at first use. @throws FlexiqError as `Store.open`; closed */
  get store(): Store {
    return this.#opened().store;
  }

  /** By name; what a worker runs. */
  get tasks(): ReadonlyMap<string, Task<never[]>> {
    return this.#tasks;
  }

  /** Declares a task. @throws FlexiqError invalid-option: the name is taken or an option is out of range */
  task<Run extends (...args: never[]) => unknown>(
    name: string,
    run: Run,
    options: TaskOptions = {},
  ): Task<Parameters<Run>, Awaited<ReturnType<Run>>> {
    text("task name", (name as unknown) ?? "", undefined);
    if (typeof run !== "function") throw invalidOption(`task "${name}"`, "a function", run);
    if (this.#tasks.has(name)) throw invalidOption("task name", "a name that no other task of this queue has", name);
    this.#taskDefaults.set(name, taskDefaults(options, this.#defaults));
    type Result = Awaited<ReturnType<Run>>;
    // What the compiler does not see: what a function returns is its result or a promise of it.
    const typed = run as (...args: Parameters<Run>) => Result | Promise<Result>;
    const task = new Task<Parameters<Run>, Result>(this, name, typed, options);
    this.#tasks.set(name, task);
    return task;
  }

  /**
   * Queues a call of a task, which may be one that only another program declares. Resolves once the job is stored.
   *
   * @throws FlexiqError invalid-option, not-serialisable, or as `Store`
   */
  async enqueue(
    task: string | { readonly name: string },
    args: readonly unknown[] = [],
    options?: EnqueueOptions,
  ): Promise<JobId> {
    return this.store.insert(this.#newJob(nameOf(task), args, options));
  }

  /** All or none, in one transaction; ids in the order given. */
  async enqueueMany(calls: readonly Call[]): Promise<JobId[]> {
    const jobs = calls.map((call) => {
      onlyKnown("enqueueMany", call, CALL_KEYS);
      return this.#newJob(nameOf(call.task), call.args ?? [], call.options);
    });
    return this.store.insertMany(jobs);
  }

  /**
   * The value of a completed job, `null` when its handler returned nothing; waits for it, at most `timeoutMs` (default:
   * for ever; 0: not at all).
   *
   * @throws FlexiqError job-dead, job-cancelled, result-timeout, unknown-job (never was, or was deleted by retention)
   */
  async result(id: JobId, options: { timeoutMs?: number } = {}): Promise<unknown> {
    onlyKnown("result options", options, ["timeoutMs"]);
    const timeoutMs = wholeNumber("timeoutMs", options.timeoutMs, { min: 0, otherwise: undefined });
    return this.#opened().results.result(jobIdOf(id), timeoutMs);
  }

  /** Jobs by state, of one queue or of all. */
  async stats(queue?: string): Promise<QueueStats> {
    return this.store.stats(text("queue", queue, undefined));
  }

  /** What waits and runs, without paused queues: what an autoscaler needs, at any size of history. */
  async load(queues?: readonly string[] | null): Promise<QueueLoad> {
    return this.store.load(queues);
  }

  /** `null`: there never was one, or retention has deleted it. */
  async job(id: JobId): Promise<JobRecord | null> {
    return this.store.job(jobIdOf(id));
  }

  /** By id, ascending, 100 unless `limit` says otherwise; `afterId` is for the next page. */
  async jobs(filter?: JobFilter): Promise<JobRecord[]> {
    return this.store.jobs(jobFilter(filter));
  }

  /** Jobs whose attempts are used up. */
  async deadLetters(filter?: Omit<JobFilter, "state">): Promise<JobRecord[]> {
    return this.store.jobs(jobFilter({ ...filter, state: "dead" }));
  }

  /** A waiting job is cancelled at once, a running one has its signal aborted. @throws FlexiqError unknown-job */
  async cancel(id: JobId): Promise<CancelOutcome> {
    return this.store.cancel(jobIdOf(id));
  }

  /** Dead jobs, and failed ones that wait, are pending again; dead ones with all their attempts. @returns how many */
  async retry(which: JobId | readonly JobId[] | { readonly queue?: string }): Promise<number> {
    return this.store.retry(retryFilter(which));
  }

  /** Deletes finished jobs. @returns how many */
  async purge(filter: PurgeFilter): Promise<number> {
    return this.store.purge(purgeFilter(filter));
  }

  /** The queue takes jobs and hands out none. */
  async pause(queue: string): Promise<void> {
    return this.store.pause(queueName(queue));
  }

  /** The end of a pause. */
  async resume(queue: string): Promise<void> {
    return this.store.resume(queueName(queue));
  }

  /** Every queue that has a job or is paused, by name. */
  async queues(): Promise<QueueInfo[]> {
    return this.store.queues();
  }

  /** Closes the file if it is open; who still waits for a result is refused. Harmless twice. */
  close(): void {
    this.#isClosed = true;
    this.#open?.store.close();
    this.#open?.results.close();
  }

  #opened(): { readonly store: Store; readonly results: Results } {
    if (this.#open !== undefined) return this.#open;
    if (this.#isClosed) throw new FlexiqError("closed", `the queue ${this.dbPath} is closed`);
    const store = Store.open(this.#storeOptions);
    this.#open = { store, results: new Results(store) };
    return this.#open;
  }

  #newJob(task: string, args: readonly unknown[], options: EnqueueOptions | undefined): NewJob {
    return newJob({ task, args, options }, this.#taskDefaults.get(task) ?? this.#defaults, Date.now());
  }
}

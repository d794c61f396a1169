/**
 * What an application holds: tasks, and the jobs it enqueues for them. The file is opened at first use, so that importing
 * a module of tasks touches no disk. DESIGN 9.
 */
import type {
  Durability,
  EnqueueOptions,
  JobId,
  JobRecord,
  QueueLoad,
  QueueStats,
  Retention,
  TaskOptions,
} from "./model.ts";
import type { CancelOutcome, JobFilter, PurgeFilter, QueueInfo, Store } from "./store/store.ts";
import { Task } from "./task.ts";

export interface QueueOptions {
  /** Default: `FLEXIQ_DB_PATH`, else `.flexiq/flexiq.db` in the working directory. */
  dbPath?: string;
  /** Jobs one worker process runs at a time. Default 4. */
  workers?: number;
  /** Default `"normal"`: survives the death of every process; `"full"` survives a power cut too. */
  durability?: Durability;
  /** How long a locked file is retried before `busy`. Default 10,000. */
  busyTimeoutMs?: number;
  /** How long a worker may be silent before it is taken for dead, where its death cannot be proved. Default 30,000. */
  leaseMs?: number;
  retention?: Partial<Retention>;
  /** Default false. */
  allowNetworkFilesystem?: boolean;
  /** Defaults of every task: 3, none, 1,000 and 3,600,000. */
  maxRetries?: number;
  timeoutMs?: number;
  retryBaseMs?: number;
  retryMaxMs?: number;
}

/** A call to queue: one entry of `enqueueMany`. */
export interface Call {
  /** A task's name, or the task. */
  task: string | { readonly name: string };
  args?: readonly unknown[];
  options?: EnqueueOptions;
}

const BRAND = Symbol.for("flexiq.queue");

const todo = (): never => {
  throw new Error("not built yet");
};

export class Queue {
  readonly [BRAND] = true;
  /** Absolute. */
  readonly dbPath: string;
  /** Job slots of one worker process. */
  readonly workers: number;
  readonly leaseMs: number;
  readonly #tasks = new Map<string, Task<never[]>>();

  constructor(options: QueueOptions = {}) {
    this.dbPath = options.dbPath ?? "";
    this.workers = options.workers ?? 4;
    this.leaseMs = options.leaseMs ?? 30_000;
  }

  /** Whether a value is a queue, of this or another copy of the package. */
  static isQueue(value: unknown): value is Queue {
    return typeof value === "object" && value !== null && BRAND in value;
  }

  /** Opened at first use. @throws FlexiqError as `Store.open` */
  get store(): Store {
    return todo();
  }

  /** By name; what a worker runs. */
  get tasks(): ReadonlyMap<string, Task<never[]>> {
    return this.#tasks;
  }

  /** Declares a task. @throws FlexiqError invalid-option: the name is taken or an option is out of range */
  task<Args extends readonly unknown[], Result>(
    name: string,
    run: (...args: Args) => Result | Promise<Result>,
    options?: TaskOptions,
  ): Task<Args, Result> {
    return new Task(this, name, run, options);
  }

  /** Queues a call of a task, which may be one that only another program declares. */
  enqueue(
    _task: string | { readonly name: string },
    _args?: readonly unknown[],
    _options?: EnqueueOptions,
  ): Promise<JobId> {
    return todo();
  }

  /** All or none, in one transaction; ids in the order given. */
  enqueueMany(_calls: readonly Call[]): Promise<JobId[]> {
    return todo();
  }

  /**
   * The value of a completed job; waits for it, at most `timeoutMs` (default: for ever; 0: not at all).
   *
   * @throws FlexiqError job-dead, job-cancelled, result-timeout, unknown-job (never was, or was deleted by retention)
   */
  result(_id: JobId, _options?: { timeoutMs?: number }): Promise<unknown> {
    return todo();
  }

  stats(_queue?: string): Promise<QueueStats> {
    return todo();
  }

  load(_queues?: readonly string[] | null): Promise<QueueLoad> {
    return todo();
  }

  job(_id: JobId): Promise<JobRecord | null> {
    return todo();
  }

  jobs(_filter?: JobFilter): Promise<JobRecord[]> {
    return todo();
  }

  deadLetters(_filter?: Omit<JobFilter, "state">): Promise<JobRecord[]> {
    return todo();
  }

  cancel(_id: JobId): Promise<CancelOutcome> {
    return todo();
  }

  retry(_which: JobId | readonly JobId[] | { readonly queue?: string }): Promise<number> {
    return todo();
  }

  purge(_filter: PurgeFilter): Promise<number> {
    return todo();
  }

  pause(_queue: string): Promise<void> {
    return todo();
  }

  resume(_queue: string): Promise<void> {
    return todo();
  }

  queues(): Promise<QueueInfo[]> {
    return todo();
  }

  /** Closes the file if it is open. Harmless twice. */
  close(): void {
    todo();
  }
}

/**
 * A named function whose calls can be queued. DESIGN 9.4.
 */
import type { EnqueueOptions, JobId, TaskOptions } from "./model.ts";

/** What a task needs of its queue. */
export interface Enqueuer {
  enqueue(task: string, args: readonly unknown[], options?: EnqueueOptions): Promise<JobId>;
}

export class Task<Args extends readonly unknown[] = readonly unknown[], Result = unknown> {
  readonly name: string;
  /** The function itself: calling it runs it here and now, past the queue. */
  readonly run: (...args: Args) => Result | Promise<Result>;
  readonly options: TaskOptions;
  readonly #queue: Enqueuer;

  constructor(
    queue: Enqueuer,
    name: string,
    run: (...args: Args) => Result | Promise<Result>,
    options: TaskOptions = {},
  ) {
    this.#queue = queue;
    this.name = name;
    this.run = run;
    this.options = options;
  }

  /** Queues a call; resolves with the job's id once it is stored. */
  enqueue(...args: Args): Promise<JobId> {
    return this.#queue.enqueue(this.name, args);
  }

  /** Queues a call with options of its own, which go before the task's. */
  enqueueWith(options: EnqueueOptions, ...args: Args): Promise<JobId> {
    return this.#queue.enqueue(this.name, args, options);
  }
}

/**
 * What a handler can ask of the job it runs in, without the job being handed through its code. DESIGN 10.4.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { FlexiqError } from "../errors.ts";
import type { ClaimedJob, JobContext, JobId } from "../model.ts";

const storage = new AsyncLocalStorage<JobContext>();

/**
 * The job that the calling code runs in.
 *
 * @throws FlexiqError `wrong-state` outside of a job
 */
export function currentJob(): JobContext {
  const context = storage.getStore();
  if (context === undefined)
    throw new FlexiqError("wrong-state", "currentJob(): no job runs here; call it inside a task's handler");
  return context;
}

/** `undefined` outside of a job. */
export const currentJobIfAny = (): JobContext | undefined => storage.getStore();

export const runInJob = <T>(context: JobContext, run: () => T): T => storage.run(context, run);

/** What a run answers its handler. */
interface Answers {
  readonly signal: () => AbortSignal;
  readonly progress: (value: unknown) => void;
}

/**
 * A class, because the getter of an object literal costs an old object (V8 makes its accessors there) for every job, and that keeps
 * alive what the job used until the whole heap is collected: a worker of short jobs spent a tenth of its time on copying the dead.
 */
export class RunContext implements JobContext {
  readonly id: JobId;
  readonly task: string;
  readonly queue: string;
  readonly attempt: number;
  readonly maxRetries: number;
  readonly progress: (value: unknown) => void;
  readonly #signal: () => AbortSignal;

  constructor({ id, task, queue, attempt, maxRetries }: ClaimedJob, { signal, progress }: Answers) {
    this.id = id;
    this.task = task;
    this.queue = queue;
    this.attempt = attempt;
    this.maxRetries = maxRetries;
    this.progress = progress;
    this.#signal = signal;
  }

  /** Made on demand: most handlers never look at it, and it costs as much as claiming a job. */
  get signal(): AbortSignal {
    return this.#signal();
  }
}

/** Thrown by a handler whose job no retry will save: it goes to the dead letters at once. */
export class NonRetryableError extends Error {
  override readonly name: string = "NonRetryableError";
}

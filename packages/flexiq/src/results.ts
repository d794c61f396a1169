/**
 * Waiting for jobs to finish: all who wait share one watch on the file and one slow poll, the net under it. DESIGN 9.12.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { systemClock } from "effiqueue";
import { FlexiqError } from "./errors.ts";
import type { JobId, JobRecord } from "./model.ts";
import { unknownJob } from "./store/admin.ts";
import type { Store } from "./store/store.ts";

/** Often enough that a missed change is no mystery, seldom enough to cost nothing. */
const POLL_MS = 500;
/** On a busy file every commit is a change: looking takes at most a tenth of the time. */
const REST_PER_LOOK = 9;

interface Waiter {
  readonly id: JobId;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * @returns the value of a finished job, boxed; `undefined` when it has not finished
 * @throws FlexiqError job-dead, job-cancelled, unknown-job
 */
function finished(id: JobId, job: JobRecord | null): { readonly value: unknown } | undefined {
  if (job === null) throw unknownJob(id);
  switch (job.state) {
    case "completed":
      return { value: job.result };
    case "dead":
      throw new FlexiqError(
        "job-dead",
        `job ${id} (${job.task}) failed for good after ${job.attempts} attempts: ${job.error ?? "unknown"}`,
      );
    case "cancelled":
      throw new FlexiqError("job-cancelled", `job ${id} (${job.task}) was cancelled`);
    case "scheduled":
    case "pending":
    case "running":
    case "failed":
      return undefined;
  }
}

/** `Promise.withResolvers` of later Nodes. */
function withResolvers<T>(): {
  promise: Promise<T>;
  resolve: (value: T) => void;
  reject: (error: unknown) => void;
} {
  let resolve: (value: T) => void = () => undefined;
  let reject: (error: unknown) => void = () => undefined;
  const promise = new Promise<T>((onValue, onError) => {
    resolve = onValue;
    reject = onError;
  });
  return { promise, resolve, reject };
}

const notYet = (id: JobId, timeoutMs: number): FlexiqError =>
  new FlexiqError(
    "result-timeout",
    timeoutMs === 0
      ? `job ${id} has not finished yet, and nobody asked to wait for it: --wait 10s, or a timeoutMs`
      : `job ${id} has not finished within ${timeoutMs} ms; it goes on`,
  );

export class Results {
  readonly #store: Store;
  readonly #waiters = new Set<Waiter>();
  #unsubscribe: (() => void) | undefined;
  #poll: NodeJS.Timeout | undefined;
  #isLooking = false;
  #isChanged = false;

  constructor(store: Store) {
    this.#store = store;
  }

  /**
   * The value of a finished job; `null` when its handler returned nothing.
   *
   * @param timeoutMs `undefined`: for ever; 0: does not wait
   * @throws FlexiqError job-dead, job-cancelled, unknown-job, result-timeout, closed
   */
  async result(id: JobId, timeoutMs: number | undefined): Promise<unknown> {
    const now = finished(id, await this.#store.job(id));
    if (now !== undefined) return now.value;
    if (timeoutMs === 0) throw notYet(id, 0);
    return this.#wait(id, timeoutMs);
  }

  /** To be called once the store is closed: rejects all who wait. */
  close(): void {
    this.#look();
  }

  #wait(id: JobId, timeoutMs: number | undefined): Promise<unknown> {
    const { promise, resolve, reject } = withResolvers<unknown>();
    const waiter: Waiter = { id, resolve, reject };
    this.#waiters.add(waiter);
    this.#unsubscribe ??= this.#store.onChange(() => this.#look());
    // Keeps the process alive as well, which a watch does not.
    this.#poll ??= setInterval(() => this.#look(), POLL_MS);
    // It may have finished between the first look and the watch.
    this.#look();
    const cancelTimeout =
      timeoutMs === undefined ? undefined : systemClock.after(timeoutMs, () => reject(notYet(id, timeoutMs)));
    return promise.finally(() => {
      cancelTimeout?.();
      this.#waiters.delete(waiter);
      if (this.#waiters.size === 0) this.#rest();
    });
  }

  #rest(): void {
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
    clearInterval(this.#poll);
    this.#poll = undefined;
  }

  /** One look at every awaited job; what changes meanwhile is seen by another look right after the pause. */
  #look(): void {
    this.#isChanged = true;
    if (this.#isLooking) return;
    this.#isLooking = true;
    void this.#lookUntilQuiet().finally(() => (this.#isLooking = false));
  }

  async #lookUntilQuiet(): Promise<void> {
    while (this.#isChanged && this.#waiters.size > 0) {
      this.#isChanged = false;
      const since = performance.now();
      await Promise.all([...this.#waiters].map((waiter) => this.#settle(waiter)));
      await sleep(REST_PER_LOOK * (performance.now() - since));
    }
  }

  async #settle({ id, resolve, reject }: Waiter): Promise<void> {
    try {
      const done = finished(id, await this.#store.job(id));
      if (done !== undefined) resolve(done.value);
    } catch (error) {
      // A locked file is no answer; the next look may get one.
      if (!(error instanceof FlexiqError && error.code === "busy")) reject(error);
    }
  }
}

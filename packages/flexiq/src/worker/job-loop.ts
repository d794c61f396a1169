/**
 * The loop of a worker: exchanges with the store (outcomes in, jobs out) when a job has finished or there may be one to claim,
 * and sleeps otherwise. What cannot be written is kept and written later. DESIGN 10.1.
 */
import { setTimeout as pause, setImmediate as turn } from "node:timers/promises";
import type { Logger } from "effiqueue";
import { FlexiqError, type FlexiqErrorCode } from "../errors.ts";
import type { ClaimedJob, ExchangeResult, JobId, Outcome } from "../model.ts";
import type { Queue } from "../queue.ts";
import type { Store } from "../store/store.ts";
import { type JobLog, jobLog } from "./job-log.ts";
import { type Handler, JobRun, type RunHooks } from "./job-run.ts";
import type { Lease } from "./lease.ts";
import { CANCEL_CHECK_MS, jittered, LAST_WORDS_MS, nextRetryMs, QUIET_MS, RETRY_FROM_MS } from "./pacing.ts";
import { ProgressBuffer } from "./progress.ts";
import { TroubleLog } from "./trouble.ts";
import { Wake } from "./wake.ts";
import { Watching } from "./watching.ts";

export interface JobLoopOptions {
  readonly store: Store;
  readonly tasks: Queue["tasks"];
  readonly lease: Lease;
  readonly slots: number;
  readonly queues: readonly string[] | null;
  readonly log: Logger;
}

export class JobLoop {
  /** Runs that hold a slot; also those whose outcome is out, but whose handler goes on. */
  readonly runs = new Set<JobRun>();
  readonly #options: JobLoopOptions;
  readonly #jobLog: JobLog;
  readonly #trouble: TroubleLog;
  readonly #progress: ProgressBuffer;
  readonly #wake = new Wake(() => this.#lookAgain());
  readonly #watching = new Watching(() => this.#options.store.onChange(() => this.#wake.changed()));
  #finished = 0;
  #outbox: Outcome[] = [];
  /** On their way to the store. */
  #sent: readonly Outcome[] = [];
  /** The last exchange got all it asked for, or the file may have changed since. */
  #mayHaveWork = true;
  #mayHaveCancels = false;
  #nextDueAtMs = Number.POSITIVE_INFINITY;
  #isStopping = false;
  #giveUpAtMs = Number.POSITIVE_INFINITY;

  constructor(options: JobLoopOptions) {
    this.#options = options;
    this.#jobLog = jobLog(options.log);
    this.#trouble = new TroubleLog(options.log, "exchange jobs with the queue");
    this.#progress = new ProgressBuffer((entries) => options.store.progress(entries));
  }

  /** Runs whose outcome is in the store. */
  get finished(): number {
    return this.#finished;
  }

  /** Outcomes that are not in the store. */
  get undelivered(): readonly Outcome[] {
    return [...this.#sent, ...this.#outbox];
  }

  /** Ends after `stop`, when nothing runs and every outcome is in the store; or when `giveUpAfter` says so. */
  async run(): Promise<void> {
    try {
      for (let retryMs = RETRY_FROM_MS; !this.#isFinished(); ) {
        if (!this.#hasBusiness()) {
          if (this.#watching.ensure()) this.#lookAgain();
          else await this.#sleep();
        } else if (await this.#tryExchange()) {
          retryMs = RETRY_FROM_MS;
          this.#watching.exchanged();
          // Handlers, timers and signals get their turn, and what finishes in it shares the next exchange.
          await turn();
        } else {
          if (performance.now() > this.#giveUpAtMs) return;
          await pause(jittered(retryMs));
          retryMs = nextRetryMs(retryMs);
        }
      }
    } finally {
      this.#watching.end();
      this.#wake.close();
      await this.#progress.flush();
    }
  }

  /** A net under the watch of the file: to be called now and then. */
  poll(): void {
    this.#wake.lookNow();
  }

  /** Claims nothing more. */
  stop(): void {
    this.#isStopping = true;
    this.#wake.now();
  }

  /** After `stop`: ends although outcomes could not be written. */
  giveUpAfter(ms: number): void {
    this.#giveUpAtMs = performance.now() + ms;
  }

  /** Writes what has ended, for a process that is gone in a moment. @throws FlexiqError */
  deliverNow(): void {
    const { store, lease, queues } = this.#options;
    store.exchangeNow({ workerId: lease.workerId, outcomes: this.undelivered, claim: 0, queues }, LAST_WORDS_MS);
    this.#outbox = [];
  }

  #isFinished(): boolean {
    return this.#isStopping && this.#outbox.length === 0 && [...this.runs].every((run) => run.isReported);
  }

  #hasBusiness(): boolean {
    return this.#outbox.length > 0 || this.#mayHaveCancels || (this.#mayHaveWork && this.#freeSlots() > 0);
  }

  #freeSlots(): number {
    return this.#isStopping ? 0 : this.#options.slots - this.runs.size;
  }

  async #sleep(): Promise<void> {
    const untilDueMs = this.#freeSlots() > 0 ? this.#nextDueAtMs - performance.now() : Number.POSITIVE_INFINITY;
    await this.#wake.sleep(Math.max(untilDueMs, QUIET_MS));
  }

  #lookAgain(): void {
    this.#mayHaveWork = true;
    this.#mayHaveCancels = this.runs.size > 0;
  }

  async #tryExchange(): Promise<boolean> {
    try {
      await this.#exchange();
      this.#trouble.worked();
      return true;
    } catch (error) {
      if (isFinal(error)) throw error;
      this.#trouble.failed(error);
      return false;
    }
  }

  async #exchange(): Promise<void> {
    const { store, lease, queues } = this.#options;
    const { workerId } = lease;
    const claim = this.#freeSlots();
    const outcomes = this.#outbox;
    this.#outbox = [];
    this.#sent = outcomes;
    let result: ExchangeResult;
    try {
      // A finished job takes no progress any more, so its last word goes first.
      if (outcomes.length > 0 && !this.#progress.isEmpty) await this.#progress.flush();
      result = await store.exchange({ workerId, outcomes, claim, queues });
    } catch (error) {
      this.#outbox = [...outcomes, ...this.#outbox];
      throw error;
    } finally {
      this.#sent = [];
    }
    this.#finished += outcomes.length;
    for (const id of result.refused) this.#jobLog.refused(id);
    if (!result.registered) await lease.lost(workerId);
    this.#mayHaveCancels = false;
    if (result.cancelRequested.length > 0) this.#cancel(result.cancelRequested);
    if (claim > 0) this.#mayHaveWork = result.claimed.length === claim || !result.registered;
    this.#nextDueAtMs = result.cordoned
      ? Number.POSITIVE_INFINITY
      : performance.now() + (result.nextDueInMs ?? Infinity);
    // Known before the first of them begins, which may end the process at once.
    for (const run of result.claimed.map((job) => this.#admit(job))) this.#begin(run);
    this.#wake.keepQuiet(this.#freeSlots() === 0 ? CANCEL_CHECK_MS : result.claimed.length === 0 ? QUIET_MS : 0);
  }

  #cancel(ids: readonly JobId[]): void {
    for (const run of this.runs) if (ids.includes(run.job.id)) run.abort("cancel");
  }

  #admit(job: ClaimedJob): JobRun {
    const run = new JobRun(job, this.#hooks);
    this.#jobLog.claimed(job);
    this.runs.add(run);
    return run;
  }

  #begin(run: JobRun): void {
    const { tasks } = this.#options;
    const task = tasks.get(run.job.task);
    if (task !== undefined && !this.#isStopping) {
      run.start(task.run as Handler);
      return;
    }
    this.runs.delete(run);
    // The stop came while its claim was on its way, or by the hand of a job of the same claim.
    if (this.#isStopping) run.release();
    else run.fail(unknownTask(run.job.task, [...tasks.keys()]));
  }

  readonly #hooks: RunHooks = {
    outcome: (run, outcome) => {
      this.#outbox.push(outcome);
      this.#jobLog.ended(run, outcome);
      this.#wake.soon();
    },
    settled: (run) => {
      this.runs.delete(run);
      this.#wake.soon();
    },
    progress: (entry) => this.#progress.report(entry),
  };
}

/** No later try can succeed, or may be made. A file that is missing may be moved back. */
const FINAL: ReadonlySet<string> = new Set<FlexiqErrorCode>(["closed", "file-replaced", "corrupt"]);

const isFinal = (error: unknown): boolean => error instanceof FlexiqError && FINAL.has(error.code);

const unknownTask = (name: string, known: readonly string[]): string =>
  `no task "${name}" is known here: the app declares ${known.length === 0 ? "none" : known.join(", ")}`;

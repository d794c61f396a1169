/**
 * One run of one job: handler, context, timeout, abort. It ends in exactly one outcome, whatever the handler does.
 * DESIGN 9.8, 10.4.
 *
 * - running: until the handler settles: completed, or failed.
 * - aborted (timeout, cancel, stop): its signal has fired; how it settles now decides less, the cause more. A timed-out run
 *   that has not settled after the grace is reported as failed while it goes on.
 * - reported: its outcome is out. Normally the handler has settled by then; where it has not, it keeps its slot until it
 *   does, because it still uses what a slot stands for.
 */
import { timerMs } from "effiqueue";
import { FlexiqError } from "../errors.ts";
import type { ClaimedJob, JobContext, Outcome } from "../model.ts";
import { isTooBig, TOO_BIG } from "../row-limit.ts";
import { NonRetryableError, RunContext, runInJob } from "./context.ts";
import { errorText } from "./error-text.ts";
import { jsonText } from "./json.ts";
import type { ProgressEntry } from "./progress.ts";

export type Handler = (...args: unknown[]) => unknown;

/** How long a handler may take to settle after its timeout. */
const TIMEOUT_GRACE_MS = 5_000;

export interface RunHooks {
  /** Exactly once for a run, except when it was lost. */
  outcome(run: JobRun, outcome: Outcome): void;
  /** The handler has settled, so its slot is free. Comes after `outcome`. */
  settled(run: JobRun): void;
  progress(entry: ProgressEntry): void;
}

/** Why a run was aborted; `lost`: the job is another worker's by now. */
export type AbortCause = "timeout" | "cancel" | "stop" | "lost";

export class JobRun {
  readonly job: ClaimedJob;
  readonly context: JobContext;
  readonly #hooks: RunHooks;
  #controller: AbortController | undefined;
  #cause: AbortCause | undefined;
  #timer: NodeJS.Timeout | undefined;
  #reported = false;
  #settled = false;
  #startedMs: number | undefined;

  constructor(job: ClaimedJob, hooks: RunHooks) {
    this.job = job;
    this.#hooks = hooks;
    this.context = new RunContext(job, {
      signal: () => this.#abortController().signal,
      progress: (value) => this.#progress(value),
    });
  }

  get isReported(): boolean {
    return this.#reported;
  }

  get isSettled(): boolean {
    return this.#settled;
  }

  /** May settle before it returns. Never throws. */
  start(handler: Handler): void {
    this.#startedMs = performance.now();
    const { timeoutMs, argsJson } = this.job;
    if (timeoutMs !== null) this.#timer = setTimeout(() => this.#timedOut(), timerMs(timeoutMs));
    let result: unknown;
    try {
      const args = JSON.parse(argsJson) as unknown[];
      result = runInJob(this.context, () => handler(...args));
      // Even the look at a result may throw: `then` can be a getter.
      if (isThenable(result)) {
        Promise.resolve(result).then(
          (value) => this.#settle(() => this.#success(value)),
          (error: unknown) => this.#settle(() => this.#failure(error)),
        );
        return;
      }
    } catch (error) {
      this.#settle(() => this.#failure(error));
      return;
    }
    this.#settle(() => this.#success(result));
  }

  /** Fires the job's signal; the first cause counts. */
  abort(cause: AbortCause): void {
    if (this.#settled || this.#cause !== undefined) return;
    this.#cause = cause;
    if (cause === "lost") this.#reported = true;
    this.#abortController().abort(this.#reason(cause));
  }

  /** Does not wait for the handler any longer: the job goes back, and the attempt does not count. */
  release(): void {
    this.#report(this.#cause === "timeout" ? this.#failed(this.#timeoutText()) : this.#released());
  }

  /** Does not wait for the handler any longer: the attempt has failed. */
  fail(error: string): void {
    this.#report(this.#failed(error));
  }

  #settle(outcome: () => Outcome): void {
    clearTimeout(this.#timer);
    this.#settled = true;
    // A handler that held the event loop has held up its own timer too.
    if (this.#ranMs() >= (this.job.timeoutMs ?? Infinity)) this.#cause ??= "timeout";
    this.#report(outcome());
    this.#hooks.settled(this);
  }

  #ranMs(): number {
    return this.#startedMs === undefined ? 0 : performance.now() - this.#startedMs;
  }

  #success(value: unknown): Outcome {
    const { id, token } = this.job;
    if (this.#cause === "timeout") return this.#failed(this.#timeoutText());
    if (value === undefined) return { id, token, kind: "completed", resultJson: null };
    // A result that is none is not retried: the work is done, and doing it again would give the same kind of result.
    try {
      const resultJson = jsonText(value);
      if (resultJson !== undefined && isTooBig(resultJson)) return this.#failed(`the result is ${TOO_BIG}`, false);
      if (resultJson !== undefined) return { id, token, kind: "completed", resultJson };
      return this.#failed(`the result is not JSON-serialisable: a ${typeof value}`, false);
    } catch (error) {
      return this.#failed(`the result is not JSON-serialisable: ${errorText(error)}`, false);
    }
  }

  #failure(error: unknown): Outcome {
    const { id, token } = this.job;
    switch (this.#cause) {
      case "timeout":
        return this.#failed(this.#timeoutText());
      case "cancel":
        return { id, token, kind: "cancelled", error: error === this.context.signal.reason ? null : errorText(error) };
      case "stop":
        return this.#released();
      case "lost":
      case undefined:
        return this.#failed(errorText(error), !isNonRetryable(error));
    }
  }

  #released(): Outcome {
    return { id: this.job.id, token: this.job.token, kind: "released" };
  }

  #failed(error: string, retry = true): Outcome {
    return { id: this.job.id, token: this.job.token, kind: "failed", error, retry };
  }

  #report(outcome: Outcome): void {
    if (this.#reported) return;
    this.#reported = true;
    clearTimeout(this.#timer);
    this.#hooks.outcome(this, this.#startedMs === undefined ? outcome : { ...outcome, ranMs: this.#ranMs() });
  }

  #timedOut(): void {
    this.abort("timeout");
    if (this.#cause !== "timeout") return;
    this.#timer = setTimeout(
      () => this.fail(`${this.#timeoutText()}, and its handler went on: it should heed currentJob().signal`),
      TIMEOUT_GRACE_MS,
    );
  }

  #timeoutText(): string {
    return `timed out after ${this.job.timeoutMs ?? 0} ms`;
  }

  #reason(cause: AbortCause): FlexiqError {
    const job = `job ${this.job.id} (${this.job.task})`;
    switch (cause) {
      case "timeout":
        return new FlexiqError("job-timeout", `${job} ${this.#timeoutText()}`);
      case "cancel":
        return new FlexiqError("job-cancelled", `${job} was cancelled`);
      case "stop":
        return new FlexiqError("stopped", `${job} is given back, because its worker must stop now`);
      case "lost":
        return new FlexiqError("stopped", `${job} was given to another worker, because this one seemed dead`);
    }
  }

  #abortController(): AbortController {
    this.#controller ??= new AbortController();
    return this.#controller;
  }

  #progress(value: unknown): void {
    const json = jsonText(value);
    if (json === undefined)
      throw new FlexiqError("not-serialisable", `progress(): a ${typeof value} is not JSON-serialisable`);
    if (isTooBig(json)) throw new FlexiqError("too-big", `progress(): the value is ${TOO_BIG}`);
    if (!this.#reported) this.#hooks.progress({ id: this.job.id, token: this.job.token, json });
  }
}

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  (typeof value === "object" || typeof value === "function") &&
  value !== null &&
  typeof (value as { then?: unknown }).then === "function";

/** By name as well: the project's copy of the package need not be ours. */
function isNonRetryable(error: unknown): boolean {
  try {
    return error instanceof NonRetryableError || (error instanceof Error && error.name === "NonRetryableError");
  } catch {
    return false;
  }
}

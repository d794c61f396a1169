/**
 * From a call and its options to a job with every default filled in. Options of the call go before those of the task,
 * those before the queue's. DESIGN 9.4.
 */
import { argsJson } from "./args.ts";
import { invalidOption, onlyKnown, text, wholeNumber } from "./check.ts";
import { LAST_MOMENT_MS } from "./lifecycle.ts";
import type { EnqueueOptions, NewJob, TaskOptions } from "./model.ts";

/** What a job inherits when its call says nothing. */
export type JobDefaults = Omit<NewJob, "task" | "argsJson" | "runAtMs" | "uniqueKey">;

const TASK_KEYS = ["queue", "priority", "maxRetries", "timeoutMs", "retryBaseMs", "retryMaxMs"] as const;
const CALL_KEYS = ["queue", "priority", "delayMs", "runAt", "maxRetries", "timeoutMs", "uniqueKey"] as const;

export const BUILT_IN: JobDefaults = {
  queue: "default",
  priority: 0,
  maxRetries: 3,
  timeoutMs: null,
  retryBaseMs: 1000,
  retryMaxMs: 3_600_000,
};

/** @throws FlexiqError invalid-option */
export function taskDefaults(options: TaskOptions, inherited: JobDefaults): JobDefaults {
  onlyKnown("task options", options, TASK_KEYS);
  return {
    ...overridden(options, inherited),
    retryBaseMs: wholeNumber("retryBaseMs", options.retryBaseMs, { min: 0, otherwise: inherited.retryBaseMs }),
    retryMaxMs: wholeNumber("retryMaxMs", options.retryMaxMs, { min: 0, otherwise: inherited.retryMaxMs }),
  };
}

function overridden(options: TaskOptions | EnqueueOptions, inherited: JobDefaults): JobDefaults {
  return {
    ...inherited,
    queue: text("queue", options.queue, inherited.queue),
    priority: wholeNumber("priority", options.priority, {
      min: Number.MIN_SAFE_INTEGER,
      otherwise: inherited.priority,
    }),
    maxRetries: wholeNumber("maxRetries", options.maxRetries, { min: 0, otherwise: inherited.maxRetries }),
    timeoutMs: wholeNumber("timeoutMs", options.timeoutMs, { min: 1, otherwise: inherited.timeoutMs }),
  };
}

const isMoment = (ms: number): boolean => Number.isSafeInteger(ms) && Math.abs(ms) <= LAST_MOMENT_MS;

function runAtMs(options: EnqueueOptions, nowMs: number): number | null {
  const { delayMs, runAt } = options;
  if (delayMs !== undefined && runAt !== undefined) {
    throw invalidOption("runAt", "either runAt or delayMs, not both", runAt);
  }
  const delay = wholeNumber("delayMs", delayMs, { min: 0, otherwise: null });
  if (delay !== null) {
    if (isMoment(nowMs + delay)) return delay === 0 ? null : nowMs + delay;
    throw invalidOption("delayMs", "milliseconds that lead to a moment a Date can hold", delayMs);
  }
  if (runAt === undefined) return null;
  const moment = runAt instanceof Date ? runAt.getTime() : runAt;
  if (isMoment(moment)) return moment;
  throw invalidOption("runAt", "a valid Date, or whole milliseconds since the epoch that a Date can hold", runAt);
}

export interface JobCall {
  readonly task: string;
  readonly args: readonly unknown[];
  readonly options: EnqueueOptions | undefined;
}

/** @throws FlexiqError invalid-option, not-serialisable */
export function newJob({ task, args, options }: JobCall, defaults: JobDefaults, nowMs: number): NewJob {
  const json = argsJson(args);
  if (options === undefined) {
    return {
      task,
      queue: defaults.queue,
      argsJson: json,
      priority: defaults.priority,
      runAtMs: null,
      maxRetries: defaults.maxRetries,
      timeoutMs: defaults.timeoutMs,
      uniqueKey: null,
      retryBaseMs: defaults.retryBaseMs,
      retryMaxMs: defaults.retryMaxMs,
    };
  }
  onlyKnown("enqueue options", options, CALL_KEYS);
  return {
    ...overridden(options, defaults),
    task,
    argsJson: json,
    runAtMs: runAtMs(options, nowMs),
    uniqueKey: text("uniqueKey", options.uniqueKey, null),
  };
}

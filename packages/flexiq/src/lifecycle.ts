/**
 * The states of a job and the moves between them, without I/O, so that the store, the workers and the tests judge by
 * the same rules. DESIGN 9.3, 9.7. Pure.
 *
 * - scheduled: enqueued for later. Entered at enqueue with a `run_at` ahead; left for pending when that has come, or by a
 *   cancellation. It is no work yet and no reason for workers.
 * - pending: due, and waiting for a slot. Entered at enqueue, when scheduled or failed work has come due, when a worker
 *   died or gave the job back, and when a dead letter is revived; left by a claim or a cancellation.
 * - running: held by one worker under one fencing token; the attempt was counted at the claim. Left only by that token's
 *   outcome or by the death of the worker. A cancellation does not leave it: it asks the handler to end.
 * - failed: an attempt failed and another one is due at `run_at`. Left for pending when that has come (or sooner, by
 *   hand), or by a cancellation.
 * - completed: finished with a result. Final.
 * - dead: its attempts are used up, or its handler forbade another. Stays until purged; only a person revives it.
 * - cancelled: called off before it ran, or its handler ended because it was called off. Final.
 */

export const JOB_STATES = ["scheduled", "pending", "running", "completed", "failed", "dead", "cancelled"] as const;

export type JobState = (typeof JOB_STATES)[number];

/** States in which a job holds its unique key (DESIGN 9.4): some run of it is still to come or under way. */
export const ACTIVE_STATES = ["scheduled", "pending", "running", "failed"] as const satisfies readonly JobState[];

/** States a job leaves by no rule: what `result` waits for and retention deletes. A person may still revive a dead letter. */
export const FINISHED_STATES = ["completed", "dead", "cancelled"] as const satisfies readonly JobState[];

/** Every legal move. What is not listed here is a bug of whoever tries it. */
export const TRANSITIONS: Readonly<Record<JobState, readonly JobState[]>> = {
  scheduled: ["pending", "cancelled"],
  pending: ["running", "cancelled"],
  running: ["completed", "failed", "dead", "cancelled", "pending"],
  failed: ["pending", "cancelled"],
  completed: [],
  dead: ["pending"],
  cancelled: [],
};

export function canMove(from: JobState, to: JobState): boolean {
  return TRANSITIONS[from].includes(to);
}

/**
 * Where a failed attempt leads.
 *
 * @param attempt    of the run that failed; 1 on the first
 * @param maxRetries retries after the first attempt, so `maxRetries + 1` attempts in all
 * @param retry      false: the handler forbids another attempt
 */
export function afterFailure(run: { attempt: number; maxRetries: number; retry: boolean }): "failed" | "dead" {
  return run.retry && run.attempt <= run.maxRetries ? "failed" : "dead";
}

/**
 * Where the death of its worker leads a job. The attempt is used, for the job may be what killed the worker; it waits for
 * no back-off, for mostly it is not.
 *
 * @param attempt    of the run that was cut off; 1 on the first
 * @param maxRetries retries after the first attempt
 */
export function afterWorkerDeath(run: { attempt: number; maxRetries: number }): "pending" | "dead" {
  return run.attempt <= run.maxRetries ? "pending" : "dead";
}

/** The end of time for a `Date`. A stamp beyond it could be stored, but neither shown nor, further on, read back. */
export const LAST_MOMENT_MS = 8.64e15;

/** The largest power of two a double holds; beyond it a base of 0 would give 0 x Infinity, which is no number. */
const MAX_DOUBLINGS = 1023;

/**
 * How long a failed job waits before its next attempt: `baseMs` doubled with every attempt, at most `maxMs`, times a
 * factor in [0.5, 1] so that jobs that failed together do not come back together.
 *
 * @param attempt the one that failed; 1 on the first
 * @param chance  in [0, 1), drawn by the caller
 * @returns whole milliseconds
 */
export function retryDelayMs(retry: { attempt: number; baseMs: number; maxMs: number; chance: number }): number {
  const doublings = Math.min(retry.attempt - 1, MAX_DOUBLINGS);
  const delayMs = Math.min(retry.baseMs * 2 ** doublings, retry.maxMs);
  return Math.round(delayMs * (0.5 + retry.chance / 2));
}

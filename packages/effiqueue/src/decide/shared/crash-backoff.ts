/**
 * How long spawning pauses when workers crash in a row, so that a broken command costs next to nothing and is retried by
 * itself once it is repaired. DESIGN 4.6. Pure.
 */
import type { BackoffPolicy, BackoffState } from "../../model/ports.ts";

/** One crash is chance and two may share a cause that has passed; replacing them at once is what users want of a pool. */
export const CRASHES_BEFORE_PAUSE = 3;

/** Longer than a process needs to start and fail, so that even the first pause halves the cost of a crash loop. */
export const FIRST_PAUSE_SEC = 1;

/** Who repairs a broken command waits at most a minute for it to be tried again; trying costs one start a minute. */
export const LONGEST_PAUSE_SEC = 60;

const initial: BackoffState = { consecutiveCrashes: 0, notBeforeSec: 0 };

function pauseSec(consecutiveCrashes: number): number {
  if (consecutiveCrashes < CRASHES_BEFORE_PAUSE) return 0;
  return Math.min(FIRST_PAUSE_SEC * 2 ** (consecutiveCrashes - CRASHES_BEFORE_PAUSE), LONGEST_PAUSE_SEC);
}

/** Seconds until spawning may go on; 0 when it may now. */
function remainingSec(state: BackoffState, nowSec: number): number {
  return Math.max(0, state.notBeforeSec - nowSec);
}

/**
 * A crash during a pause is of a worker that was spawned before it: the same fault seen once more, not a fault that
 * outlasted the pause. It counts for nothing, else one hiccup that takes ten workers down would pause the pool for a minute.
 */
function crashed(state: BackoffState, nowSec: number): BackoffState {
  if (remainingSec(state, nowSec) > 0) return state;
  const consecutiveCrashes = state.consecutiveCrashes + 1;
  return { consecutiveCrashes, notBeforeSec: nowSec + pauseSec(consecutiveCrashes) };
}

/** A worker that lives proves that the command works, so a pause under way ends as well. */
function lived(): BackoffState {
  return initial;
}

export const crashBackoff: BackoffPolicy = { initial, crashed, lived, remainingSec };

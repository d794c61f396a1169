/**
 * For how many workers memory has room, when what others take of it wavers: nobody is stopped for the dip and started for the peak.
 * DESIGN 2.21. Pure.
 */

/** A pool that had to give a worker up takes it back when there is room for one more beside it, or there was room for so long. */
const SPARE = 1;
const ONCE_SEC = 30;
/** Where it was given back for nothing within as long. */
const AGAIN_SEC = 300;

/** `null`: there was always room for the pool, or the last time is long ago. Plain JSON. */
export type Squeeze = {
  /** What the pool was squeezed to; `null`: it has been given back. */
  readonly workers: number | null;
  /** How long there has been room for more; or how long ago it was given back. */
  readonly sec: number;
  readonly holdSec: number;
} | null;

/** @param room for workers, at this tick @param current workers there are, without those that drain */
export function squeezed(before: Squeeze, room: number, current: number, dtSec: number): Squeeze {
  if (room < current) return { workers: Math.max(1, room), sec: 0, holdSec: holdAfter(before) };
  if (before === null) return null;
  const sec = before.sec + dtSec;
  if (before.workers === null) return sec < AGAIN_SEC ? { ...before, sec } : null;
  if (room <= before.workers) return { ...before, sec: 0 };
  const isOver = room > before.workers + SPARE || sec >= before.holdSec;
  return isOver ? { ...before, workers: null, sec: 0 } : { ...before, sec };
}

function holdAfter(before: Squeeze): number {
  if (before === null) return ONCE_SEC;
  return before.workers === null ? AGAIN_SEC : before.holdSec;
}

/** Workers that memory has room for, `draining` ones not counted: they give back what is too much, so no others go for it. */
export function roomFor(room: number, squeeze: Squeeze, current: number, draining: number): number {
  const most = squeeze?.workers ?? Number.POSITIVE_INFINITY;
  const steady = Math.min(room, Math.max(most, current));
  return Math.max(steady - draining, Math.min(steady, current));
}

/**
 * For how many workers memory has room, when what others take of it wavers: nobody is stopped for the dip and started for the peak.
 * DESIGN 2.21. Pure.
 */

/** A pool that had to give a worker up takes it back when there is room for one more beside it, or there was room for so long. */
const SPARE = 1;
const LASTING_SEC = 300;

/** What the pool was squeezed to, and how long ago there was last no room for more; `null`: it was not, or that is over. Plain JSON. */
export type Squeeze = { readonly workers: number; readonly sec: number } | null;

/** @param room for workers, at this tick @param current workers there are, without those that drain */
export function squeezed(before: Squeeze, room: number, current: number, dtSec: number): Squeeze {
  if (room < current || (before !== null && room <= before.workers)) return { workers: Math.max(1, room), sec: 0 };
  if (before === null || room > before.workers + SPARE) return null;
  const sec = before.sec + dtSec;
  return sec < LASTING_SEC ? { ...before, sec } : null;
}

/** Workers that memory has room for, `draining` ones not counted: they give back what is too much, so no others go for it. */
export function roomFor(room: number, squeeze: Squeeze, current: number, draining: number): number {
  const steady = squeeze === null ? room : Math.min(room, Math.max(squeeze.workers, current));
  return Math.max(steady - draining, Math.min(steady, current));
}

/**
 * States as the file spells them. The SQL of this folder uses the numbers, for a partial index is only used by a
 * condition that repeats its own literally. DESIGN 9.3.
 */
import type { JobState } from "../lifecycle.ts";

export const STATE_CODES = {
  scheduled: 0,
  pending: 1,
  running: 2,
  completed: 3,
  failed: 4,
  dead: 5,
  cancelled: 6,
} as const satisfies Record<JobState, number>;

const NAMES = Object.fromEntries(Object.entries(STATE_CODES).map(([name, code]) => [code, name])) as Readonly<
  Record<number, JobState>
>;

/** What is due counts as pending, promoted or not (DESIGN 9.3). */
export function stateName(code: number, runAtMs: number, nowMs: number): JobState {
  const state = NAMES[code];
  if (state === undefined) throw new RangeError(`no job state has code ${code}`);
  return (state === "scheduled" || state === "failed") && runAtMs <= nowMs ? "pending" : state;
}

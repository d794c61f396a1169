/** An estimate and how far it may be off: its 95% interval, and the quantile that few observations take. DESIGN 2.9. Pure. */
import type { Interval } from "../../model/decision.ts";
import { tidy } from "../shared/exact.ts";

export interface Rate {
  /** Messages/s; `null`: unknown. */
  readonly value: number | null;
  /** Of 95%; `null` while the value is, or while nobody can tell. */
  readonly interval: Interval | null;
}

export const UNKNOWN_RATE: Rate = { value: null, interval: null };

/** @param reach half of the interval; the lower end is never below 0, as no rate is */
export function rateOf(value: number | null, reach: number): Rate {
  if (value === null) return UNKNOWN_RATE;
  return { value: tidy(value), interval: { low: tidy(Math.max(0, value - reach)), high: tidy(value + reach) } };
}

/** @param factor by which the value may be too large or too small, >= 1 */
export function rateWithin(value: number, factor: number): Rate {
  return { value, interval: { low: tidy(value / factor), high: tidy(value * factor) } };
}

/** How far it may be off; nothing where nobody can tell. */
export const halfOf = ({ interval }: Rate): number => (interval === null ? 0 : (interval.high - interval.low) / 2);

/** 97.5% of a normal distribution lie below it: two-sided 95%. */
export const NORMAL = 1.959964;

/**
 * The same of Student's t, for a variance that was itself estimated; after Abramowitz and Stegun, 26.7.5.
 *
 * @param freedom degrees of freedom; fewer than 3 count as 3, below which the series is of no use
 */
export function quantile(freedom: number): number {
  const f = Math.max(3, freedom);
  const z = NORMAL;
  const first = (z ** 3 + z) / 4;
  const second = (5 * z ** 5 + 16 * z ** 3 + 3 * z) / 96;
  const third = (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / 384;
  return z + first / f + second / f ** 2 + third / f ** 3;
}

/**
 * What is known ages: a tick later, nobody knows for how many more the load has stayed as it was. How far an estimate may be off grows
 * by this a tick, twofold in 70.
 */
export const DOUBT_PER_TICK = 1.01;

/**
 * Two measurements of the same, weighed by how sure each is of itself. Where they contradict one another the later one counts.
 *
 * @param earlier      as it was `ticks` ago
 * @param later        of now
 * @returns the share of `later` in `weight`
 */
export function weighed(earlier: Rate, ticks: number, later: Rate): { readonly rate: Rate; readonly weight: number } {
  if (later.value === null) return { rate: earlier, weight: 0 };
  if (earlier.value === null) return { rate: later, weight: 1 };
  const a = halfOf(earlier) * DOUBT_PER_TICK ** ticks;
  const b = halfOf(later);
  if (a === 0 || Math.abs(later.value - earlier.value) > a + b) return { rate: later, weight: 1 };
  const weight = b === 0 ? 1 : a ** 2 / (a ** 2 + b ** 2);
  const value = earlier.value + weight * (later.value - earlier.value);
  return { rate: rateOf(value, (a * b) / Math.hypot(a, b)), weight };
}

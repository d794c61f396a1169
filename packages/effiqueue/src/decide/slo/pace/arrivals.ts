/**
 * How fast work arrives: averaged while it varies as chance does, and anew from the first window that chance does not explain.
 * DESIGN 2.14. Pure.
 */
import { TUNING } from "./tuning.ts";

export interface Arrivals {
  /** Messages/s; `null` before the first window. */
  readonly rate: number | null;
  /** Messages/s by which the last window was a surprise upwards; else 0. */
  readonly rise: number;
}

export const NO_ARRIVALS: Arrivals = { rate: null, rise: 0 };

/** @param messages that arrived within `sec` seconds, all of them counted */
export function learnArrivals(arrivals: Arrivals, messages: number, sec: number): Arrivals {
  if (sec <= 0) return arrivals;
  const sample = messages / sec;
  const { rate } = arrivals;
  if (rate === null) return { rate: sample, rise: 0 };
  if (isSurprise(messages, rate * sec)) return { rate: sample, rise: Math.max(0, sample - rate) };
  return { rate: rate + (1 - Math.exp(-sec / TUNING.arrivalsSec)) * (sample - rate), rise: 0 };
}

/**
 * Counts of what waits may be live where the broker counts arrivals every few seconds only. What the backlog grew by has arrived.
 *
 * @param grown messages more in the queue than at the last counting, `sec` seconds ago
 */
export function learnSurge(arrivals: Arrivals, grown: number, sec: number): Arrivals {
  const { rate, rise } = arrivals;
  if (rate === null || sec <= 0 || grown <= rate * sec || !isSurprise(grown, rate * sec)) return arrivals;
  return { rate: grown / sec, rise: Math.max(rise, grown / sec - rate) };
}

/** Whether what arrives now is, but for chance, what arrives at this rate. */
export function isLike(usual: number, { rate, rise }: Arrivals): boolean {
  if (rate === null || rise > 0) return false;
  // In an average that fades out the older half hardly counts.
  return !isSurprise(rate * 2 * TUNING.arrivalsSec, usual * 2 * TUNING.arrivalsSec);
}

/** The variance of a Poisson count is its mean. Where hardly anything is expected one message is no surprise. */
function isSurprise(messages: number, expected: number): boolean {
  return (messages - expected) ** 2 > TUNING.surprise ** 2 * Math.max(expected, 1);
}

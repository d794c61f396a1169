/**
 * How fast work arrives: averaged while it varies as chance does, and anew from the first window that chance does not explain.
 * DESIGN 2.14. Pure.
 */
import { TUNING } from "./tuning.ts";

export interface Arrivals {
  /** Messages/s; `null` before the first window. */
  readonly rate: number | null;
  /** Messages/s that may still come on top of a rate that was just a surprise upwards; else 0. */
  readonly rise: number;
}

export const NO_ARRIVALS: Arrivals = { rate: null, rise: 0 };

/** @param messages that arrived within `sec` seconds, all of them counted */
export function learnArrivals(arrivals: Arrivals, messages: number, sec: number): Arrivals {
  if (sec <= 0) return arrivals;
  const sample = messages / sec;
  const { rate } = arrivals;
  if (rate === null) return { rate: sample, rise: 0 };
  if (isSurprise(messages, rate * sec)) return { rate: sample, rise: riseOf(arrivals, messages, rate * sec) / sec };
  return { rate: rate + (1 - Math.exp(-sec / TUNING.arrivalsSec)) * (sample - rate), rise: 0 };
}

/**
 * Counts of what waits may be live where the broker counts arrivals every few seconds only. What the backlog grew by has arrived.
 *
 * @param grown messages more in the queue than at the last counting, `sec` seconds ago
 */
export function learnSurge(arrivals: Arrivals, grown: number, sec: number): Arrivals {
  const { rate } = arrivals;
  if (rate === null || sec <= 0 || grown <= rate * sec || !isSurprise(grown, rate * sec)) return arrivals;
  return { rate: grown / sec, rise: riseOf(arrivals, grown, rate * sec) / sec };
}

/** Whether what arrives now is, but for chance, what arrives at this rate. */
export function isLike(usual: number, { rate, rise }: Arrivals): boolean {
  if (rate === null || rise > 0) return false;
  // In an average that fades out the older half hardly counts.
  return !isSurprise(rate * 2 * TUNING.arrivalsSec, usual * 2 * TUNING.arrivalsSec);
}

/**
 * A jump falls anywhere within a window, which shows only a part of it: it is more than k times as high in one case of k, if jumps of
 * all sizes are as likely. The window after that shows all of it, and what it is more may come once again. What chance explains is
 * no jump.
 */
function riseOf({ rise }: Arrivals, messages: number, expected: number): number {
  const beyond = messages - expected - TUNING.surprise * Math.sqrt(Math.max(expected, 1));
  return Math.max(0, beyond) * (rise > 0 ? 1 : TUNING.jumpLeft);
}

/** The variance of a Poisson count is its mean. Where hardly anything is expected one message is no surprise. */
function isSurprise(messages: number, expected: number): boolean {
  return (messages - expected) ** 2 > TUNING.surprise ** 2 * Math.max(expected, 1);
}

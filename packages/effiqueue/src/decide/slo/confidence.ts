/**
 * How far a smoothed rate of counted messages may be off. Counts of windows vary by chance; how much more or less than independent
 * messages would (bursts, acknowledgements in batches, a broker's noise) shows in how neighbouring windows differ, which a load that
 * drifts hardly disturbs (von Neumann 1941). DESIGN 2.9. Pure.
 */
import type { Interval } from "../../model/decision.ts";
import { tidy } from "../shared/exact.ts";
import { quantile } from "./rate.ts";

export interface Confidence {
  /** Of the smoothed rate: the sum of each window's weight squared over its exposure; 0 before the first. */
  readonly variance: number;
  /** Variance of a count over its mean: 1 for independent messages. */
  readonly dispersion: number;
  /** Windows that `dispersion` rests on, what was assumed at first included. */
  readonly windows: number;
  readonly last: CountedWindow | null;
}

export interface CountedWindow {
  /** Messages per second, or per worker and second. */
  readonly rate: number;
  /** Seconds, or worker-seconds. */
  readonly exposure: number;
}

/** Two windows may be alike by luck: so many are taken to have been as chancy as is usual. */
const ASSUMED_WINDOWS = 2;
/** Bursts of half an hour ago say little of those of now. */
const MOST_WINDOWS = 60;
/** Of the square of one surprise, in units of what is usual: one change of the load is no burst. */
const MOST_SURPRISE = 16;
/** Three standard errors: what chance does once in 370 windows, and twice in a row to the same side in 270,000. */
const SURPRISE = 9;

export const NO_CONFIDENCE: Confidence = { variance: 0, dispersion: 1, windows: ASSUMED_WINDOWS, last: null };

/**
 * Arrivals are seldom as even as the work of busy workers, and nobody knows at first what burst a window is of. So much is assumed, and
 * given up with the first windows that differ by less: it holds lambda of bursts of ten from the first window on, and of thirty from the second.
 */
export const UNEVEN: Confidence = { ...NO_CONFIDENCE, dispersion: 12, windows: 1 };

/** @param gain weight that the window gets in the smoothed rate, in (0, 1] */
export function learnConfidence(before: Confidence, window: CountedWindow, gain: number): Confidence {
  const { dispersion, windows, last } = before;
  const variance = (1 - gain) ** 2 * before.variance + gain ** 2 / window.exposure;
  if (last === null) return { variance, dispersion, windows, last: window };
  const square = squareOf(window, last, (window.rate + last.rate) / 2);
  const grown = Math.min(windows + 1, MOST_WINDOWS);
  return {
    variance,
    dispersion: dispersion + (Math.min(square, MOST_SURPRISE * dispersion) - dispersion) / grown,
    windows: grown,
    last: window,
  };
}

/** The square of how many standard errors two windows of independent messages differ by, if `rate` is what both are of. */
function squareOf(a: CountedWindow, b: CountedWindow, rate: number): number {
  const variance = 1 / a.exposure + 1 / b.exposure;
  return (a.rate - b.rate) ** 2 / (atLeastOne(rate, variance) * variance);
}

/** A rate of nothing has an error all the same: one message might have come. */
const atLeastOne = (rate: number, variance: number): number => rate + variance;

/** Half of the 95% interval, messages/s. */
export function reachOf({ variance, dispersion, windows }: Confidence, rate: number): number {
  return quantile(windows) * Math.sqrt(dispersion * variance * atLeastOne(rate, variance));
}

/** Below so many bursts seen, the quantile of Student's for two. */
const FEW_BURSTS = 3;
const OF_FEW = 4.303;

/**
 * The 95% interval of a rate of which only few bursts may have been seen, messages/s: all rates from which what was seen is not too far
 * (the score interval, Wilson 1927). Around half a burst it reaches far more upwards than downwards.
 */
export function intervalOf({ variance, dispersion, windows }: Confidence, rate: number): Interval {
  // How uneven arrivals are is known from bursts, of which many windows may have held few.
  const bursts = rate / variance / dispersion;
  const q = bursts < FEW_BURSTS ? OF_FEW : quantile(Math.min(windows, bursts));
  const burst = (q ** 2 * dispersion * variance) / 2;
  const reach = Math.sqrt(2 * burst * rate + burst ** 2);
  return { low: tidy(Math.max(0, rate + burst - reach)), high: tidy(rate + burst + reach) };
}

/** True: chance does not explain how far the window is from what is known. */
export function isSurprise({ variance, dispersion }: Confidence, rate: number, window: CountedWindow): boolean {
  if (variance === 0) return false;
  const square = squareOf(window, { rate, exposure: 1 / variance }, rate);
  return square > SURPRISE * dispersion;
}

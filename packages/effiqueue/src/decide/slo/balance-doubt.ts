/**
 * After a jump of the balance either workers are as fast as before, or as much arrives as before: which of the two, only other worker
 * counts can tell. DESIGN 2.22. Pure.
 */
import type { Fitted } from "./balance-filter.ts";
import { type Filters, fittedMu, lambdaGiven, meanWorkersOf, reachOf } from "./balance-filters.ts";

/** An estimate and half of its 95% interval. */
export interface Known {
  readonly value: number;
  readonly reach: number;
}

export interface Doubt {
  /** mu, if it is not as before. */
  readonly other: Known;
  /** What arrived before the jump, `reach` without that of mu; `null`: nobody knows whether as much arrives still. */
  readonly lambda: Known | null;
  /** What is learnt if it was no jump of mu. */
  readonly all: Filters;
  readonly settled: Filters;
}

/** How much likelier than the other, as a logarithm, the one of two is that holds: twenty times, for intervals of 95%. */
const SURE = 3;
/** Half the square of the quantile that makes an interval: from distances in intervals to logarithms of likelihoods. */
const PER_REACH = 1.96 ** 2 / 2;

/** @param spare by how much mu may be further off than its own reach: it has been in doubt before */
export function lambdaBefore(before: Filters, sec: number, mu: Known, spare: number): Known | null {
  const lambda = lambdaGiven(before, sec, mu.value);
  return lambda === null
    ? null
    : { value: lambda.value, reach: Math.hypot(reachOf(lambda), spare * meanWorkersOf(before)) };
}

/** mu, if as much arrives as before; `null`: nothing is known since the jump. */
export function otherMu(before: Known, since: Filters, sec: number, mu: Known): Known | null {
  const lambda = lambdaGiven(since, sec, mu.value);
  const n = meanWorkersOf(since);
  if (lambda === null || n <= 0) return null;
  const reach = Math.hypot(mu.reach, before.reach / n, reachOf(lambda) / n);
  return { value: mu.value + (before.value - lambda.value) / n, reach };
}

/** @returns which of the two holds, by the windows since the jump, or that none does; `null`: either may */
export function verdictOn(mu: Known, other: Known, since: Filters, sec: number): "same" | "other" | "neither" | null {
  if (other.value + other.reach <= 0) return "same";
  if (isImpossible(mu, since, sec)) return "other";
  const slope = fittedMu(since, sec);
  if (slope === null) return null;
  const [same, changed] = [distance(mu, slope), distance(other, slope)];
  if (Math.min(same, changed) * PER_REACH > SURE) return "neither";
  if (Math.abs(changed - same) * PER_REACH < SURE) return null;
  if (same < changed) return "same";
  return other.value > 0 ? "other" : null;
}

/** Fewer than none would have to arrive. */
function isImpossible(mu: Known, since: Filters, sec: number): boolean {
  const lambda = lambdaGiven(since, sec, mu.value);
  return lambda !== null && lambda.value + Math.hypot(reachOf(lambda), meanWorkersOf(since) * mu.reach) < 0;
}

/** The square of how far they are apart, in intervals. */
const distance = (mu: Known, slope: Fitted): number =>
  (mu.value - slope.value) ** 2 / (mu.reach ** 2 + reachOf(slope) ** 2);

/**
 * One way of seeing a series of balance windows: least squares of y = lambda - mu n with a lambda that takes random steps, and may have a
 * trend (diffuse at first, after de Jong 1991), with exponential forgetting. DESIGN 2.3, 2.23. Pure.
 */
import type { BalanceWindow } from "./balance-window.ts";

export interface Assumption {
  /** Variance of a step of lambda from window to window, as a share of the noise within one. */
  readonly drift: number;
  /** The same of a change of its trend, which is by how much it steps in every window, and of the trend at first. */
  readonly trend: number;
  readonly firstTrend: number;
  /** Windows after which what was seen counts for little. */
  readonly memory: number;
  /** How likely it is before anything was seen, beside the first. */
  readonly odds: number;
}

/** Of how good a filter was, its predictions of the last seventy windows tell: whether arrivals wander shows slowly. */
const SCORE_KEPT = 0.985;

export interface Filter {
  /** Where y and n are now, as far as they wander together with lambda. */
  readonly y: number;
  readonly n: number;
  /** By how much they become more in each window. */
  readonly dy: number;
  readonly dn: number;
  /** Variance of where they are, its covariance with their trend, and the variance of that, in units of the noise. */
  readonly p: number;
  readonly pd: number;
  readonly d: number;
  /** Sums of squares and products of what could not be foreseen of n and y. */
  readonly nn: number;
  readonly ny: number;
  readonly yy: number;
  /** Windows, the forgotten ones counted for what is left of them. */
  readonly count: number;
  /** Windows since it began. */
  readonly seen: number;
  /** Log-likelihood of what it foretold. */
  readonly score: number;
}

/** An estimate and its variance, which rests on `freedom` degrees of freedom. */
export interface Fitted {
  readonly value: number;
  readonly variance: number;
  readonly freedom: number;
}

export const begun = ({ y, n, sec }: BalanceWindow, { firstTrend }: Assumption): Filter => ({
  y,
  n,
  dy: 0,
  dn: 0,
  p: 1 / sec,
  pd: 0,
  d: firstTrend / sec,
  nn: 0,
  ny: 0,
  yy: 0,
  count: 1,
  seen: 1,
  score: 0,
});

/** A window later, of which nothing was seen. */
export function moved(filter: Filter, { drift, trend }: Assumption, sec: number): Filter {
  const { y, n, dy, dn, p, pd, d } = filter;
  return { ...filter, y: y + dy, n: n + dn, p: p + 2 * pd + d + drift / sec, pd: pd + d, d: d + trend / sec };
}

export function learned(before: Filter, assumption: Assumption, { y, n, sec }: BalanceWindow): Filter {
  const kept = 1 - 1 / assumption.memory;
  const filter = moved(before, assumption, sec);
  const noise = 1 / sec;
  const p = filter.p / kept;
  const pd = filter.pd / kept;
  const d = filter.d / kept;
  const variance = p + noise;
  const dy = y - filter.y;
  const dn = n - filter.n;
  const gain = p / variance;
  const turn = pd / variance;
  return {
    y: y - (1 - gain) * dy,
    n: n - (1 - gain) * dn,
    dy: filter.dy + turn * dy,
    dn: filter.dn + turn * dn,
    p: p * (1 - gain),
    pd: pd * (1 - gain),
    d: d - turn * pd,
    nn: kept * filter.nn + dn ** 2 / variance,
    ny: kept * filter.ny + (dn * dy) / variance,
    yy: kept * filter.yy + dy ** 2 / variance,
    count: kept * filter.count + 1,
    seen: filter.seen + 1,
    score: SCORE_KEPT * filter.score + foretold(filter, { dy, dn, variance, sec }),
  };
}

/** Fewer windows than these say nothing of their own noise. */
export const FEWEST_FREE = 3;

/** log p(y | all before), Student's t; 0 before anything can be foretold. */
function foretold(
  filter: Filter,
  { dy, dn, variance, sec }: { dy: number; dn: number; variance: number; sec: number },
): number {
  const mu = muOf(filter, sec);
  if (mu === null && dn !== 0) return 0;
  const { noise, freedom } = noiseOf(filter, mu?.value ?? 0, sec);
  if (freedom < FEWEST_FREE) return 0;
  const scale = noise * variance + dn ** 2 * (mu?.variance ?? 0);
  const error = dy + dn * (mu?.value ?? 0);
  return -0.5 * Math.log(scale) - ((freedom + 1) / 2) * Math.log1p(error ** 2 / (freedom * scale));
}

/** Variance within one second of what is left when mu is taken for granted. */
export function noiseOf({ nn, ny, yy, count }: Filter, mu: number, sec: number): { noise: number; freedom: number } {
  const freedom = Math.max(1, count - (nn > 0 ? 2 : 1));
  // Counts are whole: the difference of two of them is never surer than their rounding.
  return { noise: Math.max((yy + 2 * mu * ny + mu ** 2 * nn) / freedom, 1 / (6 * sec)), freedom };
}

export function muOf(filter: Filter, sec: number): Fitted | null {
  const { nn, ny } = filter;
  if (nn <= 0) return null;
  const value = -ny / nn;
  const { noise, freedom } = noiseOf(filter, value, sec);
  return freedom < FEWEST_FREE ? null : { value, variance: noise / nn, freedom };
}

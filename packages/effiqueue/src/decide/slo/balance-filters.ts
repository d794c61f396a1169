/**
 * mu and lambda from a series of balance windows, however lambda wanders and however long ago mu was another: several filters that
 * assume different things of both, each heard as far as it has been right of late. DESIGN 2.4. Pure.
 *
 * Each filter is least squares of y = lambda - mu n with a lambda that takes random steps (a local level, diffuse at first, after
 * de Jong 1991) and with exponential forgetting; their mixture is that of Raftery, Karny and Ettler 2010.
 */
import type { BalanceWindow } from "./balance-window.ts";

interface Assumption {
  /** Variance of a step of lambda from window to window, as a share of the noise within one. */
  readonly drift: number;
  /** Windows after which what was seen counts for little. */
  readonly memory: number;
  /** How likely it is before anything was seen, beside the first. */
  readonly odds: number;
}

/**
 * First what is true most of the time, plain least squares over 200 windows, which average bursts out. Then a lambda that wanders;
 * one that jumps, where only neighbouring windows can be compared; and a mu that was another until a little while ago. They are
 * unlikely enough not to widen the interval where they are wrong (at odds of 0.1 it held 100% of what it should hold 95% of).
 */
const ASSUMPTIONS: readonly Assumption[] = [
  { drift: 0, memory: 200, odds: 1 },
  { drift: 0.1, memory: 200, odds: 0.03 },
  { drift: 2, memory: 200, odds: 0.03 },
  { drift: 0, memory: 20, odds: 0.03 },
];

/** Of how good a filter was, its predictions of the last twenty windows tell. */
const SCORE_KEPT = 0.95;

interface Filter {
  /** Where y and n are now, as far as they wander together with lambda. */
  readonly y: number;
  readonly n: number;
  /** Variance of that, in units of the noise. */
  readonly p: number;
  /** Sums of squares and products of what could not be foreseen of n and y. */
  readonly nn: number;
  readonly ny: number;
  readonly yy: number;
  /** Windows, the forgotten ones counted for what is left of them. */
  readonly count: number;
  /** Log-likelihood of what it foretold. */
  readonly score: number;
}

/** One filter for each assumption; empty before the first window. */
export type Filters = readonly Filter[];

export interface BalanceFit {
  /** Not above 0 where noise hides it. */
  readonly mu: number;
  readonly muVariance: number;
  /** dB/dt now, and the n that it belongs to: lambda is `y + mu n`. */
  readonly y: number;
  readonly n: number;
  /** Of `y + mu n`, mu taken for granted. */
  readonly levelVariance: number;
  /** Degrees of freedom that the variances rest on. */
  readonly freedom: number;
}

export function learnWindow(filters: Filters, window: BalanceWindow): Filters {
  return ASSUMPTIONS.map((assumption, i) => {
    const filter = filters[i];
    return filter === undefined ? begun(window) : learned(filter, assumption, window);
  });
}

const begun = ({ y, n, sec }: BalanceWindow): Filter => ({ y, n, p: 1 / sec, nn: 0, ny: 0, yy: 0, count: 1, score: 0 });

function learned(filter: Filter, { drift, memory }: Assumption, { y, n, sec }: BalanceWindow): Filter {
  const kept = 1 - 1 / memory;
  const noise = 1 / sec;
  const p = filter.p / kept + drift * noise;
  const variance = p + noise;
  const dy = y - filter.y;
  const dn = n - filter.n;
  const gain = p / variance;
  return {
    y: filter.y + gain * dy,
    n: filter.n + gain * dn,
    p: p * (1 - gain),
    nn: kept * filter.nn + dn ** 2 / variance,
    ny: kept * filter.ny + (dn * dy) / variance,
    yy: kept * filter.yy + dy ** 2 / variance,
    count: kept * filter.count + 1,
    score: SCORE_KEPT * filter.score + foretold(filter, { dy, dn, variance, sec }),
  };
}

/** Fewer windows than these say nothing of their own noise. */
const FEWEST_FREE = 3;

/** log p(y | all before), Student's t; 0 before anything can be foretold. */
function foretold(
  filter: Filter,
  { dy, dn, variance, sec }: { dy: number; dn: number; variance: number; sec: number },
): number {
  const fit = fitOf(filter, sec);
  if (fit === null) return 0;
  const scale = fit.noise * (variance + dn ** 2 / filter.nn);
  const f = fit.freedom;
  const error = dy + fit.mu * dn;
  return -0.5 * Math.log(scale) - ((f + 1) / 2) * Math.log1p(error ** 2 / (f * scale));
}

interface FilterFit extends BalanceFit {
  /** Variance of the noise over one second. */
  readonly noise: number;
}

/** @param sec of the last window */
function fitOf({ y, n, p, nn, ny, yy, count }: Filter, sec: number): FilterFit | null {
  const freedom = count - 2;
  if (nn <= 0 || freedom < FEWEST_FREE) return null;
  const mu = -ny / nn;
  // Counts are whole: the difference of two of them is never surer than their rounding.
  const noise = Math.max((yy - ny ** 2 / nn) / freedom, 1 / (6 * sec));
  return { mu, muVariance: noise / nn, y, n, levelVariance: noise * p, freedom, noise };
}

/**
 * What all of them together say.
 *
 * @param sec of the last window
 * @returns `null`: nothing yet
 */
export function mixtureOf(filters: Filters, sec: number): BalanceFit | null {
  const voices = filters.flatMap((filter, i) => {
    const fit = fitOf(filter, sec);
    return fit === null ? [] : [{ fit, score: filter.score, odds: ASSUMPTIONS[i]?.odds ?? 0 }];
  });
  if (voices.length === 0) return null;
  const best = Math.max(...voices.map(({ score }) => score));
  const weights = voices.map(({ score, odds }) => Math.exp(score - best) * odds);
  const total = weights.reduce((sum, each) => sum + each, 0);
  const mean = (value: (fit: FilterFit) => number): number =>
    voices.reduce((sum, { fit }, i) => sum + (weights[i] ?? 0) * value(fit), 0) / total;
  const mu = mean((fit) => fit.mu);
  const y = mean((fit) => fit.y);
  const n = mean((fit) => fit.n);
  return {
    mu,
    y,
    n,
    // That they do not agree is part of what is not known.
    muVariance: mean((fit) => fit.muVariance + (fit.mu - mu) ** 2),
    levelVariance: mean((fit) => fit.levelVariance + (fit.y - y + mu * (fit.n - n)) ** 2),
    freedom: mean((fit) => fit.freedom),
  };
}

/** Sum of squared distances of n from its mean, whole windows counted once. */
export const spreadOf = (filters: Filters, sec: number): number => (filters[0]?.nn ?? 0) / sec;

/** Windows that count, the forgotten ones for what is left of them. */
export const countOf = (filters: Filters): number => filters[0]?.count ?? 0;

/** The same over the last twenty windows. */
export const recentSpreadOf = (filters: Filters, sec: number): number => (filters.at(-1)?.nn ?? 0) / sec;

/**
 * mu and lambda from a series of balance windows, however lambda wanders and however long ago mu was another: several filters that
 * assume different things of both, each heard as far as it has been right of late. DESIGN 2.4. Pure.
 *
 * Each filter is least squares of y = lambda - mu n with a lambda that takes random steps (a local level, diffuse at first, after
 * de Jong 1991) and with exponential forgetting; their mixture is that of Raftery, Karny and Ettler 2010.
 */
import type { BalanceWindow } from "./balance-window.ts";
import { NORMAL, quantile } from "./rate.ts";

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
  /** Windows since it began. */
  readonly seen: number;
  /** Log-likelihood of what it foretold. */
  readonly score: number;
}

/** One filter for each assumption; empty before the first window. */
export type Filters = readonly Filter[];

/** An estimate and its variance, which rests on `freedom` degrees of freedom. */
export interface Fitted {
  readonly value: number;
  readonly variance: number;
  readonly freedom: number;
}

export function learnWindow(filters: Filters, window: BalanceWindow): Filters {
  return ASSUMPTIONS.map((assumption, i) => {
    const filter = filters[i];
    return filter === undefined ? begun(window) : learned(filter, assumption, window);
  });
}

const begun = ({ y, n, sec }: BalanceWindow): Filter => ({
  y,
  n,
  p: 1 / sec,
  nn: 0,
  ny: 0,
  yy: 0,
  count: 1,
  seen: 1,
  score: 0,
});

/** How many windows of before a jump tell what noise to expect after it, until so many more have told. */
const KEPT_WINDOWS = 8;

/** Begins anew after a jump: what was seen before tells of the noise, and of nothing else. */
export function begunAnew(filters: Filters, window: BalanceWindow, mu: number): Filters {
  return filters.map((filter) => {
    const kept = Math.min(filter.count, KEPT_WINDOWS);
    return { ...begun(window), yy: noiseOf(filter, mu, window.sec).noise * kept, count: kept + 1 };
  });
}

/** The jump was one of lambda: of mu all that was seen tells, of lambda what was seen since. */
export function rejoined(through: Filters, since: Filters): Filters {
  return through.map((filter, i) => {
    const { y, n, p } = since[i] ?? filter;
    return { ...filter, y, n, p };
  });
}

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
    seen: filter.seen + 1,
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
  const mu = muOf(filter, sec);
  if (mu === null && dn !== 0) return 0;
  const { noise, freedom } = noiseOf(filter, mu?.value ?? 0, sec);
  if (freedom < FEWEST_FREE) return 0;
  const scale = noise * variance + dn ** 2 * (mu?.variance ?? 0);
  const error = dy + dn * (mu?.value ?? 0);
  return -0.5 * Math.log(scale) - ((freedom + 1) / 2) * Math.log1p(error ** 2 / (freedom * scale));
}

/** Variance within one second of what is left when mu is taken for granted. */
function noiseOf({ nn, ny, yy, count }: Filter, mu: number, sec: number): { noise: number; freedom: number } {
  const freedom = Math.max(1, count - (nn > 0 ? 2 : 1));
  // Counts are whole: the difference of two of them is never surer than their rounding.
  return { noise: Math.max((yy + 2 * mu * ny + mu ** 2 * nn) / freedom, 1 / (6 * sec)), freedom };
}

function muOf(filter: Filter, sec: number): Fitted | null {
  const { nn, ny } = filter;
  if (nn <= 0) return null;
  const value = -ny / nn;
  const { noise, freedom } = noiseOf(filter, value, sec);
  return freedom < FEWEST_FREE ? null : { value, variance: noise / nn, freedom };
}

/**
 * mu as all filters together see it.
 *
 * @param sec of the longest window
 * @returns not above 0 where noise hides it; `null`: nothing yet
 */
export function fittedMu(filters: Filters, sec: number): Fitted | null {
  return mixtureOf(filters, (filter) => muOf(filter, sec));
}

/**
 * lambda now, for a mu that is known from here or elsewhere. Below 0 where that mu is too small for what was drained.
 *
 * @param sec of the longest window
 * @returns `null`: nothing yet
 */
export function lambdaGiven(filters: Filters, sec: number, mu: number): Fitted | null {
  return mixtureOf(filters, (filter) => {
    const { noise, freedom } = noiseOf(filter, mu, sec);
    return freedom < FEWEST_FREE ? null : { value: filter.y + mu * filter.n, variance: noise * filter.p, freedom };
  });
}

/**
 * How far the window is from what the best of the filters foretold, in standard errors as a normal distribution has them.
 *
 * @param mu with half of its 95% interval in `reach`
 */
export function surpriseIn(
  filters: Filters,
  { y, n, sec }: BalanceWindow,
  mu: { value: number; reach: number },
): number {
  const [filter, drift] = bestOf(filters);
  if (filter === undefined) return 0;
  const { noise, freedom } = noiseOf(filter, mu.value, sec);
  const dn = n - filter.n;
  const variance = noise * (filter.p + (1 + drift) / sec) + (dn * (mu.reach / NORMAL)) ** 2;
  return ((y - filter.y + mu.value * dn) / Math.sqrt(variance)) * (NORMAL / quantile(freedom));
}

function bestOf(filters: Filters): readonly [Filter | undefined, number] {
  const merits = filters.map(({ score }, i) => score + Math.log(ASSUMPTIONS[i]?.odds ?? 0));
  const best = merits.indexOf(Math.max(...merits));
  return [filters[best], ASSUMPTIONS[best]?.drift ?? 0];
}

/** Workers in the windows on average, as far back as they count. */
export const meanWorkersOf = (filters: Filters): number => filters[0]?.n ?? 0;

/** Half of the 95% interval. */
export const reachOf = ({ variance, freedom }: Fitted): number => quantile(freedom) * Math.sqrt(variance);

/** Each filter is heard as far as it was right; that they do not agree is part of what is not known. */
function mixtureOf(filters: Filters, of: (filter: Filter) => Fitted | null): Fitted | null {
  const voices = filters.flatMap((filter, i) => {
    const fitted = of(filter);
    return fitted === null ? [] : [{ fitted, score: filter.score, odds: ASSUMPTIONS[i]?.odds ?? 0 }];
  });
  if (voices.length === 0) return null;
  const best = Math.max(...voices.map(({ score }) => score));
  const weights = voices.map(({ score, odds }) => Math.exp(score - best) * odds);
  const total = weights.reduce((sum, each) => sum + each, 0);
  const mean = (of: (fitted: Fitted) => number): number =>
    voices.reduce((sum, { fitted }, i) => sum + (weights[i] ?? 0) * of(fitted), 0) / total;
  const value = mean((fitted) => fitted.value);
  return {
    value,
    variance: mean((fitted) => fitted.variance + (fitted.value - value) ** 2),
    freedom: mean((fitted) => fitted.freedom),
  };
}

/** Sum of squared distances of n from its mean, whole windows counted once. */
export const spreadOf = (filters: Filters, sec: number): number => (filters[0]?.nn ?? 0) / sec;

/** Windows that count, the forgotten ones for what is left of them. */
export const countOf = (filters: Filters): number => filters[0]?.count ?? 0;

/** Those of them that tell of more than the noise. */
export const seenOf = (filters: Filters): number => Math.min(countOf(filters), filters[0]?.seen ?? 0);

/** The same over the last twenty windows. */
export const recentSpreadOf = (filters: Filters, sec: number): number => (filters.at(-1)?.nn ?? 0) / sec;

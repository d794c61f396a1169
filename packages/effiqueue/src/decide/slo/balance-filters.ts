/**
 * mu and lambda from a series of balance windows, however lambda wanders and however long ago mu was another: several filters that
 * assume different things of both, each heard as far as it has been right of late (Raftery, Karny and Ettler 2010). DESIGN 2.3, 2.23. Pure.
 */
import {
  type Assumption,
  begun,
  FEWEST_FREE,
  type Filter,
  type Fitted,
  learned,
  moved,
  muOf,
  noiseOf,
} from "./balance-filter.ts";
import type { BalanceWindow } from "./balance-window.ts";
import { NORMAL, quantile } from "./rate.ts";

/**
 * First what is true most of the time, plain least squares over 200 windows, which average bursts out. Then a lambda that wanders;
 * one that jumps, where only neighbouring windows can be compared; one that rises and falls, which a pool that follows it makes look
 * like slow workers; and a mu that was another until a little while ago. They are unlikely enough not to widen the interval much where
 * they are wrong.
 */
const ASSUMPTIONS: readonly Assumption[] = [
  { drift: 0, trend: 0, firstTrend: 0, memory: 200, odds: 1 },
  { drift: 0.1, trend: 0, firstTrend: 0, memory: 200, odds: 0.02 },
  { drift: 2, trend: 0, firstTrend: 0, memory: 200, odds: 0.03 },
  { drift: 0.1, trend: 0.05, firstTrend: 0.3, memory: 200, odds: 0.003 },
  { drift: 0, trend: 0, firstTrend: 0, memory: 20, odds: 0.02 },
];

/** One filter for each assumption; empty before the first window. */
export type Filters = readonly Filter[];

export function learnWindow(filters: Filters, window: BalanceWindow): Filters {
  return ASSUMPTIONS.map((assumption, i) => {
    const filter = filters[i];
    return filter === undefined ? begun(window, assumption) : learned(filter, assumption, window);
  });
}

/** How many windows of before a jump tell what noise to expect after it, until so many more have told. */
const KEPT_WINDOWS = 8;

/** Begins anew after a jump: what was seen before tells of the noise and of how arrivals wander. */
export function begunAnew(filters: Filters, window: BalanceWindow, mu: number): Filters {
  return ASSUMPTIONS.flatMap((assumption, i) => {
    const filter = filters[i];
    if (filter === undefined) return [];
    const kept = Math.min(filter.count, KEPT_WINDOWS);
    const yy = noiseOf(filter, mu, window.sec).noise * kept;
    return { ...begun(window, assumption), yy, count: kept + 1, score: filter.score };
  });
}

/** The jump was one of lambda: of mu all that was seen tells, of lambda what was seen since. */
export function rejoined(through: Filters, since: Filters): Filters {
  return through.map((filter, i) => {
    const { y, n, dy, dn, p, pd, d, score } = since[i] ?? filter;
    return { ...filter, y, n, dy, dn, p, pd, d, score };
  });
}

/** A window that says nothing of what arrives: that may be more or less after it all the same. */
export const passWindow = (filters: Filters, sec: number): Filters =>
  filters.map((filter, i) => {
    const assumption = ASSUMPTIONS[i];
    return assumption === undefined ? filter : moved(filter, assumption, sec);
  });

/** How arrivals wander is best known of those that saw most windows. */
export const scoredAs = (judges: Filters, filters: Filters): Filters =>
  filters.map((filter, i) => ({ ...filter, score: judges[i]?.score ?? filter.score }));

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
  const dn = n - filter.n - filter.dn;
  const variance = noise * (filter.p + 2 * filter.pd + filter.d + (1 + drift) / sec) + (dn * (mu.reach / NORMAL)) ** 2;
  return ((y - filter.y - filter.dy + mu.value * dn) / Math.sqrt(variance)) * (NORMAL / quantile(freedom));
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

const weightsOf = (voices: readonly { readonly score: number; readonly odds: number }[]): number[] => {
  const best = Math.max(...voices.map(({ score }) => score));
  return voices.map(({ score, odds }) => Math.exp(score - best) * odds);
};

/** As in an interval of 95%. */
const SURE = 0.95;

/** False: it is sure that arrivals wander. */
export function isStill(filters: Filters): boolean {
  const weights = weightsOf(filters.map(({ score }, i) => ({ score, odds: ASSUMPTIONS[i]?.odds ?? 0 })));
  const wandering = weights.filter((_, i) => (ASSUMPTIONS[i]?.drift ?? 0) > 0);
  return sumOf(wandering) < SURE * sumOf(weights);
}

const sumOf = (all: readonly number[]): number => all.reduce((sum, each) => sum + each, 0);

/** Each filter is heard as far as it was right; that they do not agree is part of what is not known. */
function mixtureOf(filters: Filters, of: (filter: Filter) => Fitted | null): Fitted | null {
  const voices = filters.flatMap((filter, i) => {
    const fitted = of(filter);
    return fitted === null ? [] : [{ fitted, score: filter.score, odds: ASSUMPTIONS[i]?.odds ?? 0 }];
  });
  if (voices.length === 0) return null;
  const weights = weightsOf(voices);
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

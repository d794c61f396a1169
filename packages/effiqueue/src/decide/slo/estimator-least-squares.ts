/**
 * mu and lambda from the backlog alone as the seed has them, for `max_step = 1`: plain least squares over the last half hour, and
 * no answer until the worker counts differ enough. DESIGN 2.3, 2.4. Pure.
 */
import { tidy } from "../shared/exact.ts";
import { type BalanceWindow, balanceWindow } from "./balance-window.ts";
import { DOUBT_PER_TICK, quantile, type Rate, rateOf } from "./rate.ts";
import type { Tick } from "./reading.ts";
import type { Smoothing } from "./smoothing.ts";

export interface LeastSquaresState {
  readonly mu: number | null;
  readonly lambda: number | null;
  /** Of mu: how far it may be off, messages/s. */
  readonly standardError: number | null;
  /** Of lambda, at the fit that both are from. */
  readonly lambdaError: number | null;
  /** Windows of that fit beyond the two that it takes to have one. */
  readonly freedom: number;
  /** Both are known without windows in which workers came. */
  readonly isSettled: boolean;
  /** Oldest first. */
  readonly samples: readonly BalanceWindow[];
  readonly last: Tick | null;
}

export const NOTHING_FITTED: LeastSquaresState = {
  mu: null,
  lambda: null,
  standardError: null,
  lambdaError: null,
  freedom: 0,
  isSettled: false,
  samples: [],
  last: null,
};

/** Half an hour at a poll of ten seconds: enough for bursts to average out, short enough to forget another load. */
const MOST_SAMPLES = 180;
const FEWEST_SAMPLES = 8;
/** Four windows at each of two worker counts. */
const LEAST_SPREAD = 2;
/** A slope nearer to zero than three times its standard error may be no slope. */
const LEAST_STANDARD_ERRORS = 3;
/**
 * A worker that takes a third of a window to start makes the slope of a pool that grows at every window too steep by a fifth.
 * Windows in which nobody came are few at first: alone they count as soon as they are surer than that.
 */
const SETTLED_STANDARD_ERRORS = 10;

/** Probing ends there even if noise still hides the slope: what is bought must be bounded. */
const MOST_PROBED_SPREAD = 4 * LEAST_SPREAD;

/** The baseline is dropped: nothing may be differenced across a gap. */
export function missLeastSquares(state: LeastSquaresState): LeastSquaresState {
  return { ...state, last: null };
}

/** @param ordered live workers that the tick before asked for; `null`: unknown */
export function learnLeastSquares(
  state: LeastSquaresState,
  tick: Tick,
  ordered: number | null,
  { alphaMu, alphaLambda }: Smoothing,
): LeastSquaresState {
  const sample = balanceWindow(state.last, tick, ordered, 0);
  if (sample === null) return { ...state, last: tick };
  const next = { ...state, samples: [...state.samples, sample].slice(-MOST_SAMPLES), last: tick };
  const settled = fitOf(settledOnes(next.samples), SETTLED_STANDARD_ERRORS);
  const fit = settled ?? fitOf(next.samples, LEAST_STANDARD_ERRORS);
  const isSettled = settled !== null;
  // What rests on workers that came at some time within a window is biased, however small its standard error.
  const { mu, lambda, standardError } = isSettled && !state.isSettled ? NOTHING_FITTED : state;
  // What is known is not given up for a worse fit, such as that of a pool that has stood at its limit for a whole window.
  const held = standardError === null ? Number.POSITIVE_INFINITY : standardError * DOUBT_PER_TICK;
  if (fit === null || fit.standardError > held) {
    return { ...next, standardError: Number.isFinite(held) ? held : null };
  }
  return {
    ...next,
    mu: smoothed(mu, fit.mu, alphaMu),
    lambda: smoothed(lambda, fit.lambda, alphaLambda),
    standardError: fit.standardError,
    lambdaError: fit.lambdaError,
    freedom: fit.freedom,
    isSettled,
  };
}

const settledOnes = (samples: readonly BalanceWindow[]): BalanceWindow[] => samples.filter(({ grew }) => !grew);

/** How much the worker counts differ: the sum of squared distances from their mean, whole windows counted once. */
export function sampleSpread(samples: readonly BalanceWindow[]): number {
  const weights = weightsOf(samples);
  const mean = meanOf(samples, weights, ({ n }) => n);
  return sumOf(samples, weights, ({ n }) => (n - mean) ** 2);
}

interface Fit {
  readonly mu: number;
  readonly lambda: number;
  readonly standardError: number;
  readonly lambdaError: number;
  readonly freedom: number;
}

/** Least squares; `null`: too few, too alike, or too noisy to tell. */
function fitOf(samples: readonly BalanceWindow[], leastStandardErrors: number): Fit | null {
  const spread = sampleSpread(samples);
  if (samples.length < FEWEST_SAMPLES || spread < LEAST_SPREAD) return null;
  const weights = weightsOf(samples);
  const meanN = meanOf(samples, weights, ({ n }) => n);
  const meanY = meanOf(samples, weights, ({ y }) => y);
  const mu = -sumOf(samples, weights, ({ n, y }) => (n - meanN) * (y - meanY)) / spread;
  // That more workers drained less is noise, not physics.
  if (mu <= 0) return null;
  const residual = sumOf(samples, weights, ({ n, y }) => (y - meanY + mu * (n - meanN)) ** 2);
  const freedom = samples.length - 2;
  const standardError = Math.sqrt(residual / freedom / spread);
  if (mu < leastStandardErrors * standardError) return null;
  const lambdaError = Math.sqrt(residual / freedom / sumOf(samples, weights, () => 1) + (meanN * standardError) ** 2);
  return { mu, lambda: Math.max(0, meanY + mu * meanN), standardError, lambdaError, freedom };
}

/** @returns mu and lambda with their intervals, the age of what is held included */
export function fittedRates({ mu, lambda, standardError, lambdaError, freedom }: LeastSquaresState): {
  readonly mu: Rate;
  readonly lambda: Rate;
} {
  const t = quantile(freedom);
  return { mu: rateOf(mu, t * (standardError ?? 0)), lambda: rateOf(lambda, t * (lambdaError ?? 0)) };
}

/** True: only other worker counts than those there were can tell mu. */
export function needsSpread({ mu, samples }: LeastSquaresState): boolean {
  const settled = settledOnes(samples);
  if (settled.length < FEWEST_SAMPLES) return false;
  const spread = sampleSpread(settled);
  return spread < LEAST_SPREAD || (mu === null && spread < MOST_PROBED_SPREAD);
}

/** The longest window counts once; one that an exit cut short counts for the part that it is. */
function weightsOf(samples: readonly BalanceWindow[]): number[] {
  const longest = Math.max(...samples.map(({ sec }) => sec));
  return samples.map(({ sec }) => sec / longest);
}

const sumOf = (
  samples: readonly BalanceWindow[],
  weights: readonly number[],
  value: (sample: BalanceWindow) => number,
): number => samples.reduce((sum, each, i) => sum + (weights[i] ?? 0) * value(each), 0);

function meanOf(
  samples: readonly BalanceWindow[],
  weights: readonly number[],
  value: (sample: BalanceWindow) => number,
): number {
  return samples.length === 0 ? 0 : sumOf(samples, weights, value) / sumOf(samples, weights, () => 1);
}

const smoothed = (old: number | null, fresh: number, alpha: number): number =>
  tidy(old === null ? fresh : old + alpha * (fresh - old));

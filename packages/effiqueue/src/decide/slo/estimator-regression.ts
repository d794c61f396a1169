/**
 * mu and lambda from the backlog alone, where no broker counts. The balance dB/dt = lambda - mu n has two unknowns, but windows
 * at different n are different equations: least squares, and no answer until they differ enough. DESIGN 2.3, 2.4. Pure.
 */
import { tidy } from "../shared/exact.ts";
import type { Smoothing } from "./estimator-direct.ts";
import type { Tick } from "./reading.ts";

interface Sample {
  /** Workers that drained. */
  readonly n: number;
  /** Messages/s by which the backlog grew. */
  readonly y: number;
  /** How long the window was: over a shorter one, chance weighs more. */
  readonly sec: number;
  /** Workers came within it, so that `n` drained only from some time on. */
  readonly grew: boolean;
}

export interface RegressionState {
  readonly mu: number | null;
  readonly lambda: number | null;
  /** Of mu: how far it may be off, messages/s. */
  readonly standardError: number | null;
  /** Both are known without windows in which workers came. */
  readonly isSettled: boolean;
  /** Oldest first. */
  readonly samples: readonly Sample[];
  readonly last: Tick | null;
}

export const NOTHING_INFERRED: RegressionState = {
  mu: null,
  lambda: null,
  standardError: null,
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
/**
 * What is known is not given up for a worse fit, such as that of a pool that has stood at its limit for a whole window. But
 * knowledge ages: its error is taken to grow by this a tick, twofold in 70.
 */
const ERROR_GROWTH = 1.01;

/** Probing ends there even if noise still hides the slope: what is bought must be bounded. */
const MOST_PROBED_SPREAD = 4 * LEAST_SPREAD;

/** The baseline is dropped: nothing may be differenced across a gap. */
export function missRegression(state: RegressionState): RegressionState {
  return { ...state, last: null };
}

/** @param ordered live workers that the tick before asked for; `null`: unknown */
export function learnRegression(
  state: RegressionState,
  tick: Tick,
  ordered: number | null,
  { alphaMu, alphaLambda }: Smoothing,
): RegressionState {
  const sample = sampleOf(state.last, tick, ordered);
  if (sample === null) return { ...state, last: tick };
  const next = { ...state, samples: [...state.samples, sample].slice(-MOST_SAMPLES), last: tick };
  const settled = fitOf(settledOnes(next.samples), SETTLED_STANDARD_ERRORS);
  const fit = settled ?? fitOf(next.samples, LEAST_STANDARD_ERRORS);
  const isSettled = settled !== null;
  // What rests on workers that came at some time within a window is biased, however small its standard error.
  const { mu, lambda, standardError } = isSettled && !state.isSettled ? NOTHING_INFERRED : state;
  const held = standardError === null ? Number.POSITIVE_INFINITY : standardError * ERROR_GROWTH;
  if (fit === null || fit.standardError > held) {
    return { ...next, standardError: Number.isFinite(held) ? held : null };
  }
  return {
    ...next,
    mu: smoothed(mu, fit.mu, alphaMu),
    lambda: smoothed(lambda, fit.lambda, alphaLambda),
    standardError: fit.standardError,
    isSettled,
  };
}

const settledOnes = (samples: readonly Sample[]): Sample[] => samples.filter(({ grew }) => !grew);

/** What this window says; `null` where it says nothing. */
function sampleOf(before: Tick | null, now: Tick, ordered: number | null): Sample | null {
  if (before === null || now.dtSec <= 0 || now.disturbed) return null;
  // Work that ran out, not the workers, limited what was drained.
  if (before.ready === 0 || now.ready === 0) return null;
  if (now.drainers !== before.drainers) {
    // Our own step was taken as the window began. A worker that was still starting joined at some time within it.
    const isOurStep = Math.abs(now.drainers - before.drainers) <= 1 || now.drainers === ordered;
    if (!isOurStep || before.starting > 0 || now.starting > 0) return null;
  }
  const unacked = before.unacked === null || now.unacked === null ? 0 : now.unacked - before.unacked;
  const grew = now.drainers > before.drainers;
  return { n: now.drainers, y: (now.ready - before.ready + unacked) / now.dtSec, sec: now.dtSec, grew };
}

/** How much the worker counts differ: the sum of squared distances from their mean, whole windows counted once. */
export function spreadOf(samples: readonly Sample[]): number {
  const weights = weightsOf(samples);
  const mean = meanOf(samples, weights, ({ n }) => n);
  return sumOf(samples, weights, ({ n }) => (n - mean) ** 2);
}

interface Fit {
  readonly mu: number;
  readonly lambda: number;
  readonly standardError: number;
}

/** Least squares; `null`: too few, too alike, or too noisy to tell. */
function fitOf(samples: readonly Sample[], leastStandardErrors: number): Fit | null {
  const spread = spreadOf(samples);
  if (samples.length < FEWEST_SAMPLES || spread < LEAST_SPREAD) return null;
  const weights = weightsOf(samples);
  const meanN = meanOf(samples, weights, ({ n }) => n);
  const meanY = meanOf(samples, weights, ({ y }) => y);
  const mu = -sumOf(samples, weights, ({ n, y }) => (n - meanN) * (y - meanY)) / spread;
  // That more workers drained less is noise, not physics.
  if (mu <= 0) return null;
  const residual = sumOf(samples, weights, ({ n, y }) => (y - meanY + mu * (n - meanN)) ** 2);
  const standardError = Math.sqrt(residual / (samples.length - 2) / spread);
  if (mu < leastStandardErrors * standardError) return null;
  return { mu, lambda: Math.max(0, meanY + mu * meanN), standardError };
}

/** True: only other worker counts than those there were can tell mu. */
export function needsProbe({ mu, samples }: RegressionState): boolean {
  const settled = settledOnes(samples);
  if (settled.length < FEWEST_SAMPLES) return false;
  const spread = spreadOf(settled);
  return spread < LEAST_SPREAD || (mu === null && spread < MOST_PROBED_SPREAD);
}

/** The longest window counts once; one that an exit cut short counts for the part that it is. */
function weightsOf(samples: readonly Sample[]): number[] {
  const longest = Math.max(...samples.map(({ sec }) => sec));
  return samples.map(({ sec }) => sec / longest);
}

const sumOf = (samples: readonly Sample[], weights: readonly number[], value: (sample: Sample) => number): number =>
  samples.reduce((sum, each, i) => sum + (weights[i] ?? 0) * value(each), 0);

function meanOf(samples: readonly Sample[], weights: readonly number[], value: (sample: Sample) => number): number {
  return samples.length === 0 ? 0 : sumOf(samples, weights, value) / sumOf(samples, weights, () => 1);
}

const smoothed = (old: number | null, fresh: number, alpha: number): number =>
  tidy(old === null ? fresh : old + alpha * (fresh - old));

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
}

export interface RegressionState {
  readonly mu: number | null;
  readonly lambda: number | null;
  /** Of mu: how far it may be off, messages/s. */
  readonly standardError: number | null;
  /** Oldest first. */
  readonly samples: readonly Sample[];
  readonly last: Tick | null;
}

export const NOTHING_INFERRED: RegressionState = {
  mu: null,
  lambda: null,
  standardError: null,
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
  const fit = fitOf(next.samples);
  const held = state.standardError === null ? Number.POSITIVE_INFINITY : state.standardError * ERROR_GROWTH;
  if (fit === null || fit.standardError > held) {
    return { ...next, standardError: Number.isFinite(held) ? held : null };
  }
  return {
    ...next,
    mu: smoothed(state.mu, fit.mu, alphaMu),
    lambda: smoothed(state.lambda, fit.lambda, alphaLambda),
    standardError: fit.standardError,
  };
}

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
  return { n: now.drainers, y: (now.ready - before.ready + unacked) / now.dtSec };
}

/** How much the worker counts differ: the sum of squared distances from their mean. */
export function spreadOf(samples: readonly Sample[]): number {
  const mean = meanOf(samples, ({ n }) => n);
  return samples.reduce((sum, { n }) => sum + (n - mean) ** 2, 0);
}

interface Fit {
  readonly mu: number;
  readonly lambda: number;
  readonly standardError: number;
}

/** Least squares; `null`: too few, too alike, or too noisy to tell. */
function fitOf(samples: readonly Sample[]): Fit | null {
  const spread = spreadOf(samples);
  if (samples.length < FEWEST_SAMPLES || spread < LEAST_SPREAD) return null;
  const meanN = meanOf(samples, ({ n }) => n);
  const meanY = meanOf(samples, ({ y }) => y);
  const mu = -samples.reduce((sum, { n, y }) => sum + (n - meanN) * (y - meanY), 0) / spread;
  // That more workers drained less is noise, not physics.
  if (mu <= 0) return null;
  const residual = samples.reduce((sum, { n, y }) => sum + (y - meanY + mu * (n - meanN)) ** 2, 0);
  const standardError = Math.sqrt(residual / (samples.length - 2) / spread);
  if (mu < LEAST_STANDARD_ERRORS * standardError) return null;
  return { mu, lambda: Math.max(0, meanY + mu * meanN), standardError };
}

/** True: only other worker counts than those there were can tell mu. */
export function needsProbe({ mu, samples }: RegressionState): boolean {
  if (samples.length < FEWEST_SAMPLES) return false;
  const spread = spreadOf(samples);
  return spread < LEAST_SPREAD || (mu === null && spread < MOST_PROBED_SPREAD);
}

function meanOf(samples: readonly Sample[], value: (sample: Sample) => number): number {
  return samples.length === 0 ? 0 : samples.reduce((sum, each) => sum + value(each), 0) / samples.length;
}

const smoothed = (old: number | null, fresh: number, alpha: number): number =>
  tidy(old === null ? fresh : old + alpha * (fresh - old));

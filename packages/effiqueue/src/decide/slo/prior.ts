/**
 * What an earlier life of the daemon knew of mu and lambda: as sure as it was, and less so with every tick since, as if nothing had been
 * seen meanwhile. DESIGN 7.18. Pure.
 */
import type { MuSource } from "../../model/decision.ts";
import type { LearnedBefore, LearnedRate } from "../../model/learned.ts";
import type { ProgramConfig } from "../program.ts";
import { DOUBT_PER_TICK, halfOf, type Rate, rateOf, UNKNOWN_RATE, weighed } from "./rate.ts";

export interface Prior {
  readonly mu: Rate;
  readonly source: MuSource;
  readonly lambda: Rate;
}

export interface Known {
  readonly mu: Rate;
  /** Share of the regression in it. */
  readonly weight: number;
}

/** Of an estimate of nothing but its value. */
const UNTOLD_REACH = 0.5;
/** Wider says no more than that: it is a hint of the order of magnitude. */
const WIDEST_REACH = 10;
/** As with what is measured (2.4): so sure an estimate is not worth a probe. */
const SURE_REACH = 1 / 3;

export function priorOf(learned: LearnedBefore, { pollInterval }: ProgramConfig): Prior {
  const ticks = Math.max(0, learned.ageSec) / pollInterval;
  return {
    mu: learned.mu === null ? UNKNOWN_RATE : widened(rateFrom(learned.mu), ticks),
    source: learned.mu?.source ?? 0,
    lambda: learned.lambda === null ? UNKNOWN_RATE : widened(rateFrom(learned.lambda), ticks),
  };
}

/** A tick later. */
export const agedPrior = (prior: Prior): Prior => ({
  ...prior,
  mu: widened(prior.mu, 1),
  lambda: widened(prior.lambda, 1),
});

/**
 * Both are heard as far as each is sure of itself; where they contradict each other what is seen now counts. The seed hears the earlier one
 * only while there is no other.
 */
export function withPrior({ mu, weight }: Known, prior: Prior | null, { maxStep }: ProgramConfig): Known {
  if (prior === null || prior.mu.value === null) return { mu, weight };
  if (mu.value === null) return { mu: prior.mu, weight: prior.source === 2 ? 1 : 0 };
  if (maxStep === 1 || mu.interval === null) return { mu, weight };
  const both = weighed(prior.mu, 0, mu);
  return { mu: both.rate, weight };
}

/** Nothing has to be given up to learn what is known so well. */
export const isSurePrior = (prior: Prior | null): boolean =>
  prior !== null && prior.mu.value !== null && halfOf(prior.mu) <= SURE_REACH * prior.mu.value;

const rateFrom = ({ value, interval }: LearnedRate): Rate => ({
  value,
  interval: interval ?? { low: value * (1 - UNTOLD_REACH), high: value * (1 + UNTOLD_REACH) },
});

function widened(rate: Rate, ticks: number): Rate {
  if (rate.value === null) return rate;
  // Below there may be no room left, above there always is.
  const reach = (rate.interval?.high ?? rate.value) - rate.value;
  return rateOf(rate.value, Math.min(WIDEST_REACH * rate.value, reach * DOUBT_PER_TICK ** Math.min(ticks, 10_000)));
}

/**
 * Which of the two estimators is believed, and for how long one that learns nothing more. DESIGN 2.3. Pure.
 */
import type { Interval, MuSource } from "../../model/decision.ts";
import type { ProgramConfig } from "../program.ts";
import { tidy } from "../shared/exact.ts";
import { type DirectState, learnDirect, measuredRates, missDirect, NOTHING_MEASURED } from "./estimator-direct.ts";
import {
  fadeInferred,
  forgetInferred,
  type InferredState,
  inferredOf,
  learnInferred,
  missInferred,
  NOTHING_INFERRED,
} from "./inferred.ts";
import { agedPrior, isSurePrior, type Prior, withPrior } from "./prior.ts";
import { type Rate, UNKNOWN_RATE, weighed } from "./rate.ts";
import { hasRates, type Tick } from "./reading.ts";

export interface EstimatesState {
  readonly direct: DirectState;
  readonly inferred: InferredState;
  /** Ticks in a row in which the queue could not be read. */
  readonly blindTicks: number;
  /** Ticks with work waiting since the broker last gave a rate. */
  readonly ratelessTicks: number;
  /** Ticks in a row without rates in which nothing waited. */
  readonly emptyTicks: number;
  /** From an earlier life of the daemon; `null`: there was none, or it is too long ago. */
  readonly prior: Prior | null;
}

export const NO_ESTIMATES: EstimatesState = {
  direct: NOTHING_MEASURED,
  inferred: NOTHING_INFERRED,
  blindTicks: 0,
  ratelessTicks: 0,
  emptyTicks: 0,
  prior: null,
};

export interface Estimates {
  readonly mu: number | null;
  readonly lambda: number | null;
  readonly muInterval: Interval | null;
  readonly lambdaInterval: Interval | null;
  readonly source: MuSource;
  readonly spread: number | null;
  readonly needsProbe: boolean;
}

/** Five minutes at a poll of ten seconds: an outage that outlasts it may have changed the load. */
const BELIEVED_TICKS = 30;

/**
 * Without rates an empty queue shows that less arrives than the pool can do, not how much less. When it has been empty for two
 * minutes (at a poll of ten seconds), less and less is believed to arrive, until work waits again or nobody is left.
 */
const EMPTY_TICKS = 12;
const FADE_PER_TICK = 0.1;

/** What is expected within the SLO below which nothing is: smoothing approaches zero and never gets there. */
const NO_MESSAGES = 0.5;

/** @param tick `null`: the queue could not be read */
export function learn(
  before: EstimatesState,
  tick: Tick | null,
  dtSec: number,
  ordered: number | null,
  program: ProgramConfig,
): EstimatesState {
  const prior = before.prior && agedPrior(before.prior);
  const state = { ...before, prior };
  if (tick === null) {
    const blindTicks = Math.min(state.blindTicks + 1, BELIEVED_TICKS);
    if (blindTicks >= BELIEVED_TICKS) return { ...NO_ESTIMATES, blindTicks };
    return {
      ...state,
      direct: missDirect(state.direct, dtSec),
      inferred: missInferred(state.inferred),
      blindTicks,
    };
  }
  if (hasRates(tick.rates)) {
    const direct = learnDirect(state.direct, tick, program);
    return {
      direct,
      // Once the broker tells both, what the balance told of another time is no help.
      inferred: direct.mu === null ? missInferred(state.inferred) : forgetInferred(state.inferred),
      blindTicks: 0,
      ratelessTicks: 0,
      emptyTicks: 0,
      prior,
    };
  }
  const { mu, muInterval } = estimatesOf(before, program);
  const inferred = learnInferred(state.inferred, tick, ordered, { value: mu, interval: muInterval }, program);
  const direct = missDirect(state.direct, dtSec);
  if (tick.ready === 0) {
    const emptyTicks = Math.min(state.emptyTicks + 1, EMPTY_TICKS);
    const believed = emptyTicks < EMPTY_TICKS ? 1 : 1 - FADE_PER_TICK;
    return {
      ...state,
      direct: { ...direct, lambda: direct.lambda && tidy(direct.lambda * believed) },
      inferred: fadeInferred(inferred, believed),
      blindTicks: 0,
      emptyTicks,
    };
  }
  const ratelessTicks = Math.min(state.ratelessTicks + 1, BELIEVED_TICKS);
  const known = { inferred, blindTicks: 0, ratelessTicks, emptyTicks: 0 };
  // What was measured before is now one of two things that may be.
  if (inferred.balance.hasJumped) return { ...known, direct: NOTHING_MEASURED, prior: null };
  return { ...known, direct: ratelessTicks >= BELIEVED_TICKS ? NOTHING_MEASURED : direct, prior };
}

/**
 * The broker's own rates as long as they are fresh. Without them the rate that was measured last and the one that is inferred now are
 * heard as far as each is sure of itself, and arrivals are what the balance says for that rate.
 */
export function estimatesOf(
  { direct, inferred, ratelessTicks, prior }: EstimatesState,
  program: ProgramConfig,
): Estimates {
  const balance = inferredOf(inferred, program);
  const counted = measuredRates(direct);
  const isFresh = ratelessTicks === 0;
  const seen = isFresh ? firstKnown(counted.mu, balance.mu) : laterOf(counted.mu, ratelessTicks, balance.mu, program);
  const { mu, weight } = withPrior({ mu: seen.rate, weight: seen.weight }, prior, program);
  const inferredLambda = isFresh && counted.mu.value !== null ? UNKNOWN_RATE : balance.lambdaFor(mu);
  const lambda = [inferredLambda, counted.lambda].find(({ value }) => value !== null) ?? prior?.lambda ?? UNKNOWN_RATE;
  const isMeasured = direct.since !== null && isFresh;
  const sloSec = program.sloDrainTime ?? Number.NaN;
  const isNothing = lambda.value !== null && lambda.value * sloSec < NO_MESSAGES;
  return {
    mu: mu.value,
    lambda: isNothing ? 0 : lambda.value && tidy(lambda.value),
    muInterval: mu.interval,
    lambdaInterval: isNothing && lambda.interval !== null ? { ...lambda.interval, low: 0 } : lambda.interval,
    source: mu.value === null ? 0 : weight > 0.5 ? 2 : 1,
    spread: isMeasured ? null : balance.spread,
    needsProbe: !isMeasured && (mu.value === null || weight > 0.5) && balance.needsProbe && !isSurePrior(prior),
  };
}

interface Weighed {
  readonly rate: Rate;
  /** Share of the balance in it. */
  readonly weight: number;
}

const firstKnown = (counted: Rate, balance: Rate): Weighed =>
  counted.value === null ? { rate: balance, weight: 1 } : { rate: counted, weight: 0 };

/** The seed switches over as soon as it can. */
const laterOf = (counted: Rate, ticks: number, balance: Rate, { maxStep }: ProgramConfig): Weighed => {
  if (maxStep !== 1) return weighed(counted, ticks, balance);
  return balance.value === null ? { rate: counted, weight: 0 } : { rate: balance, weight: 1 };
};

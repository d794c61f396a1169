/**
 * Which of the two estimators is believed, and for how long one that learns nothing more. DESIGN 2.3. Pure.
 */
import type { MuSource } from "../../model/decision.ts";
import type { ProgramConfig } from "../program.ts";
import { tidy } from "../shared/exact.ts";
import { type DirectState, learnDirect, missDirect, NOTHING_MEASURED } from "./estimator-direct.ts";
import {
  learnRegression,
  missRegression,
  NOTHING_INFERRED,
  needsProbe,
  type RegressionState,
  spreadOf,
} from "./estimator-regression.ts";
import { hasRates, type Tick } from "./reading.ts";

export interface EstimatesState {
  readonly direct: DirectState;
  readonly regression: RegressionState;
  /** Ticks in a row in which the queue could not be read. */
  readonly blindTicks: number;
  /** Ticks with work waiting since the broker last gave a rate. */
  readonly ratelessTicks: number;
  /** Ticks in a row without rates in which nothing waited. */
  readonly emptyTicks: number;
}

export const NO_ESTIMATES: EstimatesState = {
  direct: NOTHING_MEASURED,
  regression: NOTHING_INFERRED,
  blindTicks: 0,
  ratelessTicks: 0,
  emptyTicks: 0,
};

export interface Estimates {
  readonly mu: number | null;
  readonly lambda: number | null;
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
  state: EstimatesState,
  tick: Tick | null,
  dtSec: number,
  ordered: number | null,
  program: ProgramConfig,
): EstimatesState {
  if (tick === null) {
    const blindTicks = Math.min(state.blindTicks + 1, BELIEVED_TICKS);
    if (blindTicks >= BELIEVED_TICKS) return { ...NO_ESTIMATES, blindTicks };
    return {
      ...state,
      direct: missDirect(state.direct, dtSec),
      regression: missRegression(state.regression),
      blindTicks,
    };
  }
  if (hasRates(tick.rates)) {
    return {
      direct: learnDirect(state.direct, tick, program),
      regression: missRegression(state.regression),
      blindTicks: 0,
      ratelessTicks: 0,
      emptyTicks: 0,
    };
  }
  const regression = learnRegression(state.regression, tick, ordered, program);
  const direct = missDirect(state.direct, dtSec);
  if (tick.ready === 0) {
    const emptyTicks = Math.min(state.emptyTicks + 1, EMPTY_TICKS);
    const believed = emptyTicks < EMPTY_TICKS ? 1 : 1 - FADE_PER_TICK;
    return {
      ...state,
      direct: faded(direct, believed),
      regression: faded(regression, believed),
      blindTicks: 0,
      emptyTicks,
    };
  }
  const ratelessTicks = Math.min(state.ratelessTicks + 1, BELIEVED_TICKS);
  const isStale = ratelessTicks >= BELIEVED_TICKS;
  return { direct: isStale ? NOTHING_MEASURED : direct, regression, blindTicks: 0, ratelessTicks, emptyTicks: 0 };
}

function faded<Estimate extends { readonly lambda: number | null }>(estimate: Estimate, by: number): Estimate {
  return { ...estimate, lambda: estimate.lambda && tidy(estimate.lambda * by) };
}

/** The broker's own rates as long as they are fresh; then the regression if it knows, else the rates until they are stale. */
export function estimatesOf({ direct, regression, ratelessTicks }: EstimatesState, sloSec: number): Estimates {
  const isInferred = direct.mu === null || (ratelessTicks > 0 && regression.mu !== null);
  const { mu, lambda } = isInferred
    ? { mu: regression.mu, lambda: regression.mu === null ? direct.lambda : regression.lambda }
    : direct;
  const isMeasured = direct.since !== null && ratelessTicks === 0;
  return {
    mu,
    lambda: lambda !== null && lambda * sloSec < NO_MESSAGES ? 0 : lambda,
    source: mu === null ? 0 : isInferred ? 2 : 1,
    spread: isMeasured ? null : spreadOf(regression.samples),
    needsProbe: !isMeasured && (mu === null || isInferred) && needsProbe(regression),
  };
}

/** Which estimator reads the backlog: the seed's own where `max_step = 1` asks for the seed. DESIGN 2.3. Pure. */
import type { ProgramConfig } from "../program.ts";
import { tidy } from "../shared/exact.ts";
import {
  type BalanceState,
  balanceLambda,
  balanceMu,
  balanceSpread,
  fadeBalance,
  learnBalance,
  missBalance,
  NOTHING_BALANCED,
  needsOtherCounts,
} from "./estimator-balance.ts";
import {
  fittedRates,
  type LeastSquaresState,
  learnLeastSquares,
  missLeastSquares,
  NOTHING_FITTED,
  needsSpread,
  sampleSpread,
} from "./estimator-least-squares.ts";
import type { Rate } from "./rate.ts";
import type { Tick } from "./reading.ts";

/** Only the one in use learns. */
export interface InferredState {
  readonly leastSquares: LeastSquaresState;
  readonly balance: BalanceState;
}

export const NOTHING_INFERRED: InferredState = { leastSquares: NOTHING_FITTED, balance: NOTHING_BALANCED };

export interface Inferred {
  readonly mu: Rate;
  /** lambda, for the best that is known of mu. */
  readonly lambdaFor: (mu: Rate) => Rate;
  readonly spread: number;
  readonly needsProbe: boolean;
}

export function missInferred({ leastSquares, balance }: InferredState): InferredState {
  return { leastSquares: missLeastSquares(leastSquares), balance: missBalance(balance) };
}

/** The filters begin anew; the seed keeps its half hour. */
export function forgetInferred({ leastSquares }: InferredState): InferredState {
  return { leastSquares: missLeastSquares(leastSquares), balance: NOTHING_BALANCED };
}

/** @param by how much of lambda is still believed */
export function fadeInferred({ leastSquares, balance }: InferredState, by: number): InferredState {
  const { lambda } = leastSquares;
  return {
    leastSquares: { ...leastSquares, lambda: lambda && tidy(lambda * by) },
    balance: fadeBalance(balance, by),
  };
}

/**
 * @param ordered live workers that the tick before asked for; `null`: unknown
 * @param best    what is known of mu, from here or elsewhere
 */
export function learnInferred(
  state: InferredState,
  tick: Tick,
  ordered: number | null,
  best: Rate,
  program: ProgramConfig,
): InferredState {
  return program.maxStep === 1
    ? { ...state, leastSquares: learnLeastSquares(state.leastSquares, tick, ordered, program) }
    : { ...state, balance: learnBalance(state.balance, tick, ordered, best) };
}

export function inferredOf({ leastSquares, balance }: InferredState, { maxStep }: ProgramConfig): Inferred {
  if (maxStep !== 1) {
    return {
      mu: balanceMu(balance),
      lambdaFor: (mu) => balanceLambda(balance, mu),
      spread: balanceSpread(balance),
      needsProbe: needsOtherCounts(balance),
    };
  }
  const { mu, lambda } = fittedRates(leastSquares);
  const spread = sampleSpread(leastSquares.samples);
  return { mu, lambdaFor: () => lambda, spread, needsProbe: needsSpread(leastSquares) };
}

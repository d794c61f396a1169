/** lambda from what the broker says of arrivals: smoothed, and begun anew when the load is another. DESIGN 2.3, 2.9. Pure. */
import { tidy } from "../shared/exact.ts";
import type { News } from "./broker-window.ts";
import { type Confidence, learnConfidence, UNEVEN } from "./confidence.ts";
import { gainOf, type Smoothing, surpriseOf } from "./smoothing.ts";

export interface ArrivalState {
  /** Messages/s arriving; `null`: unknown. */
  readonly lambda: number | null;
  /** How much of `lambda` was seen, in [0, 1]. */
  readonly lambdaWeight: number;
  readonly lambdaConfidence: Confidence;
  /** -1, 1: the last window was surprisingly quiet, or busy. 0: it was as expected. */
  readonly lambdaSurprise: number;
}

export const NO_ARRIVALS: ArrivalState = {
  lambda: null,
  lambdaWeight: 0,
  lambdaConfidence: UNEVEN,
  lambdaSurprise: 0,
};

export function learnArrivals(
  state: ArrivalState,
  { window: { sec }, arrivalRate: sample, arrivalSec }: News,
  { alphaLambda, maxStep }: Smoothing,
): ArrivalState {
  const { lambda, lambdaWeight, lambdaConfidence, lambdaSurprise } = state;
  if (sample === null) return { lambda, lambdaWeight, lambdaConfidence, lambdaSurprise };
  const window = { rate: sample, exposure: arrivalSec };
  const now = sec > 0 ? surpriseOf(lambdaConfidence, lambda, window) : 0;
  const isNew = lambda === null || (maxStep !== 1 && now !== 0 && now === lambdaSurprise);
  const averaged = gainOf(isNew ? 0 : lambdaWeight, alphaLambda);
  // The seed takes its first window for the truth, and lets it fade.
  const gain = maxStep === 1 && !isNew ? alphaLambda : averaged.ofWindow;
  return {
    lambda: isNew ? tidy(sample) : tidy(lambda + gain * (sample - lambda)),
    lambdaWeight: averaged.weight,
    // Of the very first reading nobody knows how long its rate was taken.
    lambdaConfidence: sec > 0 ? learnConfidence(lambdaConfidence, window, gain) : lambdaConfidence,
    lambdaSurprise: isNew ? 0 : now,
  };
}

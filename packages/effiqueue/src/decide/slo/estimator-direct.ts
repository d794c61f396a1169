/** mu and lambda from what the broker itself counts: nothing is inferred. DESIGN 2.3. Pure. */
import { type ArrivalState, learnArrivals, NO_ARRIVALS } from "./arrival-rate.ts";
import { type BrokerState, hearBroker, missBroker, type News, NOTHING_SAID } from "./broker-window.ts";
import { type Confidence, intervalOf, reachOf } from "./confidence.ts";
import { type Rate, rateWithin, UNKNOWN_RATE } from "./rate.ts";
import type { Tick } from "./reading.ts";
import { learnService, NO_SERVICE, type ServiceState } from "./service-rate.ts";
import type { Smoothing } from "./smoothing.ts";

export interface DirectState extends BrokerState, ServiceState, ArrivalState {
  /** What this tick told; `null`: nothing new. */
  readonly news: News | null;
}

export const NOTHING_MEASURED: DirectState = { ...NO_SERVICE, ...NO_ARRIVALS, ...NOTHING_SAID, news: null };

/** The queue could not be read, or only without its rates. */
export const missDirect = (state: DirectState, dtSec: number): DirectState => ({
  ...missBroker(state, dtSec),
  news: null,
});

/** @param tick with the total or the rate of what was finished (`hasRates`) */
export function learnDirect(state: DirectState, tick: Tick, smoothing: Smoothing): DirectState {
  const { broker, news } = hearBroker(state, tick);
  if (news === null) return { ...state, ...broker, news };
  return {
    ...state,
    ...broker,
    news,
    ...learnService(state, news, smoothing),
    ...learnArrivals(state, news, smoothing),
  };
}

/** @returns mu and lambda with their intervals */
export function measuredRates({ mu, lambda, muConfidence, lambdaConfidence }: DirectState): {
  readonly mu: Rate;
  readonly lambda: Rate;
} {
  return {
    // Times were smoothed, so the error is one of times: below mu there is less room than above.
    mu: rateOr(mu, muConfidence, (rate) => rateWithin(rate, Math.exp(reachOf(muConfidence, rate) / rate))),
    lambda: rateOr(lambda, lambdaConfidence, (value) => ({ value, interval: intervalOf(lambdaConfidence, value) })),
  };
}

function rateOr(value: number | null, { variance }: Confidence, of: (rate: number) => Rate): Rate {
  if (value === null) return UNKNOWN_RATE;
  return variance === 0 ? { value, interval: null } : of(value);
}

/**
 * The hpa policy: what the load asks for, smoothed over time. A state machine without a clock: time is what the observations say
 * has passed. DESIGN 8.5, 8.6, 8.7. Pure.
 */
import type { Decision } from "../../model/decision.ts";
import type { Observation } from "../../model/observation.ts";
import type { Policy } from "../../model/ports.ts";
import { currentOf } from "../../model/worker.ts";
import { type Capacity, withCapacity } from "../shared/capacity.ts";
import { clamp } from "../shared/clamp.ts";
import { elapsedSec } from "../shared/known.ts";
import { limited, limitedNow } from "../shared/limits.ts";
import { overridden } from "../shared/override.ts";
import { type Chain, decisionOf, lastOf } from "../shared/rationale.ts";
import {
  ageRecommendations,
  type RecommendationHistory,
  rememberRecommendation,
  stabilise,
} from "../shared/stabilise.ts";
import { assertHpaConfig, type HpaConfig } from "./config.ts";
import { recommend } from "./desired.ts";

/** What is carried from tick to tick; plain JSON. */
export interface HpaState {
  /** `null` until the queue was read for the first time. */
  readonly history: RecommendationHistory | null;
  /** What was decided when the queue was last readable; `null`: it never was. */
  readonly target: number | null;
}

export function initialHpaState(): HpaState {
  return { history: null, target: null };
}

export interface HpaStep {
  readonly state: HpaState;
  readonly decision: Decision;
  /** Live workers that there would be if memory were no limit. */
  readonly wanted: number;
}

/**
 * One tick.
 *
 * @param capacity of the machine; without it only the ceiling is a limit
 * @throws HpaConfigError for a configuration out of range, RangeError for worker counts that are none
 */
export function stepHpa(
  given: HpaConfig,
  state: HpaState,
  observation: Observation,
  capacity: Capacity = unlimited(given),
): HpaStep {
  assertHpaConfig(given);
  const config = limitedNow(given, observation);
  const { queue, workers } = observation;
  const current = currentOf(workers);
  const { chain, readable } = recommend(
    {
      pending: queue === null ? null : queue.ready,
      running: queue === null ? null : queue.unacked,
      runningOnDraining: queue?.unackedByDraining,
      current,
      slots: workers.slots,
    },
    config,
  );
  const past = state.history && ageRecommendations(state.history, elapsedSec(observation.dtSec), config);
  const decided = (own: Chain): Decision =>
    decisionOf(overridden(own, current, observation, config, capacity), current);
  if (!readable) {
    const { target } = state;
    const own = held(chain, target, capacity, config);
    return {
      state: { history: past, target },
      decision: decided(own),
      wanted: Math.max(target ?? 0, lastOf(own).workers),
    };
  }

  // A restarted controller knows nothing of the past: it takes the pool it finds for what was last recommended.
  const known = past ?? rememberRecommendation([], clamp(current, config.minWorkers, config.maxWorkers));
  const history = rememberRecommendation(known, lastOf(chain).workers);
  const wish = stabilised(chain, known, current, config);
  const decision = decided(limited(withCapacity(wish, capacity), config));
  return { state: { history, target: decision.desired }, decision, wanted: lastOf(wish).workers };
}

const unlimited = ({ maxWorkers }: HpaConfig): Capacity => ({
  workers: maxWorkers,
  boundBy: "max_workers",
  workerBytes: null,
  isUnknown: false,
});

/** The policy bound to its configuration, as the loop takes it. Throws HpaConfigError at once, not at the first tick. */
export function hpaPolicy(config: HpaConfig): Policy<HpaState> {
  assertHpaConfig(config);
  return {
    initialState: initialHpaState,
    step: (state, observation) => stepHpa(config, state, observation),
  };
}

function stabilised(chain: Chain, history: RecommendationHistory, current: number, config: HpaConfig): Chain {
  const { workers, heldBy } = stabilise(history, lastOf(chain).workers, current, config);
  if (heldBy === null) return chain;
  const windowSec = heldBy === "up-window" ? config.scaleUpWindowSec : config.scaleDownWindowSec;
  return [...chain, { workers, reason: heldBy, phrase: `${heldBy} of ${windowSec} s holds ${workers}` }];
}

/** Workers that die while nobody can see the load were wanted when it was last seen: else an outage would wear the pool down. */
function held(chain: Chain, target: number | null, capacity: Capacity, config: HpaConfig): Chain {
  const present = lastOf(chain).workers;
  if (target === null || target <= present) return chain;
  const wish: Chain = [...chain, { workers: target, reason: "unreadable", phrase: `${target} were last decided` }];
  return limited(withCapacity(wish, { ...capacity, workers: Math.max(present, capacity.workers) }), config);
}

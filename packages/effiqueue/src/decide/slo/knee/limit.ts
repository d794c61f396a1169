/** What the knee allows: as part of what the machine can hold, and as the last word on what is asked for. DESIGN 2.16. Pure. */
import type { Capacity } from "../../shared/capacity.ts";
import { type Chain, lastOf } from "../../shared/rationale.ts";
import type { KneeState } from "./knee.ts";

/** Workers beyond the knee are no capacity. */
export function capacityWithKnee(capacity: Capacity, { knee }: KneeState): Capacity {
  return knee === null || knee.workers >= capacity.workers
    ? capacity
    : { ...capacity, workers: knee.workers, boundBy: knee.boundBy };
}

/** Workers to come back to after a trial. */
export const keptIn = ({ trial }: KneeState): number | undefined =>
  trial === null ? undefined : Math.max(trial.workers, trial.held.workers);

export function withKnee(chain: Chain, { trial, knee }: KneeState): Chain {
  const { workers } = lastOf(chain);
  if (trial !== null && trial.workers < workers) {
    const phrase = `${trial.workers} for a while, to see what more workers are good for`;
    return [...chain, { workers: trial.workers, reason: "trial", phrase }];
  }
  if (trial !== null || knee === null || knee.workers >= workers) return chain;
  const phrase = `more than ${knee.workers} finish no more`;
  return [...chain, { workers: knee.workers, reason: knee.boundBy, phrase }];
}

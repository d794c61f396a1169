/** Floor and ceiling as a rule that leaves its reason, the same in every mode. DESIGN 2.6, 8.7, 5.5. Pure. */
import type { Observation } from "../../model/observation.ts";
import type { Limits } from "../../model/schedule.ts";
import { clamp } from "./clamp.ts";
import { type Chain, lastOf } from "./rationale.ts";

export function limited(chain: Chain, limits: Limits): Chain {
  const { workers: wish } = lastOf(chain);
  const workers = clamp(wish, limits.minWorkers, limits.maxWorkers);
  if (workers === wish) return chain;
  return workers > wish
    ? [...chain, { workers, reason: "min-workers", phrase: floorText(limits) }]
    : [...chain, { workers, reason: "max-workers", phrase: `ceiling is ${workers}${by(limits.ceilingBy)}` }];
}

export const floorText = ({ minWorkers, floorBy }: Limits): string => `floor is ${minWorkers}${by(floorBy)}`;

const by = (schedule: string | undefined): string => (schedule === undefined ? "" : ` by schedule ${schedule}`);

/**
 * The program with the floor and ceiling of this tick.
 *
 * @throws RangeError for limits that are none: those are made by a program, not by an operator
 */
export function limitedNow<T extends Limits>(program: T, { limits }: Observation): T {
  if (limits === undefined) return program;
  const { minWorkers, maxWorkers } = limits;
  const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;
  if (!isCount(minWorkers) || !isCount(maxWorkers) || minWorkers > maxWorkers) {
    throw new RangeError(`limits: expected 0 <= minWorkers <= maxWorkers, got ${minWorkers} and ${maxWorkers}`);
  }
  return { ...program, ...limits };
}

/**
 * What is missing when the machine is too small for the SLO: said as a result of its own, not found out from an OOM kill.
 * DESIGN 3.1, 3.2, 3.3. Pure.
 */
import { type FeasibilityGap, isAtKnee } from "../../model/decision.ts";
import type { Capacity } from "../shared/capacity.ts";
import { decimalOf, isMore, times } from "../shared/exact.ts";

export interface Demand {
  readonly needed: number;
  readonly backlog: number;
  readonly lambda: number;
  readonly mu: number;
}

/** `null` when the capacity is enough. */
export function gapOf(demand: Demand, { workers: capacity, boundBy, workerBytes }: Capacity): FeasibilityGap | null {
  const workers = demand.needed - capacity;
  if (workers <= 0) return null;
  const bytes = workerBytes === null || isAtKnee(boundBy) ? null : workers * workerBytes;
  return { workers, bytes, bestDrainSec: bestDrainSec(demand, capacity) };
}

/** Seconds until the backlog is gone with all the capacity at work; `Infinity` as soon as arrivals are no slower than that. */
function bestDrainSec({ backlog, lambda, mu }: Demand, capacity: number): number {
  // In doubles 3 x 0.1 is more than 0.3, and "never" would become "in half a million years".
  const keepsUp = isMore(times(decimalOf(mu), decimalOf(capacity)), decimalOf(lambda));
  return keepsUp ? backlog / (mu * capacity - lambda) : Number.POSITIVE_INFINITY;
}

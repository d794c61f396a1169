/** Which readings are numbers at all. What is none is unknown, and never zero. DESIGN 2.3. Pure. */
import type { Measured } from "../../model/observation.ts";

/** A rate, size or total; `null`: unknown. */
export function known(value: Measured): number | null {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : null;
}

/** A number of messages or workers; `null`: unknown. */
export function knownCount(value: Measured): number | null {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

/** Seconds that have passed. A time that cannot be has not: what it would end goes on, which holds the pool. */
export function elapsedSec(dtSec: number): number {
  return Number.isFinite(dtSec) && dtSec > 0 ? dtSec : 0;
}

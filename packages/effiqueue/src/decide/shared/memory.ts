/** What a worker takes, and what all of them may take, from readings that may be missing. DESIGN 2.5. Pure. */
import type { Measured, MemoryReading } from "../../model/observation.ts";
import { known } from "./known.ts";

/** Part of the worker's size that is forgotten in a tick: half of it in 70 ticks. */
const FORGOTTEN_PER_TICK = 0.01;

/**
 * The size to reckon with: the largest live worker, or larger ones of the recent past. Replacing all workers at once must
 * not look like room for more, because a young worker has not touched its pages yet.
 *
 * @param remembered what this function returned at the tick before; `null` at first
 */
export function workerBytesOf(memory: MemoryReading | null | undefined, remembered: number | null): number | null {
  const largest = known(memory?.largestWorkerBytes) ?? 0;
  const faded = (remembered ?? 0) * (1 - FORGOTTEN_PER_TICK);
  // With nobody left to measure there is nothing to correct the memory by.
  const bytes = largest === 0 ? (remembered ?? 0) : Math.max(largest, Math.floor(faded));
  return bytes > 0 ? bytes : null;
}

/** What the machine has, less what is not the pool's, less what the system keeps; `null`: unknown. */
export function derivedBudget(
  machine: { readonly totalBytes: Measured; readonly usedBytes: Measured } | null | undefined,
  poolBytes: Measured,
  headroomBytes: number,
): number | null {
  const total = known(machine?.totalBytes);
  const used = known(machine?.usedBytes);
  const pool = known(poolBytes);
  if (total === null || used === null || pool === null) return null;
  // Shared pages may make the sum of the workers larger than what is in use at all.
  const others = Math.max(0, used - pool);
  return Math.max(0, total - others - headroomBytes);
}

/**
 * What a worker takes once it has grown: learnt from the workers that live, remembered for those to come. DESIGN 2.10. Pure.
 */
import type { MemoryReading } from "../../model/observation.ts";
import type { WorkerMarkLimits } from "../../model/ports.ts";
import { known } from "./known.ts";

/** Replacing all workers at once must not look like room for more; and what they took yesterday is no reason to keep memory free. */
const HALF_FORGOTTEN_SEC = 600;

type Memory = MemoryReading | null | undefined;

/**
 * Bytes that a worker is reckoned to take: those that have not grown so far keep them reserved.
 *
 * @param remembered what this function returned at the tick before; `null` at first
 */
export function workerMark(
  memory: Memory,
  remembered: number | null,
  { dtSec, maxBytes }: WorkerMarkLimits,
): number | null {
  const sizes = sizesOf(memory);
  // With nobody to measure there is nothing to correct what is remembered by.
  const faded = (remembered ?? 0) * (sizes.length === 0 ? 1 : 0.5 ** ((known(dtSec) ?? 0) / HALF_FORGOTTEN_SEC));
  const mark = Math.max(faded, usualOf(faded > 0 ? [...sizes, faded] : sizes));
  return mark > 0 ? Math.min(Math.ceil(mark), maxBytes ?? Number.POSITIVE_INFINITY) : null;
}

/** Bytes that single workers take beyond the mark: theirs alone, and gone from what the others can have. */
export function bytesBeyond(memory: Memory, mark: number): number {
  return sizesOf(memory).reduce((sum, size) => sum + Math.max(0, size - mark), 0);
}

/** The second largest of three or more voices: one that is larger than all others is an odd one, two are a rule. */
function usualOf(voices: readonly number[]): number {
  const [first = 0, second = 0, third] = voices.toSorted((a, b) => b - a);
  return third === undefined ? first : second;
}

/** A reading that does not tell of each worker tells of the largest. */
function sizesOf(memory: Memory): readonly number[] {
  const sizes = memory?.workers?.map(({ bytes }) => bytes) ?? [memory?.largestWorkerBytes];
  return sizes.map((size) => known(size) ?? 0).filter((size) => size > 0);
}

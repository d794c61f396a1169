/**
 * Who goes first when the pool shrinks. DESIGN 4.4. Pure.
 */
import type { WorkerState } from "../model/worker.ts";

export interface Candidate {
  readonly state: WorkerState;
  readonly startedAt: number;
}

/**
 * The current workers, best victim first: starting ones (the youngest first, it has done least), then idle ones, then
 * the rest; those oldest first, so that none grows old for ever. Retiring and draining ones are no candidates.
 *
 * @param isIdle whether the directory says that it runs nothing; without a directory nobody is known to be idle
 */
export function victimOrder<T extends Candidate>(workers: readonly T[], isIdle: (worker: T) => boolean): T[] {
  const starting = workers.filter(({ state }) => state === "starting").sort((a, b) => b.startedAt - a.startedAt);
  const serving = workers.filter(({ state }) => state === "serving").sort((a, b) => a.startedAt - b.startedAt);
  return [...starting, ...serving.filter(isIdle), ...serving.filter((worker) => !isIdle(worker))];
}

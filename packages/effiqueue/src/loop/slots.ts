/**
 * How many jobs the pool can run at once, from what its workers publish. DESIGN 8.1. Pure.
 */
import { viewOf, type WorkerSnapshot, type WorkerView } from "../model/worker.ts";

export interface MeasuredSlots {
  /**
   * Slots of all starting and serving workers, whole. Those that publish none yet count as the mean of the others: counted as
   * configured, a pool whose workers have fewer would shrink at each growth, since the new ones seem to be worth more.
   */
  readonly total: number;
  /** Slots of each worker that publishes them; never empty. */
  readonly published: readonly number[];
}

/** `null` when no worker publishes its slots. */
export function measureSlots(
  workers: readonly WorkerSnapshot[],
  views: readonly WorkerView[] | null,
): MeasuredSlots | null {
  const current = workers.filter(({ state }) => state === "starting" || state === "serving");
  const published = current.flatMap(({ identity }) => {
    const view = viewOf(identity, views);
    return view === undefined ? [] : [view.slots];
  });
  if (published.length === 0) return null;
  const sum = published.reduce((total, slots) => total + slots, 0);
  return { total: Math.round((sum * current.length) / published.length), published };
}

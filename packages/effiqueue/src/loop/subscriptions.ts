/**
 * Which workers take work already, where the pool cannot tell but the broker counts consumers. A worker that still loads its
 * application drains nothing, and counted as if it did it would make all of them look slow. DESIGN 7.7. Pure.
 */
import type { QueueReading, WorkersReading } from "../model/observation.ts";
import type { WorkerSnapshot } from "../model/worker.ts";
import type { MonotonicMs } from "../units.ts";

/** When everybody who lived was known to take work, and how many consumers there were then, strangers' included. */
export interface Subscriptions {
  readonly consumers: number;
  readonly at: MonotonicMs;
}

/** Longer than an application takes to load on a busy machine. A worker that shows no consumer after that polls. */
const STARTS_WITHIN_MS = 30_000;

/**
 * @param before what this function returned at the tick before; `null` at first
 * @param workers as the pool counts them; where it knows who starts, it is believed
 */
export function subscribed(
  before: Subscriptions | null,
  workers: WorkersReading,
  snapshot: readonly WorkerSnapshot[],
  queue: QueueReading | null,
  now: MonotonicMs,
): { readonly workers: WorkersReading; readonly subscriptions: Subscriptions | null } {
  const consumers = queue?.consumers;
  if (typeof consumers !== "number" || workers.starting > 0) return { workers, subscriptions: before };
  const serving = snapshot.filter(({ state }) => state === "serving");
  const young = serving.filter(
    ({ startedAt }) => startedAt > (before?.at ?? 0) && now - startedAt < STARTS_WITHIN_MS,
  ).length;
  const isPolled = consumers === 0 && (young < serving.length || (queue?.unacked ?? 0) > 0);
  const risen = Math.max(0, consumers - (before?.consumers ?? 0));
  const starting = isPolled ? 0 : Math.max(0, young - risen);
  if (starting === 0) return { workers, subscriptions: { consumers, at: now } };
  // Who leaves meanwhile takes its consumer along, and must not hide the one that comes next.
  const subscriptions = before && { consumers: Math.min(before.consumers, consumers), at: before.at };
  return { workers: { ...workers, starting, serving: workers.serving - starting }, subscriptions };
}

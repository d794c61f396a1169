/**
 * How much work a queue holds, as the control loop reads it: from flexiq's own file, or from any object with `stats()`.
 * DESIGN 11.1, 9.6, 9.9.
 */
import { inspect } from "node:util";
import type { Clock, QueueReading, QueueSource } from "effiqueue";
import { FlexiqError } from "../errors.ts";
import type { Store } from "../store/store.ts";
import type { LostWorker } from "../store/types.ts";
import type { AutoscaleMode } from "./options.ts";

/** What the autoscaler needs of a queue that is not flexiq's. */
export interface StatsQueue {
  /** Whole numbers >= 0: jobs due and waiting, jobs handed out. Throws, or rejects, when they cannot be had. */
  stats(): QueueCounts | Promise<QueueCounts>;
  /** Jobs that one worker process runs at a time. Default 4. */
  readonly workers?: number;
}

export interface QueueCounts {
  readonly pending: number;
  readonly running: number;
  /** Seconds that the oldest of those jobs waits: what `sloWaitTimeSec` needs. `null`: none does. */
  readonly oldestPendingAgeSec?: number | null;
  /** Jobs that became due, and that ended, since the queue exists: mode slo then measures rates, which it infers otherwise. */
  readonly arrivedTotal?: number;
  readonly finishedTotal?: number;
}

/** @throws TypeError for what cannot be a queue: a missing export, most of all */
export function assertStatsQueue(queue: unknown): asserts queue is StatsQueue {
  const stats: unknown = typeof queue === "object" && queue !== null && "stats" in queue ? queue.stats : undefined;
  if (typeof stats === "function") return;
  throw new TypeError(
    `queue: expected a Queue, or an object with a method stats(), got ${inspect(queue, { depth: 0 })}`,
  );
}

/** It lost its jobs to others, and may be alive. */
export interface SilentWorker {
  readonly pid: number;
  readonly jobs: number;
  readonly silentMs: number;
}

/**
 * Jobs of workers whose death is provable go back first, so that none of them counts as running. Totals are for mode slo alone:
 * to count what is scheduled costs the more the more of it there is.
 */
export const storeSource = (
  store: Store,
  clock: Clock,
  mode: AutoscaleMode,
  onSilent: (worker: SilentWorker) => void,
): QueueSource =>
  sourceOf(clock, async () => {
    for (const { identity, jobs, silentMs } of await reclaim(store)) {
      if (silentMs !== null) onSilent({ pid: identity.pid, jobs, silentMs });
    }
    const load = mode === "slo" ? await store.flow() : await store.load();
    return { unackedByDraining: load.runningOnCordoned, ...readingOf(load) };
  });

export const statsSource = (queue: StatsQueue, clock: Clock): QueueSource =>
  sourceOf(clock, async () => {
    const stats: unknown = await queue.stats();
    // What else it says is a measurement: nonsense among it is unknown, as everywhere.
    return readingOf({
      ...(stats as QueueCounts),
      pending: countOf(stats, "pending"),
      running: countOf(stats, "running"),
    });
  });

function readingOf(counts: QueueCounts): QueueReading {
  const { pending, running, oldestPendingAgeSec, arrivedTotal, finishedTotal } = counts;
  return {
    ready: pending,
    unacked: running,
    ...(typeof oldestPendingAgeSec === "number" ? { oldestAgeSec: oldestPendingAgeSec } : {}),
    ...(arrivedTotal === undefined ? {} : { publishedTotal: arrivedTotal }),
    ...(finishedTotal === undefined ? {} : { ackedTotal: finishedTotal }),
  };
}

function sourceOf(clock: Clock, read: () => Promise<QueueReading>): QueueSource {
  return {
    read: async () => {
      try {
        return { kind: "ok", value: await read(), at: clock.monotonicMs() };
      } catch (error) {
        const cause = error instanceof Error ? error : new Error(String(error));
        return { kind: "unreadable", cause, at: clock.monotonicMs() };
      }
    },
  };
}

/** A file that others write to can still be read: the dead are found at the next tick, or by a worker. */
async function reclaim(store: Store): Promise<readonly LostWorker[]> {
  try {
    return (await store.reclaim()).workers;
  } catch (error) {
    if (!(error instanceof FlexiqError && error.code === "busy")) throw error;
    return [];
  }
}

function countOf(stats: unknown, name: "pending" | "running"): number {
  const value: unknown =
    typeof stats === "object" && stats !== null && name in stats ? (stats as QueueCounts)[name] : undefined;
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value;
  throw new TypeError(`stats().${name}: expected a whole number >= 0, got ${String(value)}`);
}

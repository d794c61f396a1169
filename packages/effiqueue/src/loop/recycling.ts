/**
 * Which worker is to be replaced, if any: one at a time, and only while the pool is whole and well. DESIGN 4.10. Pure.
 */
import type { Growth, RecycleLimits, RecycleReason } from "../model/recycling.ts";
import { currentOf, type PoolCounts, viewOf, type WorkerSnapshot, type WorkerView } from "../model/worker.ts";
import { type MonotonicMs, msToSec } from "../units.ts";

/** A worker that has to go, and by how much it is above its limit: in s, bytes or jobs; `null`: it is not what it would be now, or is to be restarted. */
export interface Overdue {
  readonly pid: number;
  readonly why: RecycleReason;
  readonly value: number | null;
  readonly limit: number | null;
}

export interface PoolNow {
  readonly now: MonotonicMs;
  readonly workers: readonly WorkerSnapshot[];
  readonly counts: PoolCounts;
  /** Workers that do not take work yet, as far as anybody can tell. */
  readonly starting: number;
  readonly desired: number;
  readonly backoffSec: number;
  /** By the pid of the worker; without it memory is no reason. */
  readonly groupBytes: ReadonlyMap<number, number> | undefined;
  readonly views: readonly WorkerView[] | null;
  /** Pids of those that an operator wants replaced. */
  readonly restarting: ReadonlySet<number>;
  /** As the decision of this tick knows it. */
  readonly growth: Growth | undefined;
}

/** The one that is above its limit by the largest factor, then the first that is outdated or to be restarted; `null`: nobody is, or it is not the time. */
export function overdueWorker(limits: RecycleLimits, pool: PoolNow): Overdue | null {
  if (!isWhole(pool)) return null;
  const overdue = pool.workers.flatMap((worker) => excessesOf(worker, limits, pool));
  return overdue.reduce<Overdue | null>(
    (worst, each) => (worst === null || excess(each) > excess(worst) ? each : worst),
    null,
  );
}

/** Everybody is there and takes work, nobody leaves, and new workers do not crash: the next one may go. */
const isWhole = ({ counts, starting, desired, backoffSec }: PoolNow): boolean =>
  currentOf(counts) === desired && starting === 0 && counts.draining === 0 && backoffSec === 0;

const hasLimit = ({ maxAgeSec, maxBytes, maxJobs }: RecycleLimits): boolean =>
  maxAgeSec !== undefined || maxBytes !== undefined || maxJobs !== undefined;

const excess = ({ value, limit }: Overdue): number => (value === null || limit === null ? 0 : value / limit);

function excessesOf(
  { identity, startedAt, outdated }: WorkerSnapshot,
  limits: RecycleLimits,
  pool: PoolNow,
): Overdue[] {
  const { pid } = identity;
  // Whatever its age: nobody who comes in its place is outdated.
  if (outdated === true) return [{ pid, why: "changed", value: null, limit: null }];
  if (pool.restarting.has(pid)) return [{ pid, why: "restart", value: null, limit: null }];
  const { worst, limitBytes } = pool.growth ?? {};
  if (worst?.pid === pid && limitBytes !== undefined) {
    return [{ pid, why: "outgrown", value: worst.bytes, limit: limitBytes }];
  }
  if (!hasLimit(limits)) return [];
  const ageSec = msToSec(pool.now - startedAt);
  if (ageSec < limits.minAgeSec) return [];
  const view = viewOf(identity, pool.views);
  const figures = [
    ["age", ageSec, limits.maxAgeSec],
    ["memory", pool.groupBytes?.get(pid), limits.maxBytes],
    ["jobs", view?.finished, limits.maxJobs],
  ] as const;
  return figures.flatMap(([why, value, limit]) =>
    value !== undefined && limit !== undefined && value >= limit ? [{ pid, why, value, limit }] : [],
  );
}

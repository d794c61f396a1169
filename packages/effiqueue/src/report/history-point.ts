/**
 * What a chart shows of a status: the ring of the daemon and the page, which goes on where the ring ended, take the same. DESIGN 6.7. Pure.
 */
import type { HistoryColumn, HistoryPoint, ProgramStatus } from "./api-types.ts";

export const HISTORY_COLUMNS = [
  "runningWorkers",
  "drainingWorkers",
  "desiredWorkers",
  "neededWorkers",
  "capacityWorkers",
  "backlog",
  "lambdaPerSec",
  "muPerSec",
  "finishedPerSec",
  "poolBytes",
  "budgetBytes",
  "usedBytes",
] as const satisfies readonly HistoryColumn[];

export function pointOf({ queue, workers, memory, decision }: ProgramStatus): HistoryPoint {
  return {
    runningWorkers: workers?.current ?? null,
    drainingWorkers: workers?.draining ?? null,
    desiredWorkers: decision?.desiredWorkers ?? null,
    neededWorkers: decision?.neededWorkers ?? null,
    capacityWorkers: decision?.capacityWorkers ?? null,
    backlog: queue?.backlog ?? null,
    // What the policy takes it for; in the modes that estimate nothing, what the broker counts.
    lambdaPerSec: decision?.lambdaPerSec ?? queue?.publishPerSec ?? null,
    muPerSec: decision?.muPerSec ?? null,
    finishedPerSec: queue?.ackPerSec ?? null,
    poolBytes: memory?.poolBytes ?? null,
    budgetBytes: memory?.budgetBytes ?? null,
    usedBytes: memory?.usedBytes ?? null,
  };
}

/**
 * How many workers this machine can safely hold: the limit that elastic autoscalers do not have. DESIGN 2.5. Pure.
 */
import type { BoundBy } from "../../model/decision.ts";
import type { Observation } from "../../model/observation.ts";
import type { ProgramConfig } from "../program.ts";
import { known } from "../shared/known.ts";
import { derivedBudget } from "../shared/memory.ts";
import { type Chain, lastOf } from "../shared/rationale.ts";
import { bytesBeyond } from "../shared/worker-mark.ts";
import { type Brakes, brakeLimits, type Limit } from "./brakes.ts";

/** At least 1 worker: an empty pool adds nothing to what presses on the machine, and must be able to start. */
export interface Capacity extends Limit {
  /** What one more worker is expected to take; `null` while none was measured. */
  readonly workerBytes: number | null;
}

/** @param workerBytes from `workerMark` */
export function capacityOf(
  program: ProgramConfig,
  observation: Observation,
  workerBytes: number | null,
  brakes: Brakes,
): Capacity {
  const limits: Limit[] = [{ workers: program.maxWorkers, boundBy: "max_workers" }];
  const budget = budgetOf(program, observation);
  if (budget !== null && workerBytes !== null) {
    // A draining worker keeps its memory until it is gone.
    const beyond = bytesBeyond(observation.memory, workerBytes);
    limits.push({
      workers: Math.floor((budget - beyond) / workerBytes) - observation.workers.draining,
      boundBy: "ram",
    });
  }
  limits.push(...brakeLimits(program, brakes, observation));
  const narrowest = limits.reduce((least, each) => (each.workers < least.workers ? each : least));
  // A ceiling of none at all is somebody's wish, not the machine's.
  const least = Math.min(1, program.maxWorkers);
  return { workers: Math.max(least, narrowest.workers), boundBy: narrowest.boundBy, workerBytes };
}

/** Bytes that all workers of this program may take together; `null`: unknown, so no limit. */
function budgetOf(program: ProgramConfig, { memory, budgetBytes }: Observation): number | null {
  const own = program.ramBudget ?? derivedBudget(memory, memory?.poolBytes, program.ramHeadroom ?? 0);
  const left = known(budgetBytes);
  if (own === null || left === null) return own ?? left;
  return Math.min(own, left);
}

const BINDING: Readonly<Partial<Record<BoundBy, string>>> = {
  swap: "swap in use",
  pressure: "memory pressure",
  oom: "a kill for want of memory",
};

export function withCapacity(chain: Chain, { workers, boundBy }: Capacity): Chain {
  if (boundBy === "max_workers" || lastOf(chain).workers <= workers) return chain;
  return [...chain, { workers, reason: boundBy, phrase: `${BINDING[boundBy] ?? "memory"} allows ${workers}` }];
}

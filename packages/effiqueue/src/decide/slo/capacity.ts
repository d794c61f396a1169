/**
 * How many workers this machine can safely hold: the limit that elastic autoscalers do not have. DESIGN 2.5. Pure.
 */
import type { BoundBy } from "../../model/decision.ts";
import type { MemoryReading, Observation } from "../../model/observation.ts";
import type { ProgramConfig } from "../program.ts";
import { known } from "../shared/known.ts";
import { derivedBudget } from "../shared/memory.ts";
import { bytesBeyond } from "../shared/worker-mark.ts";

export interface Capacity {
  /** At least 1: an empty pool adds nothing to what presses on the machine, and must be able to start. */
  readonly workers: number;
  readonly boundBy: BoundBy;
  /** What one more worker is expected to take; `null` while none was measured. */
  readonly workerBytes: number | null;
}

/** @param workerBytes from `workerMark` */
export function capacityOf(program: ProgramConfig, observation: Observation, workerBytes: number | null): Capacity {
  const { starting, serving, draining } = observation.workers;
  const current = starting + serving;
  const limits: { readonly workers: number; readonly boundBy: BoundBy }[] = [
    { workers: program.maxWorkers, boundBy: "max_workers" },
  ];
  const budget = budgetOf(program, observation);
  if (budget !== null && workerBytes !== null) {
    // A draining worker keeps its memory until it is gone.
    const beyond = bytesBeyond(observation.memory, workerBytes);
    limits.push({ workers: Math.floor((budget - beyond) / workerBytes) - draining, boundBy: "ram" });
  }
  if (isSwapping(program, observation.memory)) limits.push({ workers: current, boundBy: "swap" });
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

function isSwapping({ swapRatioCap }: ProgramConfig, memory: MemoryReading | null | undefined): boolean {
  const used = known(memory?.swapUsedBytes);
  const total = known(memory?.swapTotalBytes);
  // Without swap there is nothing to page to, and 0 / 0 is no ratio.
  return used !== null && total !== null && total > 0 && used / total > swapRatioCap;
}

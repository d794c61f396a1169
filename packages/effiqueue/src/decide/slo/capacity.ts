/**
 * How many workers this machine can safely hold: the limit that elastic autoscalers do not have. DESIGN 2.5. Pure.
 */
import type { BoundBy } from "../../model/decision.ts";
import type { MemoryReading, Observation } from "../../model/observation.ts";
import type { ProgramConfig } from "../program.ts";
import { known } from "../shared/known.ts";

export interface Capacity {
  /** At least 1: an empty pool adds nothing to what presses on the machine, and must be able to start. */
  readonly workers: number;
  readonly boundBy: BoundBy;
  /** What one more worker is expected to take; `null` while none was measured. */
  readonly workerBytes: number | null;
}

/** Part of the worker's size that is forgotten in a tick: half of it in 70 ticks. */
const FORGOTTEN_PER_TICK = 0.01;

/**
 * The size to reckon with: the largest live worker, or larger ones of the recent past. Replacing all workers at once must
 * not look like room for more, because a young worker has not touched its pages yet.
 *
 * @param remembered what this function returned at the tick before; `null` at first
 */
export function workerBytesOf(memory: Observation["memory"], remembered: number | null): number | null {
  const largest = known(memory?.largestWorkerBytes) ?? 0;
  const faded = (remembered ?? 0) * (1 - FORGOTTEN_PER_TICK);
  // With nobody left to measure there is nothing to correct the memory by.
  const bytes = largest === 0 ? (remembered ?? 0) : Math.max(largest, Math.floor(faded));
  return bytes > 0 ? bytes : null;
}

/** @param workerBytes from `workerBytesOf` */
export function capacityOf(program: ProgramConfig, observation: Observation, workerBytes: number | null): Capacity {
  const { starting, serving, draining } = observation.workers;
  const current = starting + serving;
  const limits: { readonly workers: number; readonly boundBy: BoundBy }[] = [
    { workers: program.maxWorkers, boundBy: "max_workers" },
  ];
  const budget = budgetOf(program, observation);
  if (budget !== null && workerBytes !== null) {
    // A draining worker keeps its memory until it is gone.
    limits.push({ workers: Math.floor(budget / workerBytes) - draining, boundBy: "ram" });
  }
  if (isSwapping(program, observation.memory)) limits.push({ workers: current, boundBy: "swap" });
  const narrowest = limits.reduce((least, each) => (each.workers < least.workers ? each : least));
  return { workers: Math.max(1, narrowest.workers), boundBy: narrowest.boundBy, workerBytes };
}

/** Bytes that all workers of this program may take together; `null`: unknown, so no limit. */
function budgetOf(program: ProgramConfig, { memory, budgetBytes }: Observation): number | null {
  const own = program.ramBudget ?? derivedBudget(program, memory);
  const left = known(budgetBytes);
  if (own === null || left === null) return own ?? left;
  return Math.min(own, left);
}

/** What the machine has, less what is not ours, less what the system keeps. */
function derivedBudget({ ramHeadroom }: ProgramConfig, memory: Observation["memory"]): number | null {
  const total = known(memory?.totalBytes);
  const used = known(memory?.usedBytes);
  const pool = known(memory?.poolBytes);
  if (total === null || used === null || pool === null) return null;
  // Shared pages may make the sum of the workers larger than what is in use at all.
  const others = Math.max(0, used - pool);
  return Math.max(0, total - others - (ramHeadroom ?? 0));
}

function isSwapping({ swapRatioCap }: ProgramConfig, memory: MemoryReading | null | undefined): boolean {
  const used = known(memory?.swapUsedBytes);
  const total = known(memory?.swapTotalBytes);
  // Without swap there is nothing to page to, and 0 / 0 is no ratio.
  return used !== null && total !== null && total > 0 && used / total > swapRatioCap;
}

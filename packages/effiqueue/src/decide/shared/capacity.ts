/**
 * How many workers this machine can safely hold: the limit that elastic autoscalers do not have. One rule for every mode.
 * DESIGN 2.5, 2.19. Pure.
 */
import type { BoundBy } from "../../model/decision.ts";
import type { LearnedBefore } from "../../model/learned.ts";
import type { Observation } from "../../model/observation.ts";
import { currentOf } from "../../model/worker.ts";
import type { ProgramConfig } from "../program.ts";
import { type Brakes, braked, brakeLimits, type Limit, NO_BRAKES } from "./brakes.ts";
import { type GrowthState, initialGrowth, learnGrowth, outgrownAt } from "./growth.ts";
import { elapsedSec, known } from "./known.ts";
import { derivedBudget } from "./memory.ts";
import { type Chain, lastOf } from "./rationale.ts";
import { roomFor, type Squeeze, squeezed } from "./room.ts";
import { bytesBeyond, workerMark } from "./worker-mark.ts";

/** What is known of the machine from tick to tick; plain JSON. */
export interface MachineState {
  /** Bytes of one worker to reckon with; `null`: none was measured yet. */
  readonly workerBytes: number | null;
  readonly growth: GrowthState;
  readonly brakes: Brakes;
  readonly squeeze: Squeeze;
}

/** @param learned by an earlier life of the program */
export const initialMachine = (learned?: Pick<LearnedBefore, "workerBytes" | "grownBytes">): MachineState => ({
  workerBytes: learned?.workerBytes ?? null,
  growth: initialGrowth(learned?.grownBytes),
  brakes: NO_BRAKES,
  squeeze: null,
});

/** At least 1 worker: an empty pool adds nothing to what presses on the machine, and must be able to start. */
export interface Capacity extends Limit {
  /** What one more worker is expected to take; `null` while none was measured. */
  readonly workerBytes: number | null;
  /** Memory is looked at, and yet nobody knows what a worker takes: each has to be seen before the next. */
  readonly isUnknown: boolean;
}

export interface Machine {
  readonly state: MachineState;
  readonly capacity: Capacity;
}

/** The machine at this tick: what a worker takes, which brakes are on, and how many workers that allows. */
export function machineAt(program: ProgramConfig, before: MachineState, observation: Observation): Machine {
  const { dtSec, memory } = observation;
  const growth = learnGrowth(before.growth, observation);
  const workerBytes = workerMark(memory, before.workerBytes, { dtSec, maxBytes: outgrownAt(program, growth) });
  const brakes = braked(program, before.brakes, observation, workerBytes);
  const room = roomOf(program, observation, workerBytes);
  const squeeze =
    room === null ? before.squeeze : squeezed(before.squeeze, room, currentOf(observation.workers), elapsedSec(dtSec));
  const state = { workerBytes, growth, brakes, squeeze };
  return { state, capacity: capacityOf(program, observation, state, room) };
}

/** Workers that memory can hold, those that drain included, which keep theirs until they are gone; `null`: unknown, so no limit. */
function roomOf(program: ProgramConfig, observation: Observation, workerBytes: number | null): number | null {
  const budget = budgetOf(program, observation);
  if (budget === null || workerBytes === null) return null;
  return Math.floor((budget - bytesBeyond(observation.memory, workerBytes)) / workerBytes);
}

function capacityOf(
  program: ProgramConfig,
  observation: Observation,
  { workerBytes, brakes, squeeze }: MachineState,
  room: number | null,
): Capacity {
  const limits: Limit[] = [...queueLimits(observation), { workers: program.maxWorkers, boundBy: "max_workers" }];
  if (room !== null) {
    const { draining } = observation.workers;
    limits.push({ workers: roomFor(room, squeeze, currentOf(observation.workers), draining), boundBy: "ram" });
  }
  limits.push(...brakeLimits(program, brakes, observation));
  const narrowest = limits.reduce((least, each) => (each.workers < least.workers ? each : least));
  // A ceiling of none at all is somebody's wish, not the machine's.
  const least = Math.min(1, program.maxWorkers);
  const isUnknown = workerBytes === null && observation.memory != null;
  return { ...narrowest, workers: Math.max(least, narrowest.workers), workerBytes, isUnknown };
}

/** First among equals: a ceiling of one that is raised would not help. */
const queueLimits = ({ queue }: Observation): readonly Limit[] =>
  queue?.singleConsumer === true
    ? [{ workers: 1, boundBy: "single-consumer", phrase: "the queue serves one consumer at a time" }]
    : [];

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

export function withCapacity(chain: Chain, { workers, boundBy, phrase }: Limit): Chain {
  if (boundBy === "max_workers" || lastOf(chain).workers <= workers) return chain;
  return [
    ...chain,
    { workers, reason: boundBy, phrase: phrase ?? `${BINDING[boundBy] ?? "memory"} allows ${workers}` },
  ];
}

/**
 * The threshold policy: one worker more while the backlog is high and memory is free, one less when there is nothing to do. For
 * queues whose owner wants no measuring. DESIGN 2.6. Pure.
 */
import type { ProgramDecision } from "../../model/decision.ts";
import type { LearnedBefore } from "../../model/learned.ts";
import type { Observation } from "../../model/observation.ts";
import { UNMEASURED } from "../../model/unmeasured.ts";
import { currentOf } from "../../model/worker.ts";
import type { ProgramConfig } from "../program.ts";
import { type Capacity, initialMachine, type MachineState, machineAt, withCapacity } from "../shared/capacity.ts";
import { clamp } from "../shared/clamp.ts";
import { known, knownCount } from "../shared/known.ts";
import { limited } from "../shared/limits.ts";
import { overridden } from "../shared/override.ts";
import { type Chain, decisionOf, lastOf } from "../shared/rationale.ts";

/** Plain JSON. */
export interface ThresholdState extends MachineState {
  readonly mode: "threshold";
  readonly ticksSinceChange: number;
  readonly emptyTicks: number;
}

/** @param learned by an earlier life of the program */
export const initialThresholdState = (learned?: LearnedBefore): ThresholdState => ({
  mode: "threshold",
  ...initialMachine(learned),
  ticksSinceChange: Number.MAX_SAFE_INTEGER,
  emptyTicks: 0,
});

/** Readings of zero before the last worker goes where messages in work cannot be seen. */
const SURE_TICKS = 3;

export function stepThreshold(
  program: ProgramConfig,
  state: ThresholdState,
  observation: Observation,
): { readonly state: ThresholdState; readonly decision: ProgramDecision } {
  const { queue, workers } = observation;
  const current = currentOf(workers);
  const from = clamp(current, program.minWorkers, program.maxWorkers);
  const ready = knownCount(queue?.ready);
  const unacked = knownCount(queue?.unacked);
  const backlog = ready === null ? null : ready + (unacked ?? 0);
  const isBraked = isFull(program, observation);
  const { state: machineState, capacity: machine } = machineAt(program, state, observation);
  const capacity = isBraked && current < machine.workers ? ofFull(machine, current) : machine;

  const next: ThresholdState = {
    mode: "threshold",
    ...machineState,
    ticksSinceChange: Math.min(state.ticksSinceChange, program.cooldownTicks) + 1,
    emptyTicks: backlog === null ? state.emptyTicks : backlog > 0 ? 0 : Math.min(state.emptyTicks + 1, SURE_TICKS),
  };
  const isSureOfNone = unacked !== null || next.emptyTicks >= SURE_TICKS;
  const held: Chain = [{ workers: current, reason: "unreadable", phrase: "queue unreadable" }];
  const own =
    backlog === null
      ? limited(held, program)
      : moved(wish(program, from, backlog, isBraked, isSureOfNone), from, machine, next, program);
  const chain = overridden(own, current, observation, program, capacity);
  const changed = lastOf(chain).workers !== from;
  return {
    state: changed ? { ...next, ticksSinceChange: 0 } : next,
    decision: {
      ...decisionOf(chain, current),
      ...UNMEASURED,
      capacity: capacity.workers,
      boundBy: capacity.boundBy,
      workerBytes: machineState.workerBytes,
      wanted: backlog !== null && backlog > program.depthThreshold ? backlog : undefined,
    },
  };
}

function wish(
  { depthThreshold, ramRatioCap }: ProgramConfig,
  from: number,
  backlog: number,
  isBraked: boolean,
  isSureOfNone: boolean,
): Chain {
  if (backlog > depthThreshold) {
    const more: Chain = [{ workers: from + 1, reason: "threshold", phrase: `${backlog} messages > ${depthThreshold}` }];
    const phrase = `more than ${ramRatioCap} of the memory is in use`;
    return isBraked ? [...more, { workers: from, reason: "ram", phrase }] : more;
  }
  if (backlog > 0 || from === 0) return [{ workers: from, reason: "steady", phrase: `${backlog} messages` }];
  const less: Chain = [{ workers: from - 1, reason: "threshold", phrase: "no messages" }];
  if (from > 1 || isSureOfNone) return less;
  return [...less, { workers: 1, reason: "last-worker", phrase: "messages in work cannot be seen" }];
}

/** One worker at a time, and not before the last change has settled, unless the machine has become too small. */
function moved(
  wished: Chain,
  from: number,
  machine: Capacity,
  { ticksSinceChange }: ThresholdState,
  program: ProgramConfig,
): Chain {
  const chain = limited(withCapacity(wished, machine), program);
  const { workers } = lastOf(chain);
  const isTooLarge = machine.workers < from && workers < from;
  if (workers !== from && !isTooLarge && ticksSinceChange < program.cooldownTicks) {
    const phrase = `change ${ticksSinceChange} of ${program.cooldownTicks} ticks ago`;
    return [...chain, { workers: from, reason: "cooldown", phrase }];
  }
  if (workers >= from - 1) return chain;
  return [...chain, { workers: from - 1, reason: "max-step", phrase: "1 at a time" }];
}

/** So much of the memory is in use that nothing grows. */
const ofFull = (machine: Capacity, current: number): Capacity => ({
  ...machine,
  workers: Math.max(1, current),
  boundBy: "ram",
});

/** A brake needs a reading to brake on: unknown memory limits nothing. */
function isFull({ ramRatioCap }: ProgramConfig, { memory }: Observation): boolean {
  const used = known(memory?.usedBytes);
  const total = known(memory?.totalBytes);
  return used !== null && total !== null && total > 0 && used / total >= ramRatioCap;
}

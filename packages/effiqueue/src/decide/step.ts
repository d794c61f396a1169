/**
 * One tick of a program in whichever mode it is: the state machine that the daemon, the tests and a simulator run alike.
 * DESIGN 2.6. Pure.
 */
import type { ProgramDecision } from "../model/decision.ts";
import type { LearnedBefore } from "../model/learned.ts";
import type { Observation } from "../model/observation.ts";
import type { Policy } from "../model/ports.ts";
import { UNMEASURED } from "../model/unmeasured.ts";
import { currentOf } from "../model/worker.ts";
import type { HpaConfig } from "./hpa/config.ts";
import { type HpaState, initialHpaState, stepHpa } from "./hpa/policy.ts";
import type { ProgramConfig } from "./program.ts";
import { type Capacity, initialMachine, type MachineState, machineAt } from "./shared/capacity.ts";
import { growthOf } from "./shared/growth.ts";
import { limitedNow } from "./shared/limits.ts";
import { stepSlo } from "./slo/policy.ts";
import { initialSloState, learnedOf, type SloState } from "./slo/state.ts";
import { withTimeLeft } from "./slo/wait-time.ts";
import { initialThresholdState, stepThreshold, type ThresholdState } from "./threshold/policy.ts";

type HpaProgramState = HpaState & MachineState & { readonly mode: "hpa" };

/** What is carried from tick to tick; plain JSON. */
export type State = SloState | ThresholdState | HpaProgramState;

/** @param learned by an earlier life of the program */
export function initialState(program: ProgramConfig, learned?: LearnedBefore): State {
  switch (program.mode) {
    case "slo":
      return initialSloState(program, learned);
    case "threshold":
      return initialThresholdState(learned);
    case "hpa":
      return initialHpaProgramState(learned);
  }
}

/**
 * @param program from `programConfig`
 * @param state   from `initialState` or the step before; one of another mode begins anew
 * @throws RangeError for worker counts that are none
 */
export function step(
  program: ProgramConfig,
  state: State,
  observation: Observation,
): { readonly state: State; readonly decision: ProgramDecision } {
  assertCounts(observation);
  const stepped = stepInMode(program, state, observation);
  const growth = growthOf(program, stepped.state.growth, stepped.decision);
  return growth === undefined ? stepped : { ...stepped, decision: { ...stepped.decision, growth } };
}

function stepInMode(program: ProgramConfig, state: State, observation: Observation): ReturnType<typeof step> {
  switch (program.mode) {
    case "slo":
      return stepSlo(
        withTimeLeft(limitedNow(program, observation), observation),
        state.mode === "slo" ? state : initialSloState(),
        observation,
      );
    case "threshold":
      return stepThreshold(
        limitedNow(program, observation),
        state.mode === "threshold" ? state : initialThresholdState(),
        observation,
      );
    case "hpa":
      return stepAsHpa(program, state.mode === "hpa" ? state : initialHpaProgramState(), observation);
  }
}

/** A program as the loop takes it. */
export function programPolicy(program: ProgramConfig): Policy<State> {
  return {
    initialState: (learned) => initialState(program, learned),
    step: (state, observation) => step(program, state, observation),
    learned: (state) =>
      state.mode === "slo"
        ? learnedOf(state, program)
        : { mu: null, lambda: null, workerBytes: state.workerBytes, grownBytes: state.growth.grownBytes },
  };
}

const initialHpaProgramState = (learned?: LearnedBefore): HpaProgramState => ({
  mode: "hpa",
  ...initialHpaState(),
  ...initialMachine(learned),
});

function stepAsHpa(program: ProgramConfig, before: HpaProgramState, observation: Observation): ReturnType<typeof step> {
  const { state: machineState, capacity: machine } = machineAt(limitedNow(program, observation), before, observation);
  const capacity = untilSeen(machine, program, observation);
  const { state, decision, wanted } = stepHpa(hpaConfigOf(program), before, observation, capacity);
  return {
    state: { mode: "hpa", ...state, ...machineState },
    decision: {
      ...decision,
      ...UNMEASURED,
      capacity: capacity.workers,
      boundBy: capacity.boundBy,
      workerBytes: machineState.workerBytes,
      wanted,
    },
  };
}

/** This mode goes all the way at once; into a budget that somebody has set it must not, before a worker was seen. */
function untilSeen(machine: Capacity, { ramBudget, ramHeadroom }: ProgramConfig, { workers }: Observation): Capacity {
  const most = currentOf(workers) + 1;
  if (!machine.isUnknown || (ramBudget ?? ramHeadroom) === undefined || machine.workers <= most) return machine;
  return { ...machine, workers: most, boundBy: "ram", phrase: "what a worker takes is not known: 1 at a time" };
}

function hpaConfigOf(program: ProgramConfig): HpaConfig {
  const { minWorkers, maxWorkers, targetQueueDepthPerWorker, targetUtilisation, tolerance, threadsPerWorker } = program;
  return {
    minWorkers,
    maxWorkers,
    targetQueueDepthPerWorker,
    targetUtilisation,
    tolerance,
    threadsPerWorker,
    scaleUpWindowSec: program.scaleUpWindow,
    scaleDownWindowSec: program.scaleDownWindow,
  };
}

/** The pool counts its own workers: a number that cannot be is a bug of the caller, and no decision can be built on it. */
function assertCounts({ workers }: Observation): void {
  for (const name of ["starting", "serving", "draining"] as const) {
    const count = workers[name];
    if (!Number.isSafeInteger(count) || count < 0) {
      throw new RangeError(`workers.${name}: expected a whole number >= 0, got ${String(count)}`);
    }
  }
}

/** What the slo policy carries from tick to tick, where it begins, and what of it outlives the daemon. DESIGN 2.6, 7.18. Pure. */
import type { Learned, LearnedBefore } from "../../model/learned.ts";
import type { ProgramConfig } from "../program.ts";
import { initialMachine, type MachineState } from "../shared/capacity.ts";
import { type EstimatesState, estimatesOf, NO_ESTIMATES } from "./estimates.ts";
import { type KneeState, NO_KNEE } from "./knee/knee.ts";
import { NO_TURNS, type Turns } from "./pace/turns.ts";
import { NO_WATCH, type Watch } from "./pace/watch.ts";
import { priorOf } from "./prior.ts";
import { type Topology, UNKNOWN_TOPOLOGY } from "./topology.ts";

/** Plain JSON. */
export interface SloState extends MachineState {
  readonly mode: "slo";
  readonly estimates: EstimatesState;
  readonly topology: Topology;
  readonly watch: Watch;
  readonly knee: KneeState;
  /** Live workers that the queue asked for at the last decision of the pace law, before any limit; `null`: it was not asked. */
  readonly wished: number | null;
  /** The usual time between ticks; `null` before the first. */
  readonly cadenceSec: number | null;
  /** Live workers that the last decision asked for. */
  readonly ordered: number | null;
  /** Live workers to restore after some were lost; `null`: none were. */
  readonly restore: number | null;
  /** Seconds since more workers were asked for than there were, while the load stood still, and since the time before. */
  readonly grewSec: readonly [number, number];
  readonly turns: Turns;
  /** All counted no further than anybody looks. */
  readonly ticksSinceChange: number;
  readonly idleTicks: number;
  readonly surplusTicks: number;
  readonly isProbing: boolean;
}

const LONG_AGO = 1e9;

/** @param learned by an earlier life of the daemon */
export function initialSloState(program?: ProgramConfig, learned?: LearnedBefore): SloState {
  const prior = program === undefined || learned === undefined ? null : priorOf(learned, program);
  return {
    mode: "slo",
    estimates: { ...NO_ESTIMATES, prior },
    topology: UNKNOWN_TOPOLOGY,
    watch: NO_WATCH,
    knee: NO_KNEE,
    wished: null,
    ...initialMachine(learned),
    cadenceSec: null,
    ordered: null,
    restore: null,
    grewSec: [LONG_AGO, LONG_AGO],
    turns: NO_TURNS,
    ticksSinceChange: Number.MAX_SAFE_INTEGER,
    idleTicks: 0,
    surplusTicks: 0,
    isProbing: false,
  };
}

/** What is worth knowing after a restart. */
export function learnedOf({ estimates, workerBytes, growth }: SloState, program: ProgramConfig): Learned {
  const { mu, lambda, muInterval, lambdaInterval, source } = estimatesOf(estimates, program);
  return {
    mu: mu === null || mu <= 0 || source === 0 ? null : { value: mu, interval: muInterval, source },
    lambda: lambda === null ? null : { value: lambda, interval: lambdaInterval },
    workerBytes,
    grownBytes: growth.grownBytes,
  };
}

/** What the policy would have done was not done: it is no probe, no surplus that stands, and no change that has to settle. */
export function stateOfTold(state: SloState, isChange: boolean): SloState {
  const told = { ...state, isProbing: false, surplusTicks: 0, restore: null, wished: null };
  return isChange ? { ...told, ticksSinceChange: 0 } : told;
}

/**
 * The slo policy: measures how fast a worker is and how fast work arrives, asks for as many workers as the drain-time SLO takes,
 * gives as many as the machine can hold, and says what is missing. DESIGN 2.6, 3.1. Pure.
 */
import type { ProgramDecision } from "../../model/decision.ts";
import type { Observation } from "../../model/observation.ts";
import type { ProgramConfig } from "../program.ts";
import { type Capacity, machineAt, withCapacity } from "../shared/capacity.ts";
import { clamp } from "../shared/clamp.ts";
import { elapsedSec, known } from "../shared/known.ts";
import { floorText, limited } from "../shared/limits.ts";
import { overridden } from "../shared/override.ts";
import { type Chain, decisionOf, lastOf } from "../shared/rationale.ts";
import { damped, type Motion, STANDING_TICKS } from "./damping.ts";
import { type Estimates, estimatesOf, learn } from "./estimates.ts";
import { gapOf } from "./feasibility.ts";
import { learnKnee } from "./knee/knee.ts";
import { capacityWithKnee, keptIn, withKnee } from "./knee/limit.ts";
import { idleTicksOf, withLastWorker } from "./last-worker.ts";
import { isRestless, learnTurns } from "./pace/turns.ts";
import { isSteady, watched } from "./pace/watch.ts";
import { isPaced, type Measured, paceLink } from "./paced.ts";
import { type Tick, tickOf } from "./reading.ts";
import { type SloState, stateOfTold } from "./state.ts";
import { learnTopology, slotsOf } from "./topology.ts";
import { type Wish, wishOf } from "./wish.ts";

/** A window that is so much longer than the others was slept through by this machine, workers and all. */
const SUSPENDED = 5;

export function stepSlo(
  program: ProgramConfig,
  state: SloState,
  observation: Observation,
): { readonly state: SloState; readonly decision: ProgramDecision } {
  const dtSec = elapsedSec(observation.dtSec);
  const wasSuspended = state.cadenceSec !== null && dtSec > SUSPENDED * state.cadenceSec;
  const topology = learnTopology(state.topology, observation);
  const tick = tickOf(observation, topology, observation.interference === true || wasSuspended);
  const estimatesState = learn(state.estimates, tick, dtSec, state.ordered, program);
  const estimates = estimatesOf(estimatesState, program);
  const { state: machineState, capacity: machine } = machineAt(program, state, observation);
  const knee = learnKnee(state.knee, {
    news: tick === null ? null : estimatesState.direct.news,
    dtSec,
    serving: observation.workers.serving,
    wished: state.wished,
    minWorkers: program.minWorkers,
    capacity: machine.workers,
    busyShare: known(observation.cpus?.busyShare),
  });

  const current = observation.workers.starting + observation.workers.serving;
  const restore = restoreOf(state, current, observation.interference === true);
  // Who was lost is not replaced beyond what the machine can hold: that may be why it was.
  const from = clamp(
    Math.max(current, Math.min(restore ?? 0, machine.workers)),
    program.minWorkers,
    program.maxWorkers,
  );
  const next: SloState = {
    ...state,
    estimates: estimatesState,
    topology,
    watch: watched(state.watch, {
      tick,
      workers: observation.workers,
      slotsPerWorker: slotsOf(observation, topology),
      mu: { value: estimates.mu, interval: estimates.muInterval },
      rateSec: estimatesState.direct.rateSec,
      dtSec,
    }),
    knee,
    ...machineState,
    cadenceSec: cadenceOf(state.cadenceSec, dtSec, wasSuspended),
    restore,
    grewSec: [state.grewSec[0] + dtSec, state.grewSec[1] + dtSec],
    ticksSinceChange: Math.min(state.ticksSinceChange, program.cooldownTicks) + (isPoll(state, dtSec) ? 1 : 0),
    idleTicks: idleTicksOf(state.idleTicks, tick, current),
  };
  const measured = tick !== null && isPaced(program, tick, estimates) ? estimates : null;
  const capacity = measured === null ? machine : capacityWithKnee(machine, knee);
  const result =
    tick === null
      ? held(program, next, current, from)
      : measured === null
        ? moved(program, next, tick, estimates, machine, from)
        : paced(program, next, tick, measured, machine, from, observation);
  const chain = overridden(result.chain, current, observation, program, machine);
  const after = chain === result.chain ? result.state : stateOfTold(next, lastOf(chain).workers !== current);
  const { desired, action, reason, trail, rationale } = decisionOf(chain, current);
  const ordered = lastOf(chain).workers;
  const turns = learnTurns(state.turns, ordered, state.ordered ?? from, dtSec, isSteady(next.watch));
  return {
    state: { ...after, ordered, turns },
    // Spelled out, for an object that is spread and then grows takes a sixth of the whole tick.
    decision: {
      current,
      desired,
      action,
      reason,
      trail,
      rationale: rationale + floorIn(chain, current, program),
      needed: result.wish?.needed ?? null,
      capacity: capacity.workers,
      boundBy: capacity.boundBy,
      gap: gapIn(result.wish, estimates, capacity, othersOf(program, next)),
      mu: estimates.mu,
      lambda: estimates.lambda,
      muInterval: estimates.muInterval,
      lambdaInterval: estimates.lambdaInterval,
      muSource: estimates.source,
      probing: after.isProbing,
      spread: estimates.spread,
      kept: measured === null ? undefined : keptIn(knee),
      workerBytes: machineState.workerBytes,
    },
  };
}

/** No rule asks for workers that there are not, but the floor, from which all of them start: it must not look like their doing. */
function floorIn(chain: Chain, current: number, program: ProgramConfig): string {
  const { minWorkers } = program;
  const { workers, reason } = lastOf(chain);
  const isSaid = reason === "min-workers" || reason === "paused" || reason === "scaled";
  return current < minWorkers && workers === minWorkers && !isSaid ? `, ${floorText(program)}` : "";
}

/** Not a tick that an exit woke the loop for: the exit of the worker that a change stopped would halve what the change can show. */
const isPoll = ({ cadenceSec }: SloState, dtSec: number): boolean => dtSec >= (cadenceSec ?? 0) / 2;

/** Ticks that an exit wakes the loop for are short and few; a longer poll is believed after some. */
function cadenceOf(cadenceSec: number | null, dtSec: number, wasSuspended: boolean): number | null {
  if (cadenceSec === null) return dtSec > 0 ? dtSec : null;
  return wasSuspended ? cadenceSec * 2 : Math.max(dtSec, cadenceSec * 0.9);
}

interface Step {
  readonly state: SloState;
  readonly chain: Chain;
  readonly wish: Wish | null;
}

/** Unknown is not zero: the pool stays what it was meant to be, within floor and ceiling. */
function held(program: ProgramConfig, state: SloState, current: number, from: number): Step {
  const chain: Chain = [{ workers: Math.max(current, from), reason: "unreadable", phrase: "queue unreadable" }];
  return { state, chain: limited(chain, program), wish: null };
}

/** Several workers at once, by who would be late and who would be idle. */
function paced(
  program: ProgramConfig,
  state: SloState,
  tick: Tick,
  estimates: Measured,
  capacity: Capacity,
  from: number,
  observation: Observation,
): Step {
  const wish = wishOf(program, tick, estimates, from, state.idleTicks, othersOf(program, state));
  const pool = {
    watch: state.watch,
    tickSec: state.cadenceSec ?? 0,
    grewTwiceSec: state.grewSec[1],
    isRestless: isRestless(state.turns),
    capacity: clamp(capacity.workers, program.minWorkers, program.maxWorkers),
    from,
  };
  const link = paceLink(program, observation, estimates, pool, wish);
  const chain = withLastWorker(
    limited(withKnee(withCapacity([wish.link, link], capacity), state.knee), program),
    tick,
    state.idleTicks,
    from,
  );
  const { workers } = lastOf(chain);
  const grewSec = workers > from && isSteady(state.watch) ? ([0, state.grewSec[0]] as const) : state.grewSec;
  const still = { grewSec, isProbing: false, surplusTicks: 0, wished: link.workers };
  return {
    state: workers === from ? { ...state, ...still } : { ...state, ...still, restore: null, ticksSinceChange: 0 },
    chain,
    wish,
  };
}

function moved(
  program: ProgramConfig,
  state: SloState,
  tick: Tick,
  estimates: Estimates,
  capacity: Capacity,
  from: number,
): Step {
  const wish = wishOf(program, tick, estimates, from, state.idleTicks, othersOf(program, state));
  const ceiling = clamp(capacity.workers, program.minWorkers, program.maxWorkers);
  const isPinned = tick.ready > 0 && from === ceiling && from > Math.max(1, program.minWorkers);
  if (estimates.needsProbe && isPinned && teaches(tick) && state.ticksSinceChange >= program.cooldownTicks) {
    const phrase = "one less for a while, to learn the service rate";
    const chain: Chain = [wish.link, { workers: from - 1, reason: "probe", phrase }];
    return { state: { ...state, isProbing: true, ticksSinceChange: 0, surplusTicks: 0 }, chain, wish };
  }
  const wished = withLastWorker(limited(withCapacity([wish.link], capacity), program), tick, state.idleTicks, from);
  const isSurplus = lastOf(wished).workers < from;
  const surplusTicks = isSurplus ? Math.min(state.surplusTicks + 1, STANDING_TICKS) : 0;
  const motion: Motion = {
    from,
    wished: wish.link.workers,
    ordered: state.ordered ?? from,
    ticksSinceChange: state.ticksSinceChange,
    surplusTicks,
    isProbing: state.isProbing,
    backlog: wish.backlog,
    muSource: estimates.source,
    isTooLarge: from > ceiling,
    isNoNoise: wish.link.reason === "bootstrap" || (wish.backlog === 0 && wish.needed === 0),
  };
  const chain = damped(wished, motion, program);
  const { workers, reason } = lastOf(chain);
  const isChange = workers !== from && reason !== "cooldown";
  const next = isChange
    ? { ...state, wished: null, isProbing: false, restore: null, ticksSinceChange: 0, surplusTicks: 0 }
    : { ...state, wished: null, isProbing: state.isProbing && from < ceiling, surplusTicks };
  return { state: next, chain, wish };
}

/**
 * A starting worker would be the one to go, so one that takes long to start would never serve. And a broker that counts what arrives
 * counts what is finished as soon as something is.
 */
const teaches = ({ starting, rates }: Tick): boolean => starting === 0 && rates.published === null;

/** Workers that were lost are replaced without asking whether one less is noise. */
function restoreOf({ restore, ordered }: SloState, current: number, interference: boolean): number | null {
  const wanted = interference ? Math.max(restore ?? 0, ordered ?? 0) : restore;
  return wanted !== null && wanted > current ? wanted : null;
}

/** What others do of the work. The seed knows of no others. */
const othersOf = ({ maxStep }: ProgramConfig, { topology }: SloState): number =>
  maxStep === 1 ? 0 : Math.floor(topology.strangers.sure);

function gapIn(
  wish: Wish | null,
  { mu, lambda }: Estimates,
  capacity: Capacity,
  others: number,
): ProgramDecision["gap"] {
  if (wish === null || wish.needed === null || mu === null || lambda === null) return null;
  const ours = others === 0 ? lambda : Math.max(0, lambda - mu * others);
  return gapOf({ needed: wish.needed, backlog: wish.backlog, mu, lambda: ours }, capacity);
}

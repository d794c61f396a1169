/**
 * The knee: how many workers it takes until more of them finish no more, because processors, a database or a lock hold them back.
 * Suspected where growth brings little, established by taking workers away, and asked again now and then. DESIGN 2.16. Pure.
 */
import type { BoundBy } from "../../../model/decision.ts";
import type { News } from "../broker-window.ts";
import { type Confidence, learnConfidence, NO_CONFIDENCE } from "../confidence.ts";
import { grown, isStanding, isWhole, joined, type Level, tells } from "./level.ts";
import { baseOf, growthOf } from "./suspicion.ts";
import { againOf, cutShort, doubtOf, judged, type Outcome, questionOf, type Trial } from "./trial.ts";
import { kneeWindow, type Throughput } from "./window.ts";

/** Plain JSON. */
export interface KneeState {
  /** What the present workers finish; `null` while work runs out. */
  readonly level: Level | null;
  /** A window that is too short to be one by itself. */
  readonly part: Throughput | null;
  /** How much the counts of its windows vary. */
  readonly spread: Confidence;
  /** Workers came or went: the next window may still tell of those before. */
  readonly isSettling: boolean;
  readonly base: Level | null;
  readonly trial: Trial | null;
  /** Seconds since it asked for other workers. */
  readonly trialSec: number;
  readonly knee: Knee | null;
  /** Seconds until the next test may begin, and how long the pause after it will be. */
  readonly restSec: number;
  readonly pauseSec: number;
}

interface Knee {
  readonly workers: number;
  readonly boundBy: Extract<BoundBy, "cpu" | "downstream">;
}

/** A knee may go at any time; asking costs some workers that do nothing, and each time it stands, the less often. */
const FIRST_PAUSE_SEC = 600;
const LONGEST_PAUSE_SEC = 3600;
/** A number of workers that says nothing for so long will not. */
const LONGEST_TRIAL_SEC = 1800;

/** Few windows may be alike by luck, and all answers would come too soon. */
const ASSUMED_WINDOWS = 10;

export const NO_KNEE: KneeState = {
  level: null,
  part: null,
  spread: { ...NO_CONFIDENCE, windows: ASSUMED_WINDOWS },
  isSettling: false,
  base: null,
  trial: null,
  trialSec: 0,
  knee: null,
  restSec: 0,
  pauseSec: FIRST_PAUSE_SEC,
};

export interface KneeSight {
  /** What the broker said at this tick; `null`: nothing new. */
  readonly news: News | null;
  readonly dtSec: number;
  readonly serving: number;
  /** Workers that the queue asked for at the last decision, before any limit; `null`: nobody could say. */
  readonly wished: number | null;
  readonly minWorkers: number;
  /** What the machine can hold. */
  readonly capacity: number;
  readonly busyShare: number | null;
}

export function learnKnee(before: KneeState, sight: KneeSight): KneeState {
  const state: KneeState = {
    ...before,
    restSec: Math.max(0, before.restSec - sight.dtSec),
    trialSec: before.trialSec + sight.dtSec,
  };
  if (sight.news === null) return state;
  if (state.trial !== null && isInTheWay(state, state.trial, sight)) return ended(state);
  const window = kneeWindow(sight.news, sight.serving, sight.busyShare);
  if (window === "starved") return ended({ ...state, level: null, part: null, isSettling: false });
  if (window === "unsteady") return { ...state, part: null, isSettling: true };
  if (state.isSettling) return { ...state, isSettling: false };
  const whole = joined(state.part, window);
  if (!isWhole(whole)) return { ...state, part: whole };
  const level = grown(state.level, whole);
  const seen: KneeState = { ...state, level, part: null, spread: spreadOf(state, level, whole) };
  return seen.trial === null ? begun(seen, level, sight) : tried(seen, seen.trial, level);
}

/** Only windows of the same workers can be compared for that: a step is no chance. */
function spreadOf({ level: before, spread }: KneeState, level: Level, { messages, sec }: Throughput): Confidence {
  const last = before?.workers === level.workers ? spread.last : null;
  return learnConfidence({ ...spread, last }, { rate: messages / sec, exposure: sec }, 1);
}

function tried(state: KneeState, trial: Trial, level: Level): KneeState {
  if (level.workers !== trial.workers) return state;
  return after(state, judged(trial, level, state.spread.dispersion));
}

/** The pool is, or should be, another than the test is about; or it changes all the time. */
const isInTheWay = ({ trialSec }: KneeState, { workers }: Trial, { capacity, wished }: KneeSight): boolean =>
  workers > capacity || (wished ?? 0) < workers || trialSec > LONGEST_TRIAL_SEC;

function begun(state: KneeState, level: Level, sight: KneeSight): KneeState {
  const { knee, base, restSec, spread } = state;
  const { dispersion } = spread;
  const { minWorkers, capacity } = sight;
  const wished = sight.wished ?? 0;
  if (knee !== null) {
    const named = { ...state, knee: renamed(knee, level) };
    const isDue = restSec === 0 && level.workers === knee.workers && wished > knee.workers;
    return isDue
      ? withTrial(named, againOf(level, Math.max(1, minWorkers), Math.min(capacity, wished)), level, dispersion)
      : named;
  }
  const growth = growthOf(base, level, dispersion);
  if (growth === "good") return { ...state, base: level, restSec: Math.max(restSec, FIRST_PAUSE_SEC) };
  const isPinned = wished > level.workers && isStanding(level);
  if (restSec === 0 && (isPinned || (growth === "poor" && wished >= level.workers))) {
    return withTrial(state, doubtOf(level, Math.max(1, minWorkers)), level, dispersion);
  }
  return { ...state, base: baseOf(base, level, growth) };
}

/** A test begins when the level it starts from is known well enough to be compared with. */
function withTrial(state: KneeState, trial: Trial | null, level: Level, dispersion: number): KneeState {
  return trial !== null && tells(level, questionOf(trial), dispersion) ? { ...state, trial, trialSec: 0 } : state;
}

function after(state: KneeState, outcome: Outcome): KneeState {
  const { pauseSec } = state;
  if (outcome.kind === "open") {
    const trialSec = outcome.trial === state.trial ? state.trialSec : 0;
    return { ...state, trial: outcome.trial, trialSec, knee: kneeIn(state, outcome.trial) };
  }
  const longer = Math.min(2 * pauseSec, LONGEST_PAUSE_SEC);
  const rest = { trial: null, restSec: pauseSec };
  if (outcome.kind === "none") {
    // Where a knee has gone the pool may grow as it likes, and meet another one.
    return state.knee === null
      ? { ...state, ...rest, knee: null, base: outcome.level, pauseSec: longer }
      : { ...state, trial: null, restSec: 0, knee: null, base: outcome.level, pauseSec: FIRST_PAUSE_SEC };
  }
  const isAsBefore = state.knee?.workers === outcome.held.workers;
  return { ...state, ...rest, knee: kneeAt(outcome.held), pauseSec: isAsBefore ? longer : FIRST_PAUSE_SEC };
}

/** Work ran out, or the pool is not what the test is about. */
const ended = (state: KneeState): KneeState => (state.trial === null ? state : after(state, cutShort(state.trial)));

/** What is proven holds while less is tried. */
const kneeIn = (state: KneeState, trial: Trial): Knee | null =>
  trial.kind === "search" && trial.held.workers < trial.most ? kneeAt(trial.held) : state.knee;

/** Busier than that, processors do not wait for others; and less busy than that, nobody waits for them. */
const BUSY_SHARE = 0.9;
const IDLE_SHARE = 0.75;

const kneeAt = ({ workers, busyShare }: Level): Knee => ({
  workers,
  boundBy: (busyShare ?? 0) >= BUSY_SHARE ? "cpu" : "downstream",
});

/** Somebody else's work may have kept the processors busy while it was tried: the knee stands without that, so it was not theirs. */
const renamed = (knee: Knee, level: Level): Knee =>
  level.workers === knee.workers && isStanding(level) && (level.busyShare ?? 1) < IDLE_SHARE ? kneeAt(level) : knee;

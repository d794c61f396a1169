/**
 * mu and lambda from the backlog alone, where no broker counts: what the filters say, when that is worth saying, and when only
 * other worker counts could tell more. DESIGN 2.3, 2.4, 2.22, 2.23. Pure.
 */
import type { Interval } from "../../model/decision.ts";
import { tidy } from "../shared/exact.ts";
import { type Doubt, type Known, lambdaBefore, otherMu, verdictOn } from "./balance-doubt.ts";
import { type Fitted } from "./balance-filter.ts";
import {
  begunAnew,
  type Filters,
  fittedMu,
  isStill,
  lambdaGiven,
  learnWindow,
  meanWorkersOf,
  passWindow,
  reachOf,
  recentSpreadOf,
  rejoined,
  scoredAs,
  seenOf,
  spreadOf,
} from "./balance-filters.ts";
import { isJump, type Suspicion, suspect } from "./balance-jump.ts";
import { type KnownMu, newerOf, nowOf } from "./balance-known.ts";
import { type BalanceWindow, balanceWindow } from "./balance-window.ts";
import { DOUBT_PER_TICK, type Rate, rateOf, UNKNOWN_RATE } from "./rate.ts";
import type { Tick } from "./reading.ts";

export interface BalanceState {
  /** Of every window. */
  readonly all: Filters;
  /** Without windows in which workers came. */
  readonly settled: Filters;
  /** The best mu so far; `null`: unknown. */
  readonly known: KnownMu | null;
  /** The balance has jumped, and that of mu may be why; `null`: it has not, or it is known which. */
  readonly doubt: Doubt | null;
  /** The last windows were not as had been foretold; `null`: they were. */
  readonly suspicion: Suspicion | null;
  /** Work ran out since the last window: nobody knows what arrived meanwhile. */
  readonly ranOut: boolean;
  /** It was in this window that the balance jumped: what is known of mu from elsewhere is as doubtful. */
  readonly hasJumped: boolean;
  /** How much of lambda is still believed while nothing waits. */
  readonly believed: number;
  /** The longest window: the measure of the others. */
  readonly longestSec: number;
  readonly last: Tick | null;
}

export const NOTHING_BALANCED: BalanceState = {
  all: [],
  settled: [],
  known: null,
  doubt: null,
  suspicion: null,
  ranOut: false,
  hasJumped: false,
  believed: 1,
  longestSec: 0,
  last: null,
};

/**
 * A queue that holds a message at both looks may have been empty in between, and its workers idle. With one waiting message a worker
 * the slope of pools that had caught up was too flat, and the interval held mu in 89% of cases; with four in 97%.
 */
const READY_PER_WORKER = 4;

const FEWEST_WINDOWS = 8;
/** Four windows at each of two worker counts. */
const LEAST_SPREAD = 2;
/** A slope nearer to zero than three times its standard error may be no slope. */
const LEAST_STANDARD_ERRORS = 3;
/**
 * A worker that takes a third of a window to start makes the slope of a pool that grows at every window too steep by a fifth.
 * Windows in which nobody came are few at first: alone they count as soon as they are surer than that.
 */
const SETTLED_STANDARD_ERRORS = 10;
/** Half an interval, as a share of mu, that is too wide to act on: half as many workers again might be needed. */
const TOO_WIDE = 0.33;
/** Probing ends there even if noise still hides the slope: what is bought must be bounded. */
const MOST_PROBED_SPREAD = 4 * LEAST_SPREAD;

/** The baseline is dropped: nothing may be differenced across a gap. */
export function missBalance(state: BalanceState): BalanceState {
  return { ...state, last: null };
}

/** Nothing waits, so less arrives than was thought: `by` as much of it is still believed, until a window tells. */
export function fadeBalance(state: BalanceState, by: number): BalanceState {
  return { ...state, believed: state.believed * by };
}

/**
 * @param ordered live workers that the tick before asked for; `null`: unknown
 * @param best    what is known of mu, from here or elsewhere
 */
export function learnBalance(state: BalanceState, tick: Tick, ordered: number | null, best: Rate): BalanceState {
  const window = balanceWindow(state.last, tick, ordered, READY_PER_WORKER);
  if (window === null) {
    const ranOut = state.ranOut || tick.ready < READY_PER_WORKER * tick.drainers;
    return { ...passed(state, tick.dtSec), ranOut, hasJumped: false, last: tick };
  }
  const longestSec = Math.max(state.longestSec, window.sec);
  const mu = knownIn(best);
  const from = state.ranOut && mu !== null ? afterGap(state, window, mu) : state;
  const suspicion = window.grew || mu === null ? from.suspicion : suspect(from.suspicion, from.settled, window, mu);
  const next = { ...from, suspicion, believed: 1, longestSec, ranOut: false, hasJumped: false, last: tick };
  const after = jumped(next, mu);
  if (after !== null) return after;
  return { ...next, ...knownOf({ ...next, ...learnt(from, window), doubt: from.doubt && learnt(from.doubt, window) }) };
}

/** Arrivals may have become others in a window that says nothing. */
function passed(state: BalanceState, sec: number): BalanceState {
  if (sec <= 0) return state;
  const { all, settled, doubt } = state;
  const both = { all: passWindow(all, sec), settled: passWindow(settled, sec) };
  const through = doubt && { ...doubt, all: passWindow(doubt.all, sec), settled: passWindow(doubt.settled, sec) };
  return { ...state, ...both, doubt: through };
}

/** Whether as much arrives as before the jump nobody can say any more. */
function afterGap(state: BalanceState, window: BalanceWindow, mu: Known): BalanceState {
  const { doubt, settled } = state;
  if (doubt === null) return { ...state, suspicion: null };
  const since = begunAnew(settled, window, mu.value);
  return { ...state, all: since, settled: since, suspicion: null, doubt: { ...doubt, lambda: null } };
}

function learnt<Both extends Pick<BalanceState, "all" | "settled">>(both: Both, window: BalanceWindow): Both {
  const all = learnWindow(both.all, window);
  const settled = window.grew ? passWindow(both.settled, window.sec) : learnWindow(both.settled, window);
  return { ...both, all, settled: scoredAs(all, settled) };
}

const knownIn = ({ value, interval }: Rate): Known | null =>
  value === null
    ? null
    : { value, reach: interval === null ? 0 : Math.max(interval.high - value, value - interval.low) };

/** After a jump filters begin anew, beside those that go on. `null`: there was none. */
function jumped(state: BalanceState, best: Known | null): BalanceState | null {
  const { suspicion, longestSec, doubt, known, all, settled } = state;
  if (suspicion === null || best === null || !isJump(suspicion)) return null;
  const { before, since } = suspicion;
  const mu =
    doubt !== null && known !== null
      ? known
      : { ...best, age: 1, isSettled: known?.isSettled ?? true, isOfStill: known?.isOfStill ?? true };
  const lambda = lambdaBefore(before, longestSec, mu, best.reach - nowOf(mu).reach);
  const other = lambda && otherMu(lambda, since, longestSec, nowOf(mu));
  const through = doubt ?? { all, settled };
  return {
    ...state,
    all: since,
    settled: since,
    known: mu,
    doubt: other && { ...through, lambda, other },
    suspicion: null,
    hasJumped: true,
  };
}

/** `null`: too few, too alike, or too noisy to tell. */
function fitOf(filters: Filters, sec: number, standardErrors: number): Fitted | null {
  if (seenOf(filters) < FEWEST_WINDOWS || spreadOf(filters, sec) < LEAST_SPREAD) return null;
  const mu = fittedMu(filters, sec);
  return mu !== null && mu.value > standardErrors * Math.sqrt(mu.variance) ? mu : null;
}

type Learnt = Pick<BalanceState, "all" | "settled" | "known" | "doubt">;

function knownOf({ known, doubt, all, settled, longestSec: sec }: BalanceState): Learnt {
  const aged = known && { ...known, age: known.age * DOUBT_PER_TICK };
  const alone = fitOf(settled, sec, SETTLED_STANDARD_ERRORS);
  const fit = alone ?? fitOf(all, sec, LEAST_STANDARD_ERRORS);
  const fresh: KnownMu | null = fit && {
    value: fit.value,
    reach: reachOf(fit),
    age: 1,
    isSettled: alone !== null,
    isOfStill: isStill(all),
  };
  if (aged === null || doubt === null) return { all, settled, known: newerOf(aged, fresh), doubt: null };
  const other = (doubt.lambda && otherMu(doubt.lambda, settled, sec, nowOf(aged))) ?? aging(doubt.other);
  const verdict = verdictOn(nowOf(aged), other, all, sec);
  if (verdict === "same") {
    return { all: rejoined(doubt.all, all), settled: rejoined(doubt.settled, settled), known: aged, doubt: null };
  }
  if (verdict === "other")
    return { all, settled, known: { ...other, age: 1, isSettled: true, isOfStill: true }, doubt: null };
  const isBetter = fresh !== null && (verdict === "neither" || fresh.reach < aged.reach);
  return isBetter
    ? { all, settled, known: fresh, doubt: null }
    : { all, settled, known: aged, doubt: { ...doubt, other } };
}

const aging = (mu: Known): Known => ({ ...mu, reach: mu.reach * DOUBT_PER_TICK });

const hullOf = (a: Known, b: Known): Interval => ({
  low: tidy(Math.max(0, Math.min(a.value - a.reach, b.value - b.reach))),
  high: tidy(Math.max(a.value + a.reach, b.value + b.reach)),
});

/** As long as it may be one of two, it lies between the ends of both. */
export function balanceMu({ known, doubt }: BalanceState): Rate {
  if (known === null) return UNKNOWN_RATE;
  const mu = nowOf(known);
  return doubt === null ? rateOf(mu.value, mu.reach) : { value: tidy(mu.value), interval: hullOf(mu, doubt.other) };
}

/** @param mu the best that is known of it, from here or elsewhere */
export function balanceLambda({ all, longestSec, believed }: BalanceState, mu: Rate): Rate {
  const level = mu.value === null ? null : lambdaGiven(all, longestSec, mu.value);
  if (level === null || mu.value === null) return UNKNOWN_RATE;
  const value = Math.max(0, level.value);
  const n = meanWorkersOf(all);
  const below = Math.hypot(reachOf(level), n * (mu.value - (mu.interval?.low ?? mu.value)));
  const above = Math.hypot(reachOf(level), n * ((mu.interval?.high ?? mu.value) - mu.value));
  // How little it is cannot be told where it is not believed any more.
  const low = believed === 1 ? Math.max(0, value - below) : 0;
  return { value: tidy(value * believed), interval: { low: tidy(low), high: tidy(value + above) } };
}

/** True: only other worker counts than those there were can tell mu well enough to act on. */
export function needsOtherCounts(state: BalanceState): boolean {
  const { settled, known, doubt, longestSec } = state;
  if (doubt === null && seenOf(settled) < FEWEST_WINDOWS) return false;
  const spread = spreadOf(settled, longestSec);
  if (known === null) return spread < MOST_PROBED_SPREAD;
  const isTooWide = (knownIn(balanceMu(state))?.reach ?? 0) > TOO_WIDE * known.value;
  if (doubt !== null && isTooWide && spread < MOST_PROBED_SPREAD) return true;
  if (!known.isSettled && spread < LEAST_SPREAD) return true;
  return isTooWide && recentSpreadOf(settled, longestSec) < LEAST_SPREAD;
}

export const balanceSpread = ({ all, longestSec }: BalanceState): number =>
  longestSec === 0 ? 0 : spreadOf(all, longestSec);

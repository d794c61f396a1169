/**
 * mu and lambda from the backlog alone, where no broker counts: what the filters say, when that is worth saying, and when only
 * other worker counts could tell more. DESIGN 2.3, 2.4. Pure.
 */
import {
  countOf,
  type Filters,
  type Fitted,
  fittedMu,
  lambdaGiven,
  learnWindow,
  reachOf,
  recentSpreadOf,
  spreadOf,
} from "./balance-filters.ts";
import { balanceWindow } from "./balance-window.ts";
import { DOUBT_PER_TICK, halfOf, type Rate, rateOf, UNKNOWN_RATE } from "./rate.ts";
import type { Tick } from "./reading.ts";

export interface BalanceState {
  /** Of every window. */
  readonly all: Filters;
  /** Without windows in which workers came. */
  readonly settled: Filters;
  /** The best mu so far; `null`: unknown. */
  readonly known: KnownMu | null;
  /** How much of lambda is still believed while nothing waits. */
  readonly believed: number;
  /** The longest window: the measure of the others. */
  readonly longestSec: number;
  readonly last: Tick | null;
}

interface KnownMu {
  readonly value: number;
  /** Half of the 95% interval, when it was new. */
  readonly reach: number;
  /** By how much that has grown since. */
  readonly age: number;
  /** Known without windows in which workers came. */
  readonly isSettled: boolean;
}

export const NOTHING_BALANCED: BalanceState = {
  all: [],
  settled: [],
  known: null,
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
/** Chance makes the interval of a fit half as wide or twice as wide as that of the one before, seldom more. */
const KNOWS_LESS = 2;

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

/** @param ordered live workers that the tick before asked for; `null`: unknown */
export function learnBalance(state: BalanceState, tick: Tick, ordered: number | null): BalanceState {
  const window = balanceWindow(state.last, tick, ordered, READY_PER_WORKER);
  if (window === null) return { ...state, last: tick };
  const all = learnWindow(state.all, window);
  const settled = window.grew ? state.settled : learnWindow(state.settled, window);
  const longestSec = Math.max(state.longestSec, window.sec);
  const known = knownOf(state.known, all, settled, longestSec);
  return { all, settled, known, believed: 1, longestSec, last: tick };
}

/** `null`: too few, too alike, or too noisy to tell. */
function fitOf(filters: Filters, sec: number, standardErrors: number): Fitted | null {
  if (countOf(filters) < FEWEST_WINDOWS || spreadOf(filters, sec) < LEAST_SPREAD) return null;
  const mu = fittedMu(filters, sec);
  return mu !== null && mu.value > standardErrors * Math.sqrt(mu.variance) ? mu : null;
}

function knownOf(known: KnownMu | null, all: Filters, settled: Filters, sec: number): KnownMu | null {
  const aged = known && { ...known, age: known.age * DOUBT_PER_TICK };
  const alone = fitOf(settled, sec, SETTLED_STANDARD_ERRORS);
  const fit = alone ?? fitOf(all, sec, LEAST_STANDARD_ERRORS);
  if (fit === null) return aged;
  const fresh: KnownMu = { value: fit.value, reach: reachOf(fit), age: 1, isSettled: alone !== null };
  if (aged === null) return fresh;
  // Not the narrower of two: what narrows it may be luck, and would then stand for long. But where a load that jumped has cost what
  // the fit rested on, or only workers that came at some time within a window are left to tell, the one before knows more.
  const isLess = aged.isSettled && !fresh.isSettled;
  return fresh.reach > aged.reach * (isLess ? aged.age : Math.max(aged.age, KNOWS_LESS)) ? aged : fresh;
}

const reachNow = ({ reach, age }: KnownMu): number => reach * age;

export const balanceMu = ({ known }: BalanceState): Rate =>
  known === null ? UNKNOWN_RATE : rateOf(known.value, reachNow(known));

/** @param mu the best that is known of it, from here or elsewhere */
export function balanceLambda({ all, longestSec, believed }: BalanceState, mu: Rate): Rate {
  const lambda = mu.value === null ? null : lambdaGiven(all, longestSec, mu.value, halfOf(mu));
  if (lambda === null) return UNKNOWN_RATE;
  const rate = rateOf(lambda.value, lambda.reach);
  // How little it is cannot be told.
  return believed === 1
    ? rate
    : { value: lambda.value * believed, interval: rate.interval && { ...rate.interval, low: 0 } };
}

/** True: only other worker counts than those there were can tell mu well enough to act on. */
export function needsOtherCounts({ settled, known, longestSec }: BalanceState): boolean {
  if (countOf(settled) < FEWEST_WINDOWS) return false;
  const spread = spreadOf(settled, longestSec);
  if (known === null) return spread < MOST_PROBED_SPREAD;
  if (!known.isSettled && spread < LEAST_SPREAD) return true;
  return reachNow(known) > TOO_WIDE * known.value && recentSpreadOf(settled, longestSec) < LEAST_SPREAD;
}

export const balanceSpread = ({ all, longestSec }: BalanceState): number =>
  longestSec === 0 ? 0 : spreadOf(all, longestSec);

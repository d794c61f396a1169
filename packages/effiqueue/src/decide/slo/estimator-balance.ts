/**
 * mu and lambda from the backlog alone, where no broker counts: what the filters say, when that is worth saying, and when only
 * other worker counts could tell more. DESIGN 2.3, 2.4. Pure.
 */
import { tidy } from "../shared/exact.ts";
import {
  type BalanceFit,
  countOf,
  type Filters,
  learnWindow,
  mixtureOf,
  recentSpreadOf,
  spreadOf,
} from "./balance-filters.ts";
import { balanceWindow } from "./balance-window.ts";
import { quantile, type Rate, rateOf, UNKNOWN_RATE } from "./rate.ts";
import type { Tick } from "./reading.ts";

export interface BalanceState {
  /** Of every window. */
  readonly all: Filters;
  /** Without windows in which workers came. */
  readonly settled: Filters;
  /** The best mu so far; `null`: unknown. */
  readonly known: KnownMu | null;
  readonly mu: Rate;
  readonly lambda: Rate;
  /** The longest window: the measure of the others. */
  readonly longestSec: number;
  readonly last: Tick | null;
}

interface KnownMu {
  readonly value: number;
  /** Half of the 95% interval. */
  readonly reach: number;
  /** Known without windows in which workers came. */
  readonly isSettled: boolean;
}

export const NOTHING_BALANCED: BalanceState = {
  all: [],
  settled: [],
  known: null,
  mu: UNKNOWN_RATE,
  lambda: UNKNOWN_RATE,
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
/** What is known ages: a pool that stands still learns nothing new, and the load may have become another. */
const REACH_GROWTH = 1.01;

/** Half an interval, as a share of mu, that is too wide to act on: half as many workers again might be needed. */
const TOO_WIDE = 0.33;
/** Probing ends there even if noise still hides the slope: what is bought must be bounded. */
const MOST_PROBED_SPREAD = 4 * LEAST_SPREAD;

/** The baseline is dropped: nothing may be differenced across a gap. */
export function missBalance(state: BalanceState): BalanceState {
  return { ...state, last: null };
}

/** Nothing waits, so less arrives than was thought: `by` as much of it is still believed; how little it is cannot be told. */
export function fadeBalance(state: BalanceState, by: number): BalanceState {
  const { value, interval } = state.lambda;
  if (value === null || by === 1) return state;
  return {
    ...state,
    lambda: { value: tidy(value * by), interval: interval && { ...interval, low: 0 } },
  };
}

/** @param ordered live workers that the tick before asked for; `null`: unknown */
export function learnBalance(state: BalanceState, tick: Tick, ordered: number | null): BalanceState {
  const window = balanceWindow(state.last, tick, ordered, READY_PER_WORKER);
  if (window === null) return { ...state, last: tick };
  const all = learnWindow(state.all, window);
  const settled = window.grew ? state.settled : learnWindow(state.settled, window);
  const longestSec = Math.max(state.longestSec, window.sec);
  const known = knownOf(state.known, all, settled, longestSec);
  return { all, settled, known, ...ratesOf(known, mixtureOf(all, longestSec)), longestSec, last: tick };
}

/** `null`: too few, too alike, or too noisy to tell. */
function fitOf(filters: Filters, sec: number, standardErrors: number): BalanceFit | null {
  if (countOf(filters) < FEWEST_WINDOWS || spreadOf(filters, sec) < LEAST_SPREAD) return null;
  const fit = mixtureOf(filters, sec);
  return fit !== null && fit.mu > standardErrors * Math.sqrt(fit.muVariance) ? fit : null;
}

function knownOf(known: KnownMu | null, all: Filters, settled: Filters, sec: number): KnownMu | null {
  const aged = known && { ...known, reach: known.reach * REACH_GROWTH };
  const alone = fitOf(settled, sec, SETTLED_STANDARD_ERRORS);
  const fit = alone ?? fitOf(all, sec, LEAST_STANDARD_ERRORS);
  if (fit === null) return aged;
  const isSettled = alone !== null;
  const fresh = { value: fit.mu, reach: quantile(fit.freedom) * Math.sqrt(fit.muVariance), isSettled };
  // Not the narrower of two: what narrows it may be luck, and would then stand for long. But what rests on workers that came at
  // some time within a window is biased, however narrow its interval.
  const isWorse = aged?.isSettled === true && !isSettled && fresh.reach > aged.reach;
  return isWorse ? aged : fresh;
}

function ratesOf(known: KnownMu | null, fit: BalanceFit | null): Pick<BalanceState, "mu" | "lambda"> {
  if (known === null || fit === null) return { mu: UNKNOWN_RATE, lambda: UNKNOWN_RATE };
  const { value, reach } = known;
  const lambda = Math.max(0, fit.y + value * fit.n);
  const levelReach = quantile(fit.freedom) * Math.sqrt(fit.levelVariance);
  return {
    mu: rateOf(value, reach),
    lambda: rateOf(lambda, Math.hypot(levelReach, fit.n * reach)),
  };
}

/** True: only other worker counts than those there were can tell mu well enough to act on. */
export function needsOtherCounts({ settled, known, longestSec }: BalanceState): boolean {
  if (countOf(settled) < FEWEST_WINDOWS) return false;
  const spread = spreadOf(settled, longestSec);
  if (known === null) return spread < MOST_PROBED_SPREAD;
  if (!known.isSettled && spread < LEAST_SPREAD) return true;
  return known.reach > TOO_WIDE * known.value && recentSpreadOf(settled, longestSec) < LEAST_SPREAD;
}

export const balanceSpread = ({ all, longestSec }: BalanceState): number =>
  longestSec === 0 ? 0 : spreadOf(all, longestSec);

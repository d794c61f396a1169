/**
 * mu and lambda from what the broker itself counts. Nothing is inferred; the care is in which readings are new, which workers
 * they belong to, and whether those had work all the time. DESIGN 2.3. Pure.
 */
import { tidy } from "../shared/exact.ts";
import type { Rates, Tick } from "./reading.ts";

export interface DirectState {
  /** Messages/s of one saturated worker; `null`: unknown. */
  readonly mu: number | null;
  /** Messages/s arriving; `null`: unknown. */
  readonly lambda: number | null;
  /** Saturated work so far while mu is unknown: a slow worker may take many windows to its first message. */
  readonly first: Work;
  /** The reading that the present window began with; `null` until there was one. */
  readonly since: Rates | null;
  /** Seconds between the last two readings that differed: how often the broker says something new. */
  readonly gapSec: number | null;
  readonly window: Window;
  readonly last: Tick | null;
}

interface Work {
  readonly messages: number;
  readonly workerSec: number;
}

/** What happened between two new readings, seen at the ticks. */
interface Window {
  readonly sec: number;
  readonly workerSec: number;
  readonly ticks: number;
  readonly minReady: number;
  readonly fewest: number;
  readonly most: number;
  readonly backlogAtStart: number | null;
  /** False: a tick could not be read, or somebody else changed the workers. */
  readonly isKnown: boolean;
}

const NO_WORK: Work = { messages: 0, workerSec: 0 };

const EMPTY: Window = {
  sec: 0,
  workerSec: 0,
  ticks: 0,
  minReady: Number.MAX_SAFE_INTEGER,
  fewest: Number.MAX_SAFE_INTEGER,
  most: 0,
  backlogAtStart: null,
  isKnown: true,
};

export const NOTHING_MEASURED: DirectState = {
  mu: null,
  lambda: null,
  first: NO_WORK,
  since: null,
  gapSec: null,
  window: EMPTY,
  last: null,
};

/** In a window with fewer messages than this chance says more than the worker: it counts for less. */
const TELLING_MESSAGES = 5;

export interface Smoothing {
  readonly alphaMu: number;
  readonly alphaLambda: number;
}

/** The queue could not be read, or only without its rates: what happened in this window will never be known. */
export function missDirect(state: DirectState, dtSec: number): DirectState {
  const window = { ...state.window, sec: state.window.sec + dtSec, isKnown: false };
  return { ...state, window, first: NO_WORK, last: null };
}

/** @param tick with the total or the rate of what was finished (`hasRates`) */
export function learnDirect(state: DirectState, tick: Tick, smoothing: Smoothing): DirectState {
  const window = extended(state, tick);
  const news = newsIn(state, window, tick.rates);
  if (news === "none") return { ...state, window, last: tick };

  const next = {
    ...state,
    since: tick.rates,
    gapSec: news === "changed" && window.sec > 0 ? window.sec : state.gapSec,
    window: nextWindow(state.last, tick, window),
    last: tick,
  };
  const messages = messagesIn(state, window, tick.rates);
  // A total that fell was reset: what the window held cannot be told.
  if (messages === null) return next;
  return {
    ...next,
    ...learnMu(state, window, messages, smoothing),
    lambda: learnLambda(state, tick, window, messages, smoothing),
  };
}

/** The window with this tick. Workers that came or went between two ticks count half. */
function extended({ last, since, window }: DirectState, tick: Tick): Window {
  const before = last ?? (since === null ? extrapolated(tick) : null);
  return {
    sec: window.sec + tick.dtSec,
    workerSec: window.workerSec + (tick.dtSec * ((before ?? tick).drainers + tick.drainers)) / 2,
    ticks: window.ticks + 1,
    minReady: Math.min(window.minReady, tick.ready, before?.ready ?? 0),
    fewest: Math.min(window.fewest, tick.drainers, (before ?? tick).drainers),
    most: Math.max(window.most, tick.drainersAtMost, (before ?? tick).drainersAtMost),
    backlogAtStart: window.ticks > 0 ? window.backlogAtStart : before && backlogOf(before),
    isKnown: window.isKnown && before !== null && !tick.disturbed,
  };
}

/** The tick before the first one, as far as the rates of the first tell; so a daemon started on a backlog need not wait. */
function extrapolated(tick: Tick): Tick | null {
  const { ackRate, publishRate } = tick.rates;
  if (ackRate === null || publishRate === null) return null;
  return { ...tick, ready: Math.max(0, Math.floor(tick.ready - (publishRate - ackRate) * tick.dtSec)) };
}

const backlogOf = ({ ready, unacked }: Tick): number => ready + (unacked ?? 0);

/**
 * A broker repeats what it said until it has counted again; the same totals are the same news. Silence is the exception:
 * where nothing happens nothing changes, and that it goes on is new whenever something new was due.
 */
function newsIn({ since, gapSec }: DirectState, { sec }: Window, now: Rates): "changed" | "silence" | "none" {
  if (since === null || (now.acked === null && now.published === null)) return "changed";
  const fields = ["acked", "published", "ackRate", "publishRate"] as const;
  if (fields.some((field) => now[field] !== since[field])) return "changed";
  const isSilent = (now.ackRate ?? 0) === 0 && (now.publishRate ?? 0) === 0;
  return isSilent && sec >= (gapSec ?? 0) ? "silence" : "none";
}

/**
 * A broker that counts less often than we look reports on a time that began before our window did: the tick before belongs
 * to it too.
 */
function nextWindow(last: Tick | null, tick: Tick, closed: Window): Window {
  const start: Window = { ...EMPTY, backlogAtStart: backlogOf(tick) };
  if (closed.ticks <= 1 || last === null) return start;
  return { ...start, minReady: last.ready, fewest: last.drainers, most: last.drainersAtMost };
}

/** Messages finished in the window; `null`: cannot be told. */
function messagesIn({ since }: DirectState, { sec }: Window, now: Rates): number | null {
  const counted = since === null || since.acked === null || now.acked === null ? null : now.acked - since.acked;
  if (counted !== null && counted < 0) return null;
  if (now.ackRate === null) return counted;
  const measured = now.ackRate * sec;
  // The rate is exact, but over the broker's window. In a long one with few messages that is not ours.
  return counted !== null && measured > 2 * counted ? counted : measured;
}

function learnMu(
  { mu, first }: DirectState,
  window: Window,
  messages: number,
  { alphaMu }: Smoothing,
): Pick<DirectState, "mu" | "first"> {
  const { workerSec, most, fewest, minReady, isKnown } = window;
  if (!isKnown || workerSec <= 0) return { mu, first: NO_WORK };
  const isSaturated = minReady >= Math.max(1, most);
  // While the number of workers moves, which of them did the work is known only roughly.
  const certainty = Math.max(0, 1 - (2 * (most - fewest)) / most);
  if (mu === null) {
    if (!isSaturated || certainty === 0) return { mu, first: NO_WORK };
    const work = { messages: first.messages + messages, workerSec: first.workerSec + workerSec };
    return work.messages > 0 ? { mu: tidy(work.messages / work.workerSec), first: NO_WORK } : { mu: null, first: work };
  }
  const sample = messages / workerSec;
  // Idle workers say nothing of what they could do, except that they can do what they did.
  if (!isSaturated && !(certainty === 1 && sample > mu)) return { mu, first: NO_WORK };
  const weight = alphaMu * certainty * Math.min(1, Math.max(messages, mu * workerSec) / TELLING_MESSAGES);
  return { mu: tidy(mu + weight * (sample - mu)), first: NO_WORK };
}

function learnLambda(
  { lambda, since }: DirectState,
  tick: Tick,
  { sec, backlogAtStart }: Window,
  messages: number,
  { alphaLambda }: Smoothing,
): number | null {
  const { published, publishRate } = tick.rates;
  const counted = since === null || since.published === null || published === null ? null : published - since.published;
  const arrived = counted ?? (backlogAtStart === null ? null : backlogOf(tick) - backlogAtStart + messages);
  const sample = publishRate ?? (arrived === null || sec <= 0 ? null : Math.max(0, arrived / sec));
  if (sample === null) return lambda;
  return lambda === null ? tidy(sample) : tidy(lambda + alphaLambda * (sample - lambda));
}

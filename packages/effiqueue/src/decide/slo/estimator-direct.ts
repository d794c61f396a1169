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
  /** Smoothed seconds that one message takes one worker; `null` until enough were seen. Smoothing times, unlike rates, has no bias. */
  readonly messageSec: number | null;
  /** How much of `messageSec` was seen, in [0, 1]; below 1 it is no more than an average of few windows. */
  readonly weight: number;
  /** Saturated work that is not smoothed in yet: a slow worker may take many windows to a few messages. */
  readonly batch: Work;
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
  messageSec: null,
  weight: 0,
  batch: NO_WORK,
  since: null,
  gapSec: null,
  window: EMPTY,
  last: null,
};

/** With fewer messages than this chance says more than the worker. */
const TELLING_MESSAGES = 5;

/** Where so many were expected and fewer than the above came, the workers have become slow, or hang. */
const OVERDUE_MESSAGES = 20;

export interface Smoothing {
  readonly alphaMu: number;
  readonly alphaLambda: number;
}

/** The queue could not be read, or only without its rates: what happened in this window will never be known. */
export function missDirect(state: DirectState, dtSec: number): DirectState {
  const window = { ...state.window, sec: state.window.sec + dtSec, isKnown: false };
  return { ...state, window, last: null };
}

/** @param tick with the total or the rate of what was finished (`hasRates`) */
export function learnDirect(state: DirectState, tick: Tick, smoothing: Smoothing): DirectState {
  const window = extended(state, tick);
  const news = newsIn(state, window, tick.rates);
  if (news === "none") return { ...state, window, last: tick };

  const next = {
    ...state,
    since: tick.rates,
    gapSec: news === "changed" && window.sec > 0 ? gapOf(state, window) : state.gapSec,
    window: nextWindow(state, tick, window),
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

/** A worker that exits closes its channel, for which the broker counts out of turn, and wakes the loop, which sees it. */
const gapOf = ({ gapSec }: DirectState, { sec }: Window): number => Math.max(sec, (gapSec ?? 0) * KEPT_GAP);

const KEPT_GAP = 0.9;
const IN_TURN = 0.5;

/**
 * A broker that counts less often than we look, or has just counted out of turn, reports on a time that began before our window
 * did: the tick before belongs to it too.
 */
function nextWindow({ last, gapSec }: DirectState, tick: Tick, closed: Window): Window {
  const start: Window = { ...EMPTY, backlogAtStart: backlogOf(tick) };
  const isInTurn = closed.ticks <= 1 && closed.sec >= (gapSec ?? 0) * IN_TURN;
  if (isInTurn || last === null) return start;
  return { ...start, minReady: last.ready, fewest: last.drainers, most: last.drainersAtMost };
}

/** Messages finished in the window; `null`: cannot be told. */
function messagesIn({ since, gapSec }: DirectState, { sec }: Window, now: Rates): number | null {
  const counted = since === null || since.acked === null || now.acked === null ? null : now.acked - since.acked;
  if (counted !== null && counted < 0) return null;
  // The rate is exact over the broker's own window, the total over ours, whose ends are only seen at ticks.
  const isLong = gapSec !== null && sec > 2 * gapSec;
  return now.ackRate === null || (isLong && counted !== null) ? counted : now.ackRate * sec;
}

type Speed = Pick<DirectState, "mu" | "messageSec" | "weight" | "batch">;

function learnMu(state: DirectState, window: Window, messages: number, { alphaMu }: Smoothing): Speed {
  const { mu, messageSec, weight, batch } = state;
  const { workerSec, most, fewest, minReady, isKnown } = window;
  // While the number of workers moves, which of them did the work is known only roughly.
  const certainty = most === 0 ? 0 : Math.max(0, 1 - (2 * (most - fewest)) / most);
  if (!isKnown || workerSec <= 0 || certainty === 0) return { mu, messageSec, weight, batch };

  if (minReady < Math.max(1, most)) {
    // Workers that had to wait say nothing of what they could do, except that they can do what they did.
    const isFaster = mu !== null && messages > mu * workerSec && messages >= TELLING_MESSAGES && certainty === 1;
    return isFaster ? smoothed(state, { messages, workerSec }, alphaMu) : { mu, messageSec, weight, batch: NO_WORK };
  }
  const work = { messages: batch.messages + messages, workerSec: batch.workerSec + workerSec };
  const isTelling = work.messages >= TELLING_MESSAGES || (mu ?? 0) * work.workerSec >= OVERDUE_MESSAGES;
  if (isTelling) return smoothed(state, work, alphaMu * certainty);
  if (messageSec !== null || work.messages === 0) return { mu, messageSec, weight, batch: work };
  return { mu: tidy(work.messages / work.workerSec), messageSec, weight, batch: work };
}

/** The first windows are averaged by their weights: of a pool that just grew one says little, and must not stand for long. */
function smoothed({ messageSec, weight }: DirectState, { messages, workerSec }: Work, alpha: number): Speed {
  // Of workers that finish nothing only a limit is known: they take longer than this.
  const sample = workerSec / Math.max(messages, 1);
  const grown = weight + alpha * (1 - weight);
  const next = messageSec === null ? sample : messageSec + (alpha / grown) * (sample - messageSec);
  return { mu: tidy(1 / next), messageSec: next, weight: grown, batch: NO_WORK };
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

/**
 * What a broker that counts has said since it last said something new: which readings are news, what time and which workers they
 * belong to, and how many messages were finished. DESIGN 2.3. Pure.
 */
import type { Rates, Tick } from "./reading.ts";

/** What happened between two new readings, seen at the ticks. */
interface Window {
  readonly sec: number;
  readonly workerSec: number;
  /** Seconds that workers were seen at work. */
  readonly busySec: number;
  readonly ticks: number;
  readonly minReady: number;
  readonly fewest: number;
  readonly most: number;
  readonly backlogAtStart: number | null;
  /** False: a tick could not be read, or somebody else changed the workers. */
  readonly isKnown: boolean;
}

/** What is between two new readings. */
export interface BrokerState {
  /** The reading that the present window began with; `null` until there was one. */
  readonly since: Rates | null;
  /** Seconds between the last two readings that differed: how often the broker says something new. */
  readonly gapSec: number | null;
  /** Seconds over which the broker takes its rates, as its totals tell; `null` until they have. */
  readonly rateSec: number | null;
  readonly window: Window;
  readonly last: Tick | null;
}

const EMPTY: Window = {
  sec: 0,
  workerSec: 0,
  busySec: 0,
  ticks: 0,
  minReady: Number.MAX_SAFE_INTEGER,
  fewest: Number.MAX_SAFE_INTEGER,
  most: 0,
  backlogAtStart: null,
  isKnown: true,
};

export const NOTHING_SAID: BrokerState = { since: null, gapSec: null, rateSec: null, window: EMPTY, last: null };

/** A window that has ended with news. */
export interface News {
  readonly window: Window;
  readonly finished: Finished;
  /** Seconds that it took by the broker's rate: of a window that silence began, the broker saw more than we did. */
  readonly ackSec: number;
  /** Workers with a message in hand at its end; `null`: unknown. */
  readonly inWork: number | null;
  /** Messages that one worker works on at a time. */
  readonly slots: number;
  /** Messages/s that arrived, `null` where nothing tells. */
  readonly arrivalRate: number | null;
  /** Seconds in which those arrivals were counted. */
  readonly arrivalSec: number;
}

/** The queue could not be read, or only without its rates: what happened in this window will never be known. */
export function missBroker<State extends BrokerState>(state: State, dtSec: number): State {
  return { ...state, window: { ...state.window, sec: state.window.sec + dtSec, isKnown: false }, last: null };
}

/**
 * @param tick with the total or the rate of what was finished (`hasRates`)
 * @returns `news`: `null` where there is none, or where a total fell, so that what the window held cannot be told
 */
export function hearBroker(
  state: BrokerState,
  tick: Tick,
): { readonly broker: BrokerState; readonly news: News | null } {
  const window = extended(state, tick);
  const news = newsIn(state, window, tick.rates);
  if (news === "none") return { broker: { ...state, window, last: tick }, news: null };
  const heard = { ...state, rateSec: rateSecOf(state, tick.rates) };
  const finished = finishedIn(heard, window, tick.rates);
  const broker: BrokerState = {
    rateSec: heard.rateSec,
    since: tick.rates,
    gapSec: news === "changed" && window.sec > 0 ? gapOf(state, window) : state.gapSec,
    window: nextWindow(state, tick, window),
    last: tick,
  };
  if (finished === null) return { broker, news: null };
  const arrivals = arrivalsIn(heard, tick, window, finished.messages);
  const { rates, inWork, slots } = tick;
  return {
    broker,
    news: { window, finished, ackSec: spanSec(finished, rates), inWork, slots, ...arrivals },
  };
}

/** The window with this tick. Workers that came or went between two ticks count half. */
function extended({ last, since, window }: BrokerState, tick: Tick): Window {
  const before = last ?? (since === null ? extrapolated(tick) : null);
  return {
    sec: window.sec + tick.dtSec,
    workerSec: window.workerSec + (tick.dtSec * ((before ?? tick).drainers + tick.drainers)) / 2,
    busySec: window.busySec + tick.dtSec * (tick.inWork ?? 0),
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
function newsIn({ since, gapSec }: BrokerState, { sec }: Window, now: Rates): "changed" | "silence" | "none" {
  if (since === null || (now.acked === null && now.published === null)) return "changed";
  const fields = ["acked", "published", "ackRate", "publishRate"] as const;
  if (fields.some((field) => now[field] !== since[field])) return "changed";
  const isSilent = (now.ackRate ?? 0) === 0 && (now.publishRate ?? 0) === 0;
  return isSilent && sec >= (gapSec ?? 0) ? "silence" : "none";
}

/** A worker that exits closes its channel, for which the broker counts out of turn, and wakes the loop, which sees it. */
const gapOf = ({ gapSec }: BrokerState, { sec }: Window): number => Math.max(sec, (gapSec ?? 0) * KEPT_GAP);

const KEPT_GAP = 0.9;
const IN_TURN = 0.5;

/**
 * A broker that counts less often than we look, or has just counted out of turn, reports on a time that began before our window
 * did: the tick before belongs to it too.
 */
function nextWindow({ last, gapSec }: BrokerState, tick: Tick, closed: Window): Window {
  const start: Window = { ...EMPTY, backlogAtStart: backlogOf(tick) };
  const isInTurn = closed.ticks <= 1 && closed.sec >= (gapSec ?? 0) * IN_TURN;
  if (isInTurn || last === null) return start;
  return { ...start, minReady: last.ready, fewest: last.drainers, most: last.drainersAtMost };
}

/** What was counted between two readings, over the rate that the second one tells, is a whole number of the broker's windows. */
function rateSecOf({ since, rateSec }: BrokerState, now: Rates): number | null {
  const acked = spanOf(since?.acked, now.acked, now.ackRate);
  const published = spanOf(since?.published, now.published, now.publishRate);
  const spans = [acked, published].filter((span) => span !== null);
  if (spans.length === 0) return rateSec;
  // The shortest is one window, unless it was cut short by a count out of turn: so it may grow again.
  return Math.min(...spans, (rateSec ?? Number.POSITIVE_INFINITY) * RATE_SEC_GROWTH);
}

const RATE_SEC_GROWTH = 1.1;

function spanOf(from: number | null | undefined, to: number | null, rate: number | null): number | null {
  if (from == null || to === null || rate === null || to <= from || rate <= 0) return null;
  return (to - from) / rate;
}

interface Finished {
  readonly messages: number;
  /** Share of the window in which they were counted, in (0, 1]. */
  readonly seen: number;
}

/** Messages finished in the window; `null`: cannot be told. */
function finishedIn(state: BrokerState, window: Window, now: Rates): Finished | null {
  const { since, gapSec, rateSec } = state;
  const { sec } = window;
  const counted = since === null || since.acked === null || now.acked === null ? null : now.acked - since.acked;
  if (counted !== null && counted < 0) return null;
  // The rate is exact over the broker's own window, the total over ours, whose ends are only seen at ticks. But of few messages,
  // or of batches that are acknowledged together, a rate misses those that came when nobody looked.
  const isLong = gapSec !== null && sec > 2 * Math.max(gapSec, rateSec ?? 0);
  const isFew = counted !== null && counted < FEW_MESSAGES && !isWhole(state, window, now);
  if (counted !== null && (now.ackRate === null || isLong || isOfPart(rateSec, sec) || isFew))
    return { messages: counted, seen: 1 };
  return now.ackRate === null
    ? null
    : { messages: now.ackRate * sec, seen: sec > 0 ? Math.min(1, (rateSec ?? sec) / sec) : 1 };
}

/**
 * The broker has counted once, so that its rate is of the same messages as the total, and knows in what time they came: ours may be longer
 * or far shorter. Whether it is must not hang on how high the rate is, or mu would be that of windows that had luck.
 */
function isWhole({ since, gapSec, rateSec }: BrokerState, { sec, ticks }: Window, now: Rates): boolean {
  const span = spanOf(since?.acked, now.acked, now.ackRate);
  if (span === null || gapSec === null || rateSec === null) return false;
  // We looked in between and it had not counted, or what it counted last was heard late, as the very first count is.
  const isOne = ticks > 1 || sec < gapSec * KEPT_GAP || sec * NEARLY_TWO < rateSec;
  return isOne && span < rateSec * NEARLY_TWO;
}

/** Counts that nobody saw in between make it two windows of the broker, or more. */
const NEARLY_TWO = 1.5;

/** Of a window twice as long as it was taken over, a rate says less than the total, of which only the ends are vague. */
const PARTS = 1.8;

/** @param rateSec over which the broker takes its rates; `null`: unknown @param sec of the window */
export const isOfPart = (rateSec: number | null, sec: number): rateSec is number =>
  rateSec !== null && sec > PARTS * rateSec;

const spanSec = ({ messages }: Finished, { ackRate }: Rates): number => (ackRate ? messages / ackRate : 0);

/** Of so few a rate over a part of the window is off by a sixth and more. */
const FEW_MESSAGES = 40;

function arrivalsIn(
  { since, rateSec }: BrokerState,
  tick: Tick,
  { sec, backlogAtStart }: Window,
  finished: number,
): Pick<News, "arrivalRate" | "arrivalSec"> {
  const { published, publishRate } = tick.rates;
  const counted = since === null || since.published === null || published === null ? null : published - since.published;
  const isTotalBetter = counted !== null && isOfPart(rateSec, sec);
  if (publishRate !== null && !isTotalBetter)
    return { arrivalRate: publishRate, arrivalSec: Math.min(sec, rateSec ?? sec) };
  const arrived = counted ?? (backlogAtStart === null ? null : backlogOf(tick) - backlogAtStart + finished);
  return { arrivalRate: arrived === null || sec <= 0 ? null : Math.max(0, arrived / sec), arrivalSec: sec };
}

/**
 * mu and lambda from what the broker itself counts. Nothing is inferred; the care is in which readings are new, which workers
 * they belong to, and whether those had work all the time. DESIGN 2.3. Pure.
 */
import { tidy } from "../shared/exact.ts";
import {
  type Confidence,
  type CountedWindow,
  isSurprise,
  learnConfidence,
  NO_CONFIDENCE,
  reachOf,
  UNEVEN,
} from "./confidence.ts";
import { type Rate, rateOf, rateWithin, UNKNOWN_RATE } from "./rate.ts";
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
  readonly muConfidence: Confidence;
  /** How much of `lambda` was seen, as `weight` for `messageSec`. */
  readonly lambdaWeight: number;
  readonly lambdaConfidence: Confidence;
  /** -1, 1: the last window was surprisingly slow, or fast. 0: it was as expected. */
  readonly muSurprise: number;
  readonly lambdaSurprise: number;
  /** The reading that the present window began with; `null` until there was one. */
  readonly since: Rates | null;
  /** Seconds between the last two readings that differed: how often the broker says something new. */
  readonly gapSec: number | null;
  /** Seconds over which the broker takes its rates, as its totals tell; `null` until they have. */
  readonly rateSec: number | null;
  readonly window: Window;
  readonly last: Tick | null;
}

interface Work {
  readonly messages: number;
  readonly workerSec: number;
  /** The part of `workerSec` in which the messages were really counted. */
  readonly countedWorkerSec: number;
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

const NO_WORK: Work = { messages: 0, workerSec: 0, countedWorkerSec: 0 };

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
  muConfidence: NO_CONFIDENCE,
  lambdaWeight: 0,
  lambdaConfidence: UNEVEN,
  muSurprise: 0,
  lambdaSurprise: 0,
  since: null,
  gapSec: null,
  rateSec: null,
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
  /** 1: smoothed as the seed does, whatever the windows say. */
  readonly maxStep: number | "auto";
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

  const rateSec = rateSecOf(state, tick.rates);
  const next = {
    ...state,
    rateSec,
    since: tick.rates,
    gapSec: news === "changed" && window.sec > 0 ? gapOf(state, window) : state.gapSec,
    window: nextWindow(state, tick, window),
    last: tick,
  };
  const finished = finishedIn({ ...state, rateSec }, window, tick.rates);
  // A total that fell was reset: what the window held cannot be told.
  if (finished === null) return next;
  return {
    ...next,
    ...learnMu(state, window, finished, smoothing),
    ...learnLambda({ ...state, rateSec }, tick, window, finished.messages, smoothing),
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

/** What was counted between two readings, over the rate that the second one tells, is a whole number of the broker's windows. */
function rateSecOf({ since, rateSec }: DirectState, now: Rates): number | null {
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
function finishedIn({ since, gapSec, rateSec }: DirectState, { sec }: Window, now: Rates): Finished | null {
  const counted = since === null || since.acked === null || now.acked === null ? null : now.acked - since.acked;
  if (counted !== null && counted < 0) return null;
  // The rate is exact over the broker's own window, the total over ours, whose ends are only seen at ticks. But of few messages,
  // or of batches that are acknowledged together, a rate misses those that came when nobody looked.
  const isLong = gapSec !== null && sec > 2 * Math.max(gapSec, rateSec ?? 0);
  const isFew = counted !== null && counted < OVERDUE_MESSAGES && (now.ackRate ?? 0) * sec < OVERDUE_MESSAGES;
  if (counted !== null && (now.ackRate === null || isLong || isFew)) return { messages: counted, seen: 1 };
  return now.ackRate === null ? null : { messages: now.ackRate * sec, seen: Math.min(1, (rateSec ?? sec) / sec) };
}

type Speed = Pick<DirectState, "mu" | "messageSec" | "weight" | "batch" | "muConfidence" | "muSurprise">;

function learnMu(state: DirectState, window: Window, { messages, seen }: Finished, smoothing: Smoothing): Speed {
  const { mu, messageSec, weight, batch, muConfidence, muSurprise } = state;
  const same = { mu, messageSec, weight, batch, muConfidence, muSurprise };
  const { workerSec, most, fewest, minReady, isKnown } = window;
  // While the number of workers moves, which of them did the work is known only roughly.
  const certainty = most === 0 ? 0 : Math.max(0, 1 - (2 * (most - fewest)) / most);
  if (!isKnown || workerSec <= 0 || certainty === 0) return same;

  if (minReady < Math.max(1, most)) {
    // Workers that had to wait say nothing of what they could do, except that they can do what they did.
    const isFaster = mu !== null && messages > mu * workerSec && messages >= TELLING_MESSAGES && certainty === 1;
    return isFaster
      ? smoothedMu(state, { messages, workerSec, countedWorkerSec: workerSec * seen }, smoothing, 1)
      : { ...same, batch: NO_WORK };
  }
  const work: Work = {
    messages: batch.messages + messages,
    workerSec: batch.workerSec + workerSec,
    countedWorkerSec: batch.countedWorkerSec + workerSec * seen,
  };
  // Messages that are acknowledged ten at a time tell no more than one.
  const lump = smoothing.maxStep === 1 ? 1 : Math.max(1, muConfidence.dispersion);
  const isTelling = work.messages >= TELLING_MESSAGES * lump || (mu ?? 0) * work.workerSec >= OVERDUE_MESSAGES * lump;
  if (isTelling) return smoothedMu(state, work, smoothing, certainty);
  if (messageSec !== null || work.messages === 0) return { ...same, batch: work };
  const rate = work.messages / work.workerSec;
  const first = learnConfidence(NO_CONFIDENCE, { rate, exposure: work.countedWorkerSec }, 1);
  return { ...same, mu: tidy(rate), batch: work, muConfidence: { ...first, last: null } };
}

function smoothedMu(
  { mu, messageSec, weight, muConfidence, muSurprise }: DirectState,
  { messages, workerSec, countedWorkerSec }: Work,
  { alphaMu, maxStep }: Smoothing,
  certainty: number,
): Speed {
  // Of workers that finish nothing only a limit is known: they take longer than this.
  const sample = workerSec / Math.max(messages, 1);
  const window = { rate: 1 / sample, exposure: countedWorkerSec * certainty };
  const known = messageSec === null ? null : mu;
  const now = surpriseOf(muConfidence, known, window);
  const isNew = messageSec === null || (maxStep !== 1 && now !== 0 && now === muSurprise);
  const gain = gainOf(isNew ? 0 : weight, alphaMu * certainty);
  const next = isNew ? sample : messageSec + gain.ofWindow * (sample - messageSec);
  return {
    mu: tidy(1 / next),
    messageSec: next,
    weight: gain.weight,
    batch: NO_WORK,
    muConfidence: learnConfidence(muConfidence, window, gain.ofWindow),
    muSurprise: isNew ? 0 : now,
  };
}

/**
 * The first windows are averaged by their weights: of a pool that just grew one says little, and must not stand for long.
 *
 * @param weight how much was seen before, 0: nothing that counts
 */
function gainOf(weight: number, alpha: number): { readonly weight: number; readonly ofWindow: number } {
  const grown = weight + alpha * (1 - weight);
  return { weight: grown, ofWindow: alpha / grown };
}

/** Two surprises in a row to the same side are another load: what was known before them says nothing of it. */
function surpriseOf(confidence: Confidence, rate: number | null, window: CountedWindow): number {
  return rate !== null && isSurprise(confidence, rate, window) ? Math.sign(window.rate - rate) : 0;
}

type Arrivals = Pick<DirectState, "lambda" | "lambdaWeight" | "lambdaConfidence" | "lambdaSurprise">;

function learnLambda(
  { lambda, lambdaWeight, lambdaConfidence, lambdaSurprise, since, rateSec }: DirectState,
  tick: Tick,
  { sec, backlogAtStart }: Window,
  messages: number,
  { alphaLambda, maxStep }: Smoothing,
): Arrivals {
  const { published, publishRate } = tick.rates;
  const counted = since === null || since.published === null || published === null ? null : published - since.published;
  const arrived = counted ?? (backlogAtStart === null ? null : backlogOf(tick) - backlogAtStart + messages);
  const sample = publishRate ?? (arrived === null || sec <= 0 ? null : Math.max(0, arrived / sec));
  if (sample === null) return { lambda, lambdaWeight, lambdaConfidence, lambdaSurprise };
  const window = { rate: sample, exposure: publishRate === null ? sec : Math.min(sec, rateSec ?? sec) };
  const now = sec > 0 ? surpriseOf(lambdaConfidence, lambda, window) : 0;
  const isNew = lambda === null || (maxStep !== 1 && now !== 0 && now === lambdaSurprise);
  const averaged = gainOf(isNew ? 0 : lambdaWeight, alphaLambda);
  // The seed takes its first window for the truth, and lets it fade.
  const gain = maxStep === 1 && !isNew ? alphaLambda : averaged.ofWindow;
  return {
    lambda: isNew ? tidy(sample) : tidy(lambda + gain * (sample - lambda)),
    lambdaWeight: averaged.weight,
    // Of the very first reading nobody knows how long its rate was taken.
    lambdaConfidence: sec > 0 ? learnConfidence(lambdaConfidence, window, gain) : lambdaConfidence,
    lambdaSurprise: isNew ? 0 : now,
  };
}

/** @returns mu and lambda with their intervals */
export function measuredRates({ mu, lambda, muConfidence, lambdaConfidence }: DirectState): {
  readonly mu: Rate;
  readonly lambda: Rate;
} {
  return {
    // Times were smoothed, so the error is one of times: below mu there is less room than above.
    mu: rateOr(mu, muConfidence, (rate, reach) => rateWithin(rate, Math.exp(reach / rate))),
    lambda: rateOr(lambda, lambdaConfidence, rateOf),
  };
}

function rateOr(value: number | null, confidence: Confidence, of: (rate: number, reach: number) => Rate): Rate {
  if (value === null) return UNKNOWN_RATE;
  return confidence.variance === 0 ? { value, interval: null } : of(value, reachOf(confidence, value));
}

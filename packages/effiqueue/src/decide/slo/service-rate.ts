/**
 * mu from windows in which workers had work all the time: messages over worker-seconds, smoothed, and begun anew when chance no
 * longer explains what it sees. DESIGN 2.3, 2.9. Pure.
 */
import { tidy } from "../shared/exact.ts";
import type { News } from "./broker-window.ts";
import { type Busy, isSurelyMore, learnBusy, leastRate, likelyRate, NEVER_BUSY } from "./busy-rate.ts";
import { type Confidence, learnConfidence, NO_CONFIDENCE } from "./confidence.ts";
import { gainOf, type Smoothing, surpriseOf } from "./smoothing.ts";

export interface ServiceState {
  /** Messages/s of one saturated worker; `null`: unknown. */
  readonly mu: number | null;
  /** Smoothed seconds that one message takes one worker; `null` until enough were seen. Smoothing times, unlike rates, has no bias. */
  readonly messageSec: number | null;
  /** How much of `messageSec` was seen, in [0, 1]; below 1 it is no more than an average of few windows. */
  readonly weight: number;
  /** Saturated work that is not smoothed in yet: a slow worker may take many windows to a few messages. */
  readonly batch: Work;
  /** Work that did not take everybody all the time. */
  readonly busy: Busy;
  readonly muConfidence: Confidence;
  /** -1, 1: the last window was surprisingly slow, or fast. 0: it was as expected. */
  readonly muSurprise: number;
}

interface Work {
  readonly messages: number;
  readonly workerSec: number;
  /** The part of `workerSec` in which the messages were really counted. */
  readonly countedWorkerSec: number;
}

const NO_WORK: Work = { messages: 0, workerSec: 0, countedWorkerSec: 0 };

export const NO_SERVICE: ServiceState = {
  mu: null,
  messageSec: null,
  weight: 0,
  batch: NO_WORK,
  busy: NEVER_BUSY,
  muConfidence: NO_CONFIDENCE,
  muSurprise: 0,
};

/** With fewer messages than this chance says more than the worker. */
const TELLING_MESSAGES = 5;

/** Where so many were expected and fewer than the above came, the workers have become slow, or hang. */
const OVERDUE_MESSAGES = 20;

export function learnService(state: ServiceState, news: News, smoothing: Smoothing): ServiceState {
  const { window, finished } = news;
  const { messages, seen } = finished;
  const { mu, messageSec, weight, batch, busy, muConfidence, muSurprise } = state;
  const same = { mu, messageSec, weight, batch, busy, muConfidence, muSurprise };
  const { workerSec, most, fewest, minReady, isKnown } = window;
  // While the number of workers moves, which of them did the work is known only roughly.
  const certainty = most === 0 ? 0 : Math.max(0, 1 - (2 * (most - fewest)) / most);
  if (!isKnown || workerSec <= 0) return same;
  if (certainty === 0) return smoothing.maxStep === 1 ? same : withBusy(same, news);

  if (minReady < Math.max(1, most)) {
    // Workers that had to wait say nothing of what they could do, except that they can do what they did.
    const isFaster = mu !== null && messages > mu * workerSec && messages >= TELLING_MESSAGES && certainty === 1;
    if (isFaster) return withLuck(state, { messages, workerSec, countedWorkerSec: workerSec * seen }, smoothing);
    const waited = { ...same, batch: NO_WORK };
    return smoothing.maxStep === 1 ? waited : withBusy(waited, news);
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

/** Of such windows the lucky ones are heard and no others, so that many of them are no surer than the last one is. */
function withLuck(state: ServiceState, work: Work, smoothing: Smoothing): ServiceState {
  const faster = smoothedMu(state, work, smoothing, 1);
  if (smoothing.maxStep === 1) return faster;
  const window = { rate: work.messages / work.workerSec, exposure: work.countedWorkerSec };
  return { ...faster, muConfidence: { ...learnConfidence(NO_CONFIDENCE, window, 1), last: null } };
}

/** Where nothing is known, a rate that workers have at least is better than none; where it is more than what is known, that is old. */
function withBusy(state: ServiceState, { window, finished, inWork, slots, ackSec }: News): ServiceState {
  if (inWork === null) return state;
  const sec = Math.max(window.sec, ackSec);
  // What is handed out may be counted with the totals, and then nobody sees it before the window ends.
  const atEndSec = inWork * sec;
  const atWork = { mostSec: Math.max(window.busySec, atEndSec), likelySec: (window.busySec + atEndSec) / 2 };
  const busy = learnBusy(state.busy, finished.messages, atWork, sec);
  const { mu, messageSec } = state;
  const isFirst = messageSec === null;
  const told = isFirst ? leastRate(busy) : likelyRate(busy);
  if (told === null) return { ...state, busy };
  // While most of what was begun is still in work, what was finished of it says next to nothing.
  if (mu === null && busy.messages < inWork * slots) return { ...state, busy };
  if (!isFirst && mu !== null && !isSurelyMore(told, mu)) return { ...state, busy };
  const seen = { rate: told.rate, exposure: told.counts / told.rate };
  const muConfidence = { ...learnConfidence(NO_CONFIDENCE, seen, 1), last: null };
  const rate = { mu: tidy(told.rate), messageSec: isFirst ? null : 1 / told.rate, weight: 0, muConfidence };
  // What was seen of slower work is out of date.
  return { ...state, ...rate, busy: isFirst ? busy : NEVER_BUSY };
}

function smoothedMu(
  { mu, messageSec, weight, muConfidence, muSurprise }: ServiceState,
  { messages, workerSec, countedWorkerSec }: Work,
  { alphaMu, maxStep }: Smoothing,
  certainty: number,
): ServiceState {
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
    busy: NEVER_BUSY,
    muConfidence: learnConfidence(muConfidence, window, gain.ofWindow),
    muSurprise: isNew ? 0 : now,
  };
}

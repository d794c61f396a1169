/**
 * What a number of workers finishes together, and whether another number finishes as much: a sequential test of two ratios, which
 * goes on until chance no longer explains the answer (Wald 1945). DESIGN 2.16. Pure.
 */
import type { Throughput } from "./window.ts";

/** What whole windows have shown of so many workers that always had work. */
export interface Level extends Throughput {
  readonly windows: number;
}

/** Two answers to "what share of the one does the other finish?", of which the truth is nearer to one. */
export interface Question {
  readonly low: number;
  readonly high: number;
}

/** Log-likelihood ratio at which an answer counts: the other one is fifty times less likely. */
const SURE = 4;
/** One window may be luck that no estimate of its spread knows of. */
const FEWEST_WINDOWS = 2;
/** Older windows tell of another time. */
const MOST_WINDOWS = 60;
/** Of messages that should have told: with so many times as many, or all the windows, the nearer answer counts. */
const PATIENCE = 2;
/** Nothing changes any more. */
const STANDING_WINDOWS = 24;
const STANDING_SEC = 45;

/** A minute of shorter ones would be forgotten before anything stands. */
const SHORTEST_WINDOW_SEC = STANDING_SEC / MOST_WINDOWS;

export const isWhole = ({ sec }: Throughput): boolean => sec >= SHORTEST_WINDOW_SEC;

/** Two windows in a row as one, or the later one alone where others worked in it. */
export const joined = (before: Throughput | null, window: Throughput): Throughput =>
  before?.workers === window.workers
    ? {
        workers: window.workers,
        messages: before.messages + window.messages,
        sec: before.sec + window.sec,
        busyShare: meanShare(before, window),
      }
    : window;

/** A level with the messages of another window, be it by as many workers as before or by others. */
export function grown(level: Level | null, window: Throughput): Level {
  if (level?.workers !== window.workers) return { ...window, windows: 1 };
  const kept = level.windows < MOST_WINDOWS ? 1 : 1 - 1 / MOST_WINDOWS;
  const before = { ...level, messages: kept * level.messages, sec: kept * level.sec };
  return { ...joined(before, window), windows: Math.min(level.windows + 1, MOST_WINDOWS) };
}

/** By time. */
function meanShare(a: Throughput, b: Throughput): number | null {
  if (a.busyShare === null || b.busyShare === null) return a.busyShare ?? b.busyShare;
  return (a.busyShare * a.sec + b.busyShare * b.sec) / (a.sec + b.sec);
}

export const hasWindows = ({ windows }: Level): boolean => windows >= FEWEST_WINDOWS;

export const isStanding = ({ windows, sec }: Level): boolean => windows >= STANDING_WINDOWS && sec >= STANDING_SEC;

/** What can be compared with others that are seen for as long. */
export const tells = (level: Level, question: Question, dispersion: number): boolean =>
  level.windows >= MOST_WINDOWS || (hasWindows(level) && level.messages >= messagesFor(question, dispersion));

/** Messages/s. Half a message more, so that nothing at all has a logarithm. */
export const throughputOf = ({ messages, sec }: Level): number => (messages + 0.5) / sec;

/** Standard errors beyond which chance does not explain that two levels differ. */
const STANDARD_ERRORS = 3;

/**
 * What both did, with the workers of `to`: a comparison is as good as what it compares with, and luck in that would deceive all that follow.
 * Where they surely differ only the later one counts: rates have changed, or fewer workers get less in each other's way.
 */
export function pooled(from: Level, to: Level, dispersion: number): Level {
  const distance = Math.log(throughputOf(to) / throughputOf(from));
  if (distance ** 2 > STANDARD_ERRORS ** 2 * varianceOf(from, to, dispersion)) return to;
  const windows = Math.min(from.windows + to.windows, MOST_WINDOWS);
  return { ...joined({ ...from, workers: to.workers }, to), windows };
}

/** Squared standard error of the logarithm of the ratio. */
export const varianceOf = (from: Level, to: Level, dispersion: number): number =>
  dispersion * (1 / Math.max(1, from.messages) + 1 / Math.max(1, to.messages));

/** Messages of a level that can answer the question together with as many of the other. */
const messagesFor = ({ low, high }: Question, dispersion: number): number =>
  (4 * SURE * dispersion) / Math.log(high / low) ** 2;

/**
 * @param dispersion variance of a count over its mean
 * @returns `null`: not yet
 */
export function answerOf(question: Question, from: Level, to: Level, dispersion: number): "low" | "high" | null {
  if (!hasWindows(to)) return null;
  const width = Math.log(question.high / question.low);
  const middle = Math.log(question.high * question.low) / 2;
  const distance = Math.log(throughputOf(to) / throughputOf(from)) - middle;
  const isOverdue = to.windows >= MOST_WINDOWS || to.messages >= PATIENCE * messagesFor(question, dispersion);
  // Of workers that finish next to nothing the messages that should have come are the evidence.
  const due = throughputOf(from) * to.sec * Math.exp(middle);
  const variance = varianceOf(from, { ...to, messages: Math.max(to.messages, due) }, dispersion);
  const isSure = Math.abs(distance) * width >= SURE * variance;
  if (!isSure && !isOverdue) return null;
  return distance > 0 ? "high" : "low";
}

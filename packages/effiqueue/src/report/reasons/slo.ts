/** Reasons of a pool that is sized for a promise. DESIGN 6.5. Pure. */
import type { Action } from "../../model/decision.ts";
import type { DecisionEntry, ProgramStatus } from "../api-types.ts";
import { figure } from "../explain-words.ts";
import { backlogOf, type Explained, held, messages, type Say, wait, workers } from "./say.ts";

const promiseOf = ({ sloGoal, sloSec }: ProgramStatus): string =>
  sloGoal === "wait" ? `none to wait longer than ${figure(sloSec)} s` : `to be done in ${figure(sloSec)} s`;

const sloSignal: Say = (entry, status) =>
  `${messages(backlogOf(entry))} and ${figure(entry.lambdaPerSec)}/s arriving, ${promiseOf(status)} at ${figure(entry.muPerSec)}/s a worker, take ${workers(entry.neededWorkers ?? entry.desiredWorkers)}.`;

const BOOTSTRAP: Readonly<Record<Action, (entry: DecisionEntry) => string>> = {
  grow: (entry) => `, and ${wait(entry)}: one worker more at a time until it is.`,
  shrink: () => ", and workers have had nothing to do for a while: one less.",
  hold: (entry) => `; ${wait(entry)}, which is no reason for a change by itself.`,
};

export const SLO_REASONS = {
  slo: {
    name: "what the SLO takes",
    why: sloSignal,
    signal: sloSignal,
    otherwise: (_, { sloGoal }) =>
      `another ${sloGoal === "wait" ? "slo_wait_time" : "slo_drain_time"}, or faster workers`,
  },
  bootstrap: {
    name: "the careful start",
    signal: held,
    why: (entry) => `How fast a worker is, is not known yet${BOOTSTRAP[entry.action](entry)}`,
    otherwise: () => "rates of the broker (management = true) tell within a few ticks; without them it takes a while",
  },
  "unknown-rate": {
    name: "the backlog alone",
    signal: held,
    why: (entry) =>
      `How fast messages arrive is not known: the ${messages(backlogOf(entry))} there are justify growth at ${figure(entry.muPerSec)}/s a worker, and nothing justifies fewer workers.`,
    otherwise: () => "rates of the broker (management = true)",
  },
  hysteresis: {
    name: "the dead zone",
    why: (entry) =>
      `What is needed is so near to ${workers(entry.currentWorkers)} that the difference may be noise; a surplus that stands goes later.`,
    otherwise: () => "a smaller hysteresis",
  },
  "max-step": {
    name: "the step limit",
    why: (entry) =>
      `No more than ${workers(Math.abs(entry.desiredWorkers - entry.currentWorkers))} at a time; the rest follows.`,
    otherwise: () => "a larger max_step",
  },
  late: {
    name: "what would be late",
    why: (entry) =>
      `With ${workers(entry.currentWorkers)} messages would wait for more than half of the promise before new workers could help.`,
    otherwise: () => "a longer promise; max_step as a number goes there in steps",
  },
  surge: {
    name: "the surge",
    why: (entry) =>
      `Arrivals jumped to ${figure(entry.lambdaPerSec)}/s or more: if they go on to rise, even the full pool would be too late after the next count.`,
    otherwise: () => "a larger max_workers leaves more time; max_step as a number goes there in steps",
  },
  spare: {
    name: "the empty queue",
    why: ({ desiredWorkers: count }) => {
      if (count === 0) return "The queue is empty, and what may come can wait for a new worker.";
      return `The queue is about to run empty, and ${workers(count)} ${count === 1 ? "keeps" : "keep"} up for a while.`;
    },
    otherwise: () => "a larger min_workers",
  },
  "on-time": {
    name: "the wait that is allowed",
    why: (entry) =>
      `With ${workers(entry.desiredWorkers)} nobody waits for more than half of the promise, and nobody idles.`,
    otherwise: () => "a shorter promise; max_step as a number keeps the queue empty instead",
  },
  probe: {
    name: "a probe",
    why: (entry) =>
      `How fast a worker is, is not known, and a pool that stands still does not show it: one less than ${entry.currentWorkers} for a while tells.`,
    otherwise: () => "rates of the broker (management = true) make probing needless",
  },
  trial: {
    name: "a trial",
    why: (entry) =>
      `More workers may finish no more: ${workers(entry.desiredWorkers)} for a while ${entry.desiredWorkers === 1 ? "shows" : "show"} it.`,
    otherwise: () => "max_step as a number, which tries nothing",
  },
} as const satisfies Readonly<Record<string, Explained>>;

/**
 * Every reason of a decision as people say it: what it is called, what it was about with the figures of that tick, and what
 * would have made it different. A new reason does not compile until it is explained. DESIGN 6.5. Pure.
 */
import type { Action, ReasonCode } from "../model/decision.ts";
import type { DecisionEntry, ProgramStatus, Unreadable } from "./api-types.ts";
import { counted, figure, isOrAre } from "./explain-words.ts";
import { budgetText, pressureText, swapText, tooSmallText, usedText, workerText } from "./memory-words.ts";

type Say = (entry: DecisionEntry, status: ProgramStatus) => string;

interface Explained {
  /** Completes "then came ...". */
  readonly name: string;
  readonly why: Say;
  /** What was measured and asked for, where another rule had the last word; absent where there is no signal. */
  readonly signal?: Say;
  /** Completes "To change it: ..."; absent where there is nothing to change. */
  readonly otherwise?: Say;
}

const backlogOf = ({ ready, unacked }: DecisionEntry): number => (ready ?? 0) + (unacked ?? 0);
const mostOf = ({ capacityWorkers, desiredWorkers }: DecisionEntry): number => capacityWorkers ?? desiredWorkers;
const messages = (count: number): string => counted(count, "message");
const workers = (count: number): string => counted(count, "worker");
const wait = (entry: DecisionEntry): string => `${messages(entry.ready ?? 0)} ${entry.ready === 1 ? "waits" : "wait"}`;

const promiseOf = ({ sloGoal, sloSec }: ProgramStatus): string =>
  sloGoal === "wait" ? `none to wait longer than ${figure(sloSec)} s` : `to be done in ${figure(sloSec)} s`;

const sloSignal: Say = (entry, status) =>
  `${messages(backlogOf(entry))} and ${figure(entry.lambdaPerSec)}/s arriving, ${promiseOf(status)} at ${figure(entry.muPerSec)}/s a worker, take ${workers(entry.neededWorkers ?? entry.desiredWorkers)}.`;

const held: Say = (entry) =>
  entry.unacked === null ? `${wait(entry)}.` : `${wait(entry)}, ${entry.unacked} ${isOrAre(entry.unacked)} in work.`;

const by = (schedule: { readonly name: string } | undefined): string =>
  schedule === undefined ? "" : ` by schedule ${schedule.name}`;

const resume: Say = (_, { program }) => `effiqueue resume ${program}`;

const BOOTSTRAP: Readonly<Record<Action, (entry: DecisionEntry) => string>> = {
  grow: (entry) => `, and ${wait(entry)}: one worker more at a time until it is.`,
  shrink: () => ", and workers have had nothing to do for a while: one less.",
  hold: (entry) => `; ${wait(entry)}, which is no reason for a change by itself.`,
};

export const REASONS: Readonly<Record<ReasonCode, Explained>> = {
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
  ram: {
    name: "the memory limit",
    why: (entry, { mode }) =>
      tooSmallText(entry.memory) ??
      `Memory allows ${workers(mostOf(entry))}: ${mode === "threshold" ? `${usedText(entry.memory)} in use, ` : ""}${budgetText(entry.memory)}${workerText(entry.memory)}.`,
    otherwise: (_, { mode }) =>
      mode === "threshold"
        ? "more memory (ram_ratio_cap, ram_budget, ram_headroom), or workers that take less"
        : "more memory (ram_budget, ram_headroom), or workers that take less",
  },
  swap: {
    name: "the swap brake",
    why: (entry) =>
      `More swap is in use than swap_ratio_cap allows (${swapText(entry.memory)}), so the pool does not grow beyond ${workers(mostOf(entry))}.`,
    otherwise: () => "free memory on this machine, or raise swap_ratio_cap",
  },
  pressure: {
    name: "the pressure brake",
    why: (entry) =>
      `Somebody waited for memory ${pressureText(entry.memory)}, which is more than memory_pressure_cap allows or has just been, so the pool does not grow beyond ${workers(mostOf(entry))}.`,
    otherwise: () => "free memory on this machine, or raise memory_pressure_cap",
  },
  oom: {
    name: "the kill for want of memory",
    why: (entry) =>
      `The kernel killed a worker for want of memory: ${workers(mostOf(entry))} at most for now, and one more is tried every ten minutes.`,
    otherwise: () => "more memory, more of it left free (ram_headroom, or a smaller ram_budget), or max_worker_memory",
  },
  cpu: {
    name: "the processor limit",
    why: (entry) => `More than ${workers(mostOf(entry))} get no more done: the processors are busy.`,
    otherwise: () => "more processors",
  },
  downstream: {
    name: "the downstream limit",
    why: (entry) => `More than ${workers(mostOf(entry))} get no more done: what they depend on does not keep up.`,
    otherwise: () => "a faster database or service behind the workers",
  },
  "max-workers": {
    name: "the ceiling",
    why: (_, { maxWorkers, schedules }) =>
      `max_workers is ${maxWorkers}${by(schedules.find((each) => each.maxWorkers === maxWorkers))}.`,
    otherwise: () => "raise max_workers",
  },
  "min-workers": {
    name: "the floor",
    why: (_, { minWorkers, schedules }) =>
      `min_workers is ${minWorkers}${by(schedules.find((each) => each.minWorkers === minWorkers))}.`,
    otherwise: () => "lower min_workers",
  },
  hysteresis: {
    name: "the dead zone",
    why: (entry) =>
      `What is needed is so near to ${workers(entry.currentWorkers)} that the difference may be noise; a surplus that stands goes later.`,
    otherwise: () => "a smaller hysteresis",
  },
  cooldown: {
    name: "the cooldown",
    why: () => "The change before has to settle first.",
    otherwise: () => "a smaller cooldown_ticks; growth above spike_backlog does not wait",
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
  "last-worker": {
    name: "the last worker's messages",
    why: (entry) =>
      entry.unacked === null
        ? "Messages that are handed out cannot be seen, so the last worker stays until several looks in a row found nothing."
        : `${messages(entry.unacked)} ${isOrAre(entry.unacked)} still handed out: the last worker stays until it is done.`,
  },
  replacement: {
    name: "the replacement of lost workers",
    why: (entry) => `Workers were lost: they are replaced up to ${workers(entry.desiredWorkers)}.`,
    otherwise: () => "find out why they exit: the log has act.worker.exited with code and signal",
  },
  paused: {
    name: "the pause",
    why: (entry) =>
      `Scaling is paused by hand: ${workers(entry.desiredWorkers)} ${entry.desiredWorkers === 1 ? "stays" : "stay"}.`,
    otherwise: resume,
  },
  scaled: {
    name: "the number set by hand",
    why: (entry) => `The pool is set to ${workers(entry.desiredWorkers)} by hand.`,
    otherwise: resume,
  },
  drained: {
    name: "the drain",
    why: () => "The pool is drained by hand: no worker is started until it is resumed.",
    otherwise: resume,
  },
  threshold: {
    name: "the threshold",
    signal: held,
    why: (entry) =>
      backlogOf(entry) === 0
        ? "The queue is empty: one worker less."
        : `The backlog of ${messages(backlogOf(entry))} is above depth_threshold: one worker more.`,
    otherwise: (entry) => (backlogOf(entry) === 0 ? "a larger min_workers" : "a larger depth_threshold"),
  },
  steady: {
    name: "the present count",
    why: (entry) => `${messages(backlogOf(entry))}: neither a reason to grow nor to shrink.`,
  },
  unreadable: {
    name: "the unreadable queue",
    why: ({ unreadable, action }, status) =>
      unreadable === null
        ? "What the workers have in hand cannot be seen, so nothing shrinks."
        : `The queue could not be read (${causeText(unreadable, status)}). Unknown is not empty: ${action === "grow" ? "the floor is kept, and what was lost is replaced" : "the pool is held"}.`,
    otherwise: (entry) =>
      entry.unreadable === null
        ? "a way to read the queue that shows them"
        : "make the queue readable; `effiqueue doctor` looks for the cause",
  },
  depth: {
    name: "the waiting messages",
    signal: held,
    why: (entry) => `${wait(entry)}; at target_queue_depth_per_worker that asks for ${workers(entry.desiredWorkers)}.`,
    otherwise: () => "another target_queue_depth_per_worker",
  },
  utilisation: {
    name: "the busy slots",
    signal: held,
    why: (entry) =>
      `${messages(entry.unacked ?? 0)} ${isOrAre(entry.unacked ?? 0)} in work; at target_utilisation that asks for ${workers(entry.desiredWorkers)}.`,
    otherwise: () => "another target_utilisation or threads_per_worker",
  },
  overload: {
    name: "the overload",
    signal: held,
    why: (entry) =>
      `${messages(entry.unacked ?? 0)} ${isOrAre(entry.unacked ?? 0)} in work, more than ${workers(entry.currentWorkers)} ${entry.currentWorkers === 1 ? "has" : "have"} slots: at least one more, whatever the tolerance.`,
    otherwise: () => "a threads_per_worker that fits the workers",
  },
  idle: {
    name: "the empty queue",
    signal: held,
    why: () => "Nothing waits and nothing runs.",
    otherwise: () => "a larger min_workers",
  },
  tolerance: {
    name: "the tolerance",
    why: (entry) => `What is asked for lies within tolerance of ${workers(entry.currentWorkers)}.`,
    otherwise: () => "a smaller tolerance",
  },
  "draining-work": {
    name: "work of draining workers",
    why: () => "Messages of workers that already go are no reason for more workers.",
  },
  "up-window": {
    name: "the up-window",
    why: () => "Not all of scale_up_window asked for as many workers.",
    otherwise: () => "a shorter scale_up_window",
  },
  "down-window": {
    name: "the down-window",
    why: () => "Within scale_down_window more workers were asked for.",
    otherwise: () => "a shorter scale_down_window",
  },
};

/** What stands at the top of the page already is not said again with each decision. */
const causeText = ({ code, message }: Unreadable, status: ProgramStatus): string =>
  message === status.unreadable?.message ? code : `${code}: ${message}`;

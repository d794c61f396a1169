/** Reasons of a pool that is sized by what waits and runs: the modes `hpa` and `threshold`. DESIGN 6.5. Pure. */
import { isOrAre } from "../explain-words.ts";
import { backlogOf, type Explained, held, messages, wait, workers } from "./say.ts";

export const DEPTH_REASONS = {
  threshold: {
    name: "the threshold",
    signal: held,
    why: (entry) =>
      backlogOf(entry) === 0
        ? "The queue is empty: one worker less."
        : `The backlog of ${messages(backlogOf(entry))} is above depth_threshold: one worker more.`,
    otherwise: (entry) => (backlogOf(entry) === 0 ? "a larger min_workers" : "a larger depth_threshold"),
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
} as const satisfies Readonly<Record<string, Explained>>;

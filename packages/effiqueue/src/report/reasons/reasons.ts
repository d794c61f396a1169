/**
 * Every reason of a decision as people say it: what it is called, what it was about with the figures of that tick, and what
 * would have made it different. A new reason does not compile until it is explained. DESIGN 6.5. Pure.
 */
import type { ReasonCode } from "../../model/decision.ts";
import type { ProgramStatus, Unreadable } from "../api-types.ts";
import { isOrAre } from "../explain-words.ts";
import { spelled } from "../spelling.ts";
import { DEPTH_REASONS } from "./depth.ts";
import { LIMIT_REASONS } from "./limits.ts";
import { backlogOf, type Explained, messages, type Say, workers } from "./say.ts";
import { SLO_REASONS } from "./slo.ts";

const resume: Say = (_, { program }) => `effiqueue resume ${program}`;

export const REASONS: Readonly<Record<ReasonCode, Explained>> = {
  ...SLO_REASONS,
  ...LIMIT_REASONS,
  ...DEPTH_REASONS,
  cooldown: {
    name: "the cooldown",
    why: () => "The change before has to settle first.",
    otherwise: () => "a smaller cooldown_ticks; growth above spike_backlog does not wait",
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
};

/** What stands at the top of the page already is not said again with each decision. */
const causeText = ({ code, message }: Unreadable, status: ProgramStatus): string =>
  message === status.unreadable?.message ? code : `${code}: ${message}`;

/** What a decision was about, by the names that the reader can set. */
export const whyOf: Say = (entry, status) => spelled(REASONS[entry.reason].why(entry, status), status.settings);

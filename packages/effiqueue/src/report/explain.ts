/**
 * Why the pool is as large as it is, for the person who has to answer for it: what is known now, and the last decisions as
 * sentences with their figures, what overruled what, and what would change the outcome. DESIGN 6.5. Pure.
 */
import type { Interval } from "../model/decision.ts";
import { visible } from "../model/visible.ts";
import type { DecisionEntry, GapStatus, ProgramStatus } from "./api-types.ts";
import { clockTime, counted, dayAndTime, figure, limitsText, recycledText } from "./explain-words.ts";
import { gapWords } from "./gap-words.ts";
import { REASONS, whyOf } from "./reasons/reasons.ts";
import { advised, spelled } from "./spelling.ts";
import { troublesOf } from "./troubles.ts";

const INDENT = "  ";

/** @param decisions oldest first, as `/api/decisions` has them. @returns lines, each ended */
export function explainDecisions(status: ProgramStatus, decisions: readonly DecisionEntry[]): string {
  const entries = decisions.map((entry) => explained(entry, status));
  const none = status.state === "lost" ? [] : ["No decision yet."];
  const blocks = [present(status), ...(entries.length === 0 ? none.map((text) => [text]) : entries)];
  return blocks.map((lines) => `${lines.map(visible).join("\n")}\n`).join("\n");
}

/** The program, and what is known of it at this moment. */
function present(status: ProgramStatus): string[] {
  const { program, mode, minWorkers, maxWorkers, workers } = status;
  const promise = promiseText(status);
  const head = `${program} (mode ${mode}): ${minWorkers} to ${counted(maxWorkers, "worker")}${promise}`;
  const pool = workers === null ? [] : [`${workersText(workers)}${queueText(status)}`];
  return [
    head,
    ...[...scheduled(status), ...pool, ...rates(status), ...recycled(status), ...troublesOf(status)].map(
      (line) => INDENT + line,
    ),
  ];
}

const scheduled = ({ schedules }: ProgramStatus): string[] =>
  schedules.map(
    ({ name, minWorkers, maxWorkers, until }) =>
      `By schedule ${name}, ${limitsText(minWorkers, maxWorkers, " and ")} until ${dayAndTime(until)} (UTC).`,
  );

function promiseText({ sloGoal, sloSec }: ProgramStatus): string {
  if (sloGoal === null) return "";
  return sloGoal === "drain"
    ? `, to empty the queue within ${figure(sloSec)} s`
    : `, so that no message waits longer than ${figure(sloSec)} s`;
}

const recycled = ({ recycled: last }: ProgramStatus): string[] =>
  last === null ? [] : [`Worker ${last.pid} was replaced ${dayAndTime(last.at)}: ${recycledText(last)}.`];

function workersText({ current, starting, draining }: NonNullable<ProgramStatus["workers"]>): string {
  const young = starting > 0 ? `, ${starting} of them starting` : "";
  return `${counted(current, "worker")} now${young}${draining > 0 ? `; ${draining} draining` : ""}.`;
}

function queueText({ queue }: ProgramStatus): string {
  if (queue === null) return "";
  const inHand = queue.unacked === null ? "what is handed out cannot be seen" : `${queue.unacked} handed out`;
  // More than there are workers: each has several, or somebody else consumes as well.
  const consumers = queue.consumers ? `; ${counted(queue.consumers, "consumer")}` : "";
  return ` ${counted(queue.backlog, "message")}: ${queue.ready} waiting, ${inHand}${consumers}.`;
}

const SOURCES = ["", "by the rates of the broker", "inferred from the backlog"] as const;

const between = ({ low, high }: Interval): string => `${figure(low)} to ${figure(high)}`;

const surely = (interval: Interval | null): string =>
  interval === null ? "" : `, ${between(interval)} with 95% confidence`;

function rates({ mode, decision }: ProgramStatus): string[] {
  if (mode !== "slo" || decision === null) return [];
  const { muPerSec, lambdaPerSec, muIntervalPerSec, lambdaIntervalPerSec, muSource } = decision;
  const mu =
    muPerSec === null
      ? "How fast a worker is, is not known yet"
      : `A worker does ${figure(muPerSec)}/s (${SOURCES[muSource]}${surely(muIntervalPerSec)})`;
  const lambda =
    lambdaPerSec === null
      ? "how fast messages arrive is not known"
      : `${figure(lambdaPerSec)}/s arrive${lambdaIntervalPerSec === null ? "" : ` (${between(lambdaIntervalPerSec)})`}`;
  return [`${mu}; ${lambda}.`];
}

/** One decision: when, what, by which signal and which limit, why, what it replaced, what is missing, what would change it. */
export function explained(entry: DecisionEntry, status: ProgramStatus): string[] {
  const { otherwise } = REASONS[entry.reason];
  const { settings } = status;
  const advice = otherwise && advised(otherwise(entry, status), settings);
  const lines = [
    ...signal(entry, status),
    whyOf(entry, status),
    ...limit(entry, status),
    ...overruled(entry),
    ...(entry.gap === null ? [] : gapText(entry, entry.gap, status)),
    ...(advice === undefined ? [] : [`To change it: ${advice}.`]),
    `Figures: ${entry.rationale}.`,
  ];
  return [`${when(entry)}  ${change(entry)}`, ...lines.map((line) => INDENT + spelled(line, settings))];
}

function when({ firstAt, lastAt, times }: DecisionEntry): string {
  return times === 1 ? dayAndTime(lastAt) : `${dayAndTime(firstAt)} to ${clockTime(lastAt)} (${times} ticks)`;
}

function change({ action, currentWorkers, desiredWorkers }: DecisionEntry): string {
  if (action === "hold") return `stayed at ${counted(desiredWorkers, "worker")}`;
  return `${action === "grow" ? "grew" : "shrank"} from ${currentWorkers} to ${counted(desiredWorkers, "worker")}`;
}

/** Said by the reason itself where that is the signal. */
function signal(entry: DecisionEntry, status: ProgramStatus): string[] {
  const [first] = entry.trail;
  const said = first === undefined || entry.ready === null ? undefined : REASONS[first].signal;
  return said === undefined ? [] : [said(entry, status)];
}

/** Of a pool that it does not hold back; where it does, the reason or the gap says it. */
function limit({ gap, capacityWorkers, boundBy, reason }: DecisionEntry, { mode }: ProgramStatus): string[] {
  if (mode !== "slo" || gap !== null || capacityWorkers === null) return [];
  if (reason === boundBy || (reason === "max-workers" && boundBy === "max_workers")) return [];
  return [`${counted(capacityWorkers, "worker")} would fit (${boundBy}).`];
}

function overruled({ trail, reason }: DecisionEntry): string[] {
  const replaced = trail.filter((each, index) => each !== trail[index - 1]).map((each) => REASONS[each].name);
  if (replaced.length === 0) return [];
  return [`First counted ${replaced.join(", then ")}; ${REASONS[reason].name} had the last word.`];
}

function gapText(entry: DecisionEntry, gap: GapStatus, { sloGoal, sloSec, settings }: ProgramStatus): string[] {
  const { missing, drain, remedy } = gapWords({ ...entry, gap, sloGoal, sloSec, settings });
  return [`${missing} ${drain}`, `To close the gap: ${remedy}.`];
}

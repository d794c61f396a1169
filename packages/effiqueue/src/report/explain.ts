/**
 * Why the pool is as large as it is, for the person who has to answer for it: what is known now, and the last decisions as
 * sentences with their figures, what overruled what, and what would change the outcome. DESIGN 6.5. Pure.
 */
import type { Interval } from "../model/decision.ts";
import { visible } from "../model/visible.ts";
import type { DecisionEntry, GapStatus, ProgramStatus } from "./api-types.ts";
import { LIFTED, REASONS } from "./explain-reasons.ts";
import { bytesText, clockTime, counted, dayAndTime, figure } from "./explain-words.ts";

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
  const { program, mode, minWorkers, maxWorkers, workers, spawnBackoffSec } = status;
  const promise = promiseText(status);
  const head = `${program} (mode ${mode}): ${minWorkers} to ${counted(maxWorkers, "worker")}${promise}`;
  const pause =
    spawnBackoffSec !== null && spawnBackoffSec > 0
      ? [`Workers crash in a row: no more are started for ${figure(spawnBackoffSec)} s.`]
      : [];
  const pool = workers === null ? [] : [`${workersText(workers)} ${queueText(status)}`];
  return [
    head,
    ...[...pool, ...rates(status), ...pause, ...hints(status), ...lost(status)].map((line) => INDENT + line),
  ];
}

function promiseText({ sloGoal, sloSec }: ProgramStatus): string {
  if (sloGoal === null) return "";
  return sloGoal === "drain"
    ? `, to empty the queue within ${figure(sloSec)} s`
    : `, so that no message waits longer than ${figure(sloSec)} s`;
}

const lost = ({ state }: ProgramStatus): string[] =>
  state === "lost" ? ["Another process runs this pool now; ask that one."] : [];

function workersText({ current, starting, draining }: NonNullable<ProgramStatus["workers"]>): string {
  const young = starting > 0 ? `, ${starting} of them starting` : "";
  return `${counted(current, "worker")} now${young}${draining > 0 ? `; ${draining} draining` : ""}.`;
}

function queueText({ queue, unreadable, lastGoodReadingAgeSec }: ProgramStatus): string {
  if (queue !== null) {
    const inHand = queue.unacked === null ? "what is handed out cannot be seen" : `${queue.unacked} handed out`;
    return `${counted(queue.backlog, "message")}: ${queue.ready} waiting, ${inHand}.`;
  }
  const since = lastGoodReadingAgeSec === null ? "yet" : `for ${figure(Math.round(lastGoodReadingAgeSec))} s`;
  return `The queue could not be read ${since}${unreadable === null ? "" : `: ${unreadable.message}`}.`;
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

/** Messages that workers took in advance wait where no other worker can take them. */
const TAKEN_IN_ADVANCE = 2;

function hints({ queue, workers, decision }: ProgramStatus): string[] {
  if (queue === null || workers === null || queue.unacked === null || queue.ready > 0 || workers.current === 0)
    return [];
  const isHoarded = queue.unacked > TAKEN_IN_ADVANCE * workers.current;
  if (!isHoarded || (decision?.neededWorkers ?? 0) <= workers.current) return [];
  return [
    `All ${queue.unacked} messages are handed out to ${counted(workers.current, "worker")}, so a new one would find none: a smaller prefetch of the workers spreads them.`,
  ];
}

/** One decision: when, what, why, what it replaced, what is missing, what would change it. */
export function explained(entry: DecisionEntry, status: ProgramStatus): string[] {
  const { why, otherwise } = REASONS[entry.reason];
  const lines = [
    why(entry, status),
    ...overruled(entry),
    ...(entry.gap === null ? [] : gapText(entry, entry.gap, status)),
    ...(otherwise === undefined ? [] : [`To change it: ${otherwise(entry, status)}.`]),
    `Figures: ${entry.rationale}.`,
  ];
  return [`${when(entry)}  ${change(entry)}`, ...lines.map((line) => INDENT + line)];
}

function when({ firstAt, lastAt, times }: DecisionEntry): string {
  return times === 1 ? dayAndTime(lastAt) : `${dayAndTime(firstAt)} to ${clockTime(lastAt)} (${times} ticks)`;
}

function change({ action, currentWorkers, desiredWorkers }: DecisionEntry): string {
  if (action === "hold") return `stayed at ${counted(desiredWorkers, "worker")}`;
  return `${action === "grow" ? "grew" : "shrank"} from ${currentWorkers} to ${counted(desiredWorkers, "worker")}`;
}

function overruled({ trail, reason }: DecisionEntry): string[] {
  const replaced = trail.filter((each, index) => each !== trail[index - 1]).map((each) => REASONS[each].name);
  if (replaced.length === 0) return [];
  return [`First counted ${replaced.join(", then ")}; ${REASONS[reason].name} had the last word.`];
}

function gapText(
  entry: DecisionEntry,
  { workers, bytes, bestDrainSec }: GapStatus,
  { sloGoal, sloSec }: ProgramStatus,
): string[] {
  const { neededWorkers, boundBy, muPerSec, lambdaPerSec } = entry;
  const capacityWorkers = entry.capacityWorkers ?? 0;
  const missing = `${figure(neededWorkers)} workers are needed, ${capacityWorkers} fit (${boundBy}): ${workers} ${workers === 1 ? "is" : "are"} missing${bytes === null ? "" : `, which is ${bytesText(bytes)}`}.`;
  const most = muPerSec === null ? null : muPerSec * capacityWorkers;
  const drain =
    bestDrainSec === "infinite"
      ? `The queue can never be emptied here: ${counted(capacityWorkers, "worker")} finish ${figure(most)}/s and ${figure(lambdaPerSec)}/s arrive.`
      : `With all of them it empties in ${figure(Math.ceil(bestDrainSec))} s at best, not in ${figure(sloSec)} s.`;
  return [
    `${missing} ${drain}`,
    `To close the gap: ${LIFTED[boundBy]}, or loosen ${sloGoal === "wait" ? "slo_wait_time" : "slo_drain_time"}.`,
  ];
}

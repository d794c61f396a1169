/**
 * The numbers of a program as rows of one grid: name, present value with its unit, and a bar or the past. All workers are drawn on one
 * scale, so that what is missing is seen. DESIGN 6.8. Pure.
 */

import { spelled } from "../spelling.ts";
import { clip, padded, widthOf } from "./cells.ts";
import type { PastTick } from "./history.ts";
import type { Ink, Line, Style } from "./line.ts";
import { bar, type Fill, sparkline } from "./marks.ts";
import type { ProgramView } from "./view.ts";
import {
  backlogWords,
  briefest,
  doneWords,
  drainText,
  lambdaWords,
  memoryWords,
  muWords,
  UNKNOWN,
  type Words,
} from "./words.ts";

const LABEL = 10;
const MOST_VALUE = 33;
const LEAST_VALUE = 14;
/** Less of a graphic tells nothing. */
const LEAST_GRAPHIC = 8;

/** Draws what fits into so many cells. */
type Graphic = (width: number) => string;

export interface Grid {
  readonly columns: number;
  readonly style: Style;
}

function row(label: string, words: Words, { columns }: Grid, graphic?: Graphic, ink?: Ink): Line {
  const room = columns - 1 - LABEL;
  const width = Math.min(MOST_VALUE, Math.max(LEAST_VALUE, Math.floor(room / 2)));
  const left = room - width - 1;
  const head = [{ text: ` ${padded(label, LABEL)}`, ink: "faint" as const }];
  if (graphic === undefined || left < LEAST_GRAPHIC) return [...head, { text: fitting(words, room) }];
  return [...head, { text: `${padded(fitting(words, width), width)} ` }, { text: graphic(left), ink }];
}

/** A detail that does not fit goes; half a word of it tells nothing. */
const fitting = (words: Words, width: number): string =>
  words.find((each) => widthOf(each) <= width) ?? clip(briefest(words), width, "");

/** Needed, capacity, running, starting, draining. */
export function workerRows(view: ProgramView, grid: Grid): Line[] {
  const { figures, boundBy, maxWorkers, mode, settings } = view;
  const { workers, starting, draining, needed, desired } = figures;
  const isSlo = mode === "slo";
  const capacity = figures.capacity ?? maxWorkers;
  const asked = isSlo ? needed : desired;
  const running = workers === null ? null : workers - (starting ?? 0);
  const scale = Math.max(1, asked ?? 0, capacity, (workers ?? 0) + (draining ?? 0));

  const drawn = (label: string, count: number | null, words: string, fill: Fill, ink?: Ink): Line =>
    row(label, [words], grid, (width) => bar((count ?? 0) / scale, width, fill, grid.style), ink);
  const plainCount = (label: string, count: number | null, fill: Fill): Line =>
    drawn(label, count, count === null ? UNKNOWN : String(count), fill, "work");

  const isShort = asked !== null && asked > capacity;
  const bound = spelled(figures.capacity === null ? "max_workers" : (boundBy ?? ""), settings);
  return [
    drawn(
      isSlo ? "needed" : "wanted",
      asked,
      asked === null ? "unknown yet" : String(asked),
      "solid",
      isShort ? "short" : "work",
    ),
    drawn("capacity", capacity, `${capacity} (${bound})`, "light"),
    plainCount("running", running, "solid"),
    plainCount("starting", starting, "medium"),
    plainCount("draining", draining, "light"),
  ];
}

/**
 * Backlog, lambda, mu and drain time: now, and since the viewer looks. What a mode without an SLO does not measure has no row there; with one,
 * that it is unknown yet is worth knowing.
 */
export function rateRows(view: ProgramView, past: readonly PastTick[], grid: Grid): Line[] {
  const { drainSec, arrivingPerSec, donePerSec, mode, figures, sloGoal, sloSec } = view;
  const drawn = (label: string, words: Words, of: (tick: PastTick) => number | null, ink: Ink = "work"): Line =>
    row(label, words, grid, (width) => sparkline(past.map(of), width, grid.style), ink);
  const backlog = drawn("backlog", backlogWords(view), (tick) => tick.backlog);
  const lambda = drawn("lambda", lambdaWords(view), (tick) => tick.arrivingPerSec);
  if (mode !== "slo") {
    const done = drawn("done", doneWords(view), (tick) => tick.donePerSec);
    return [backlog, ...(arrivingPerSec === null ? [] : [lambda]), ...(donePerSec === null ? [] : [done])];
  }
  const mu = drawn("mu", muWords(view), ({ muPerSec }) => muPerSec);
  const promise = sloSec === null ? "" : ` (SLO ${drainText(sloSec)})`;
  const isLate = (seconds: number | null): boolean => seconds !== null && sloSec !== null && seconds > sloSec;
  const timed = (label: string, seconds: number | null, of: (tick: PastTick) => number | null): Line =>
    drawn(label, [drainText(seconds) + promise, drainText(seconds)], of, isLate(seconds) ? "short" : "work");
  const time =
    sloGoal === "wait" && figures.oldestAgeSec !== null
      ? timed("oldest", figures.oldestAgeSec, ({ oldestAgeSec }) => oldestAgeSec)
      : timed("drains in", drainSec, (tick) => tick.drainSec);
  return [backlog, lambda, mu, time];
}

/** None for a policy that measures no memory. */
export function memoryRows(view: ProgramView, grid: Grid): Line[] {
  const { poolBytes, budgetBytes } = view.figures;
  if (poolBytes === null && view.mode !== "slo") return [];
  const isKnown = poolBytes !== null && budgetBytes !== null && budgetBytes > 0;
  const share = isKnown ? poolBytes / budgetBytes : 0;
  const graphic = (width: number): string => (isKnown ? framed(share, width, grid.style) : "");
  return [row("memory", memoryWords(view), grid, graphic, share > NEARLY_FULL ? "short" : "work")];
}

const NEARLY_FULL = 0.9;

/** A bar with its end in sight. */
function framed(share: number, width: number, style: Style): string {
  const [left, right] = style.unicode ? ["▕", "▏"] : ["[", "]"];
  return left + padded(bar(share, width - 2, "solid", style), width - 2) + right;
}

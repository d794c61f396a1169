/**
 * The numbers of a program as rows of one grid: name, present value with its unit, and a bar or the past. All workers are drawn on one
 * scale, so that what is missing is seen. DESIGN 6.8. Pure.
 */
import { padded } from "./cells.ts";
import type { PastTick } from "./history.ts";
import type { Ink, Line, Style } from "./line.ts";
import { bar, type Fill, sparkline } from "./marks.ts";
import type { ProgramView } from "./view.ts";
import { backlogText, drainText, memoryText, muText, rateText, UNKNOWN } from "./words.ts";

const LABEL = 10;
const MOST_VALUE = 31;
const LEAST_VALUE = 14;
/** Less of a graphic tells nothing. */
const LEAST_GRAPHIC = 8;

/** Draws what fits into so many cells. */
type Graphic = (width: number) => string;

export interface Grid {
  readonly columns: number;
  readonly style: Style;
}

function row(label: string, value: string, { columns }: Grid, graphic?: Graphic, ink?: Ink): Line {
  const room = columns - 1 - LABEL;
  const width = Math.min(MOST_VALUE, Math.max(LEAST_VALUE, Math.floor(room / 2)));
  const left = room - width - 1;
  const head = [{ text: ` ${padded(label, LABEL)}`, ink: "faint" as const }];
  if (graphic === undefined || left < LEAST_GRAPHIC) return [...head, { text: value }];
  return [...head, { text: `${fitted(value, width)} ` }, { text: graphic(left), ink }];
}

/** A detail that does not fit goes; half a word of it tells nothing. */
function fitted(value: string, width: number): string {
  const brief = value.length <= width ? value : value.replace(/(, | \().*$/, "");
  return padded(brief.slice(0, width), width);
}

/** Needed, capacity, running, starting, draining. */
export function workerRows(view: ProgramView, grid: Grid): Line[] {
  const { figures, boundBy, maxWorkers, mode } = view;
  const { workers, starting, draining, needed, desired } = figures;
  const isSlo = mode === "slo";
  const capacity = figures.capacity ?? maxWorkers;
  const asked = isSlo ? needed : desired;
  const running = workers === null ? null : workers - (starting ?? 0);
  const scale = Math.max(1, asked ?? 0, capacity, (workers ?? 0) + (draining ?? 0));

  const drawn = (label: string, count: number | null, words: string, fill: Fill, ink?: Ink): Line =>
    row(label, words, grid, (width) => bar((count ?? 0) / scale, width, fill, grid.style), ink);
  const plainCount = (label: string, count: number | null, fill: Fill): Line =>
    drawn(label, count, count === null ? UNKNOWN : String(count), fill, "work");

  const isShort = asked !== null && asked > capacity;
  const bound = figures.capacity === null ? "max_workers" : (boundBy ?? "");
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

/** Backlog, lambda, mu and drain time: now, and since the viewer looks. */
export function rateRows(view: ProgramView, past: readonly PastTick[], grid: Grid): Line[] {
  const { drainSec, arrivingPerSec, donePerSec, mode, figures, sloGoal, sloSec } = view;
  const drawn = (label: string, value: string, of: (tick: PastTick) => number | null, ink: Ink = "work"): Line =>
    row(label, value, grid, (width) => sparkline(past.map(of), width, grid.style), ink);
  const rows = [
    drawn("backlog", backlogText(view), ({ backlog }) => backlog),
    drawn("lambda", rateText(arrivingPerSec, "arriving"), (tick) => tick.arrivingPerSec),
  ];
  if (mode !== "slo") return [...rows, drawn("done", rateText(donePerSec, "finished"), (tick) => tick.donePerSec)];
  rows.push(drawn("mu", muText(view), ({ muPerSec }) => muPerSec));
  const promise = sloSec === null ? "" : ` (SLO ${drainText(sloSec)})`;
  const isLate = (seconds: number | null): boolean => seconds !== null && sloSec !== null && seconds > sloSec;
  const timed = (label: string, seconds: number | null, of: (tick: PastTick) => number | null): Line =>
    drawn(label, drainText(seconds) + promise, of, isLate(seconds) ? "short" : "work");
  return sloGoal === "wait" && figures.oldestAgeSec !== null
    ? [...rows, timed("oldest", figures.oldestAgeSec, ({ oldestAgeSec }) => oldestAgeSec)]
    : [...rows, timed("drains in", drainSec, (tick) => tick.drainSec)];
}

export function memoryRow(view: ProgramView, grid: Grid): Line {
  const { poolBytes, budgetBytes } = view.figures;
  const isKnown = poolBytes !== null && budgetBytes !== null && budgetBytes > 0;
  const share = isKnown ? poolBytes / budgetBytes : 0;
  return row(
    "memory",
    memoryText(view),
    grid,
    (width) => framed(share, width, grid.style),
    share > 0.9 ? "short" : "work",
  );
}

/** A bar with its end in sight. */
function framed(share: number, width: number, style: Style): string {
  const [left, right] = style.unicode ? ["▕", "▏"] : ["[", "]"];
  return left + padded(bar(share, width - 2, "solid", style), width - 2) + right;
}

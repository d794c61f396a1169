/** The last decisions with their reasons, and the programs to choose from. DESIGN 6.8. Pure. */
import { visible } from "../../model/visible.ts";
import { clockTime } from "../explain-words.ts";
import { clip, padded, widthOf } from "./cells.ts";
import type { Line, Style } from "./line.ts";
import type { DecisionView, ProgramView } from "./view.ts";
import { grouped } from "./words.ts";

export const heading = (text: string): Line => [{ text: ` ${text}`, ink: "strong" }];

export function decisionLine({ at, times, from, to, reason, why }: DecisionView, style: Style): Line {
  const arrow = style.unicode ? "→" : "->";
  const change = from === to ? `stays ${to}` : `${from} ${arrow} ${to}`;
  const ticks = times === 1 ? "" : ` ${style.unicode ? "×" : "x"}${times}`;
  return [
    { text: ` ${clockTime(at)}  `, ink: "faint" },
    { text: padded(change + ticks, 13), ink: from === to ? undefined : "strong" },
    { text: ` ${padded(reason, 12)} `, ink: "work" },
    { text: why },
  ];
}

const STATE = 12;
const GAP = 9;
const POOL = 12;

/** Of the columns below, and of so many programs as fit, the chosen one among them. @param rows with the heading, > 1 */
export function programLines(views: readonly ProgramView[], chosen: ProgramView, rows: number, style: Style): Line[] {
  const shown = around(views, chosen, rows - 1);
  const width = Math.min(24, Math.max(8, ...views.map(({ program }) => widthOf(visible(program)))));
  const names = `${padded(" programs", width + 5)} ${padded("state", STATE)}${padded("", GAP)}${padded("workers", POOL)}backlog`;
  return [
    [{ text: names, ink: "strong" }],
    ...shown.map((view) => {
      const { figures, program, state } = view;
      const isChosen = view === chosen;
      const marker = isChosen ? (style.unicode ? "▸" : ">") : " ";
      const name = padded(clip(visible(program), width, style.unicode ? "…" : "~"), width);
      const number = String(views.indexOf(view) + 1).padStart(2);
      const pool = `${grouped(figures.workers)} of ${figures.needed ?? figures.desired ?? "?"}`;
      const gap = figures.gapWorkers ?? 0;
      return [
        { text: ` ${marker}${number} ${name} `, ink: isChosen ? ("strong" as const) : undefined },
        { text: padded(state, STATE), ink: state === "running" ? ("work" as const) : ("short" as const) },
        ...(gap > 0 ? [{ text: ` GAP ${gap} `, ink: "alarm" as const }] : []),
        { text: " ".repeat(Math.max(0, GAP - (gap > 0 ? String(gap).length + 6 : 0))) },
        { text: `${padded(pool, POOL)}${grouped(figures.backlog)}` },
      ];
    }),
  ];
}

function around(views: readonly ProgramView[], chosen: ProgramView, count: number): readonly ProgramView[] {
  const middle = views.indexOf(chosen) - Math.floor(count / 2);
  const first = Math.min(Math.max(0, middle), Math.max(0, views.length - count));
  return views.slice(first, first + count);
}

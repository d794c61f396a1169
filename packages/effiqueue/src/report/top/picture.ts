/**
 * The whole screen as lines: the verdict first, then the numbers, then why. Rows are given to what matters most; a small screen gets
 * the same in few words. DESIGN 6.8. Pure.
 */
import { visible } from "../../model/visible.ts";
import { clockTime } from "../explain-words.ts";
import { clip, widthOf, wrap } from "./cells.ts";
import { BLANK, type Line, painted, type Style } from "./line.ts";
import { decisionLine, heading, programLines } from "./lists.ts";
import { type Grid, memoryRows, rateRows, workerRows } from "./rows.ts";
import type { Scene, Size } from "./scene.ts";
import { smallPicture } from "./small.ts";
import { verdict } from "./verdict.ts";
import type { ProgramView } from "./view.ts";

const LEAST_COLUMNS = 44;
const LEAST_ROWS = 15;
/** From here on sentences may be as long as they are. */
const ROOMY_ROWS = 24;
const MOST_PROGRAMS = 8;
const FEW_PROGRAMS = 3;

/** @returns at most `rows` lines of at most `columns` cells */
export function picture(scene: Scene, { columns, rows }: Size, style: Style): string[] {
  const isSmall = columns < LEAST_COLUMNS || rows < LEAST_ROWS;
  const lines = isSmall ? smallPicture(scene) : largePicture(scene, rows, { columns, style });
  return lines.slice(0, rows).map((line) => painted(line, columns, style));
}

function largePicture(scene: Scene, rows: number, grid: Grid): Line[] {
  const { view, views, past } = scene;
  const head = titleLine(scene, grid.columns);
  const notes = noteLines([...scene.notes, ...view.troubles], grid.columns);
  const blocks = [
    [head, ...notes],
    verdict(view, grid.columns, rows < ROOMY_ROWS),
    workerRows(view, grid),
    [...rateRows(view, past, grid), ...memoryRows(view, grid)],
  ];
  const keys = scene.keys ? [keyLine(views.length)] : [];

  // Rows that are left: one decision, a few programs, air, more programs, and decisions to the end.
  let left = rows - blocks.flat().length - keys.length;
  const take = (wanted: number): number => {
    const got = Math.max(0, Math.min(wanted, left));
    left -= got;
    return got;
  };
  const isChoice = views.length > 1;
  const decision = take(Math.min(2, view.decisions.length + 1));
  const few = isChoice ? take(Math.min(FEW_PROGRAMS, views.length) + 1) : 0;
  const air = take(blocks.length + (isChoice ? 1 : 0));
  const programRows = few + (isChoice ? take(Math.min(MOST_PROGRAMS, views.length) + 1 - few) : 0);
  const decisionRows = decision + take(view.decisions.length + 1 - decision);

  if (decisionRows > 1) blocks.push([heading("decisions"), ...decisionLines(view, decisionRows - 1, grid.style)]);
  if (programRows > 1) blocks.push(programLines(views, view, programRows, grid.style));
  const body = blocks.flatMap((block, index) => (index > 0 && index <= air ? [BLANK, ...block] : block));
  const filler = Number.isFinite(rows) ? Array<Line>(Math.max(0, rows - body.length - keys.length)).fill(BLANK) : [];
  return [...body, ...(scene.keys ? filler : []), ...keys];
}

const decisionLines = ({ decisions }: ProgramView, rows: number, style: Style): Line[] =>
  decisions.slice(0, rows).map((decision) => decisionLine(decision, style));

/** What does not fit goes: the time first, then the limits; never the state. */
function titleLine({ view, views, now }: Scene, columns: number): Line {
  const { program, mode, minWorkers, maxWorkers } = view;
  const place = views.length > 1 ? `  ${views.indexOf(view) + 1} of ${views.length}` : "";
  const limits = `  ${mode}, ${minWorkers} to ${maxWorkers} workers${place}`;
  const state = `  ${view.state}`;
  const name = ` ${visible(program)}`;
  const time = `${clockTime(now)} UTC `;
  const about = widthOf(name + limits + state) <= columns ? limits : place;
  const between = columns - widthOf(name + about + state + time);
  return [
    { text: clip(name, Math.max(8, columns - widthOf(about + state)), "~"), ink: "strong" },
    { text: about, ink: "faint" },
    { text: state, ink: view.state === "running" ? "work" : "short" },
    ...(between > 0 ? [{ text: " ".repeat(between) + time, ink: "faint" as const }] : []),
  ];
}

/** A note may be as long as a broker is talkative. */
const MOST_NOTE_LINES = 3;

function noteLines(notes: readonly string[], columns: number): Line[] {
  return notes.flatMap((note) =>
    wrap(visible(note), columns - 4)
      .slice(0, MOST_NOTE_LINES)
      .map((text, index) => [
        { text: index === 0 ? " ! " : "   ", ink: "short" as const },
        { text, ink: "short" as const },
      ]),
  );
}

function keyLine(programs: number): Line {
  const keys = ["q quit", "? help", "space pause", ...(programs > 1 ? ["tab next program"] : [])];
  return [{ text: ` ${keys.join("   ")}`, ink: "faint" }];
}

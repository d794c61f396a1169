/** The picture of one moment as lines of text: numbers as bars, their history, the last decisions and events. Pure. */

export interface Moment {
  readonly elapsedSec: number;
  readonly pending: number;
  readonly running: number;
  readonly slots: number;
  readonly workers: number;
  readonly draining: number;
  readonly maxWorkers: number;
  readonly completed: number;
  readonly enqueued: number;
  /** One sample a second, oldest first. */
  readonly history: readonly { readonly pending: number; readonly workers: number }[];
  readonly decisions: readonly Note[];
  readonly events: readonly Note[];
}

export interface Note {
  readonly atSec: number;
  readonly text: string;
  readonly tone?: "bad" | "good";
}

export interface Style {
  readonly columns: number;
  readonly rows: number;
  readonly colour: boolean;
  /** False: ASCII only. */
  readonly unicode: boolean;
}

type Colour = "bold" | "dim" | "red" | "green" | "yellow" | "cyan";

const CODES: Readonly<Record<Colour, number>> = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 };
const LABEL_WIDTH = 10;
const FIGURE_WIDTH = 27;
/** Lines that do not belong to a list: title, four bars, two histories, two headings and the space between. */
const FIXED_ROWS = 15;

export const clockText = (seconds: number): string => {
  const whole = Math.floor(seconds);
  return `${String(Math.floor(whole / 60)).padStart(2, "0")}:${String(whole % 60).padStart(2, "0")}`;
};

export function paint(text: string, colour: Colour, style: Pick<Style, "colour">): string {
  return style.colour ? `\x1b[${CODES[colour]}m${text}\x1b[0m` : text;
}

/** Whole and eighth blocks, so that a bar moves smoothly. */
export function bar(share: number, width: number, unicode: boolean): string {
  const filled = Math.min(1, Math.max(0, share)) * width;
  if (!unicode) return "#".repeat(Math.round(filled)).padEnd(width);
  const eighths = Math.round(filled * 8);
  const rest = eighths % 8;
  const end = rest === 0 ? "" : String.fromCodePoint(0x2590 - rest); // U+258F is one eighth, U+2589 seven
  return ("█".repeat((eighths - rest) / 8) + end).padEnd(width);
}

/** One character per sample, the newest at the right end. */
export function sparkline(samples: readonly number[], width: number, unicode: boolean): string {
  const shown = samples.slice(-width);
  const highest = Math.max(1, ...shown);
  const marks = unicode ? " ▁▂▃▄▅▆▇█" : " .:-=+*%#";
  return shown
    .map((sample) => marks[sample === 0 ? 0 : Math.max(1, Math.round((sample / highest) * (marks.length - 1)))])
    .join("");
}

/** The moment in at most `rows` lines of at most `columns` characters. */
export function picture(moment: Moment, style: Style): string[] {
  const width = Math.min(style.columns, 100) - 2;
  const barWidth = width - LABEL_WIDTH - FIGURE_WIDTH;
  const separator = style.unicode ? "·" : "-";

  const gauge = (label: string, share: number, figure: string, colour: Colour): string =>
    ` ${label.padEnd(LABEL_WIDTH)}${paint(bar(share, barWidth, style.unicode), colour, style)}  ${figure}`;
  const past = (label: string, samples: readonly number[], colour: Colour): string =>
    ` ${label.padEnd(LABEL_WIDTH)}${paint(sparkline(samples, barWidth + FIGURE_WIDTH, style.unicode), colour, style)}`;
  const list = (heading: string, notes: readonly Note[], rows: number): string[] => [
    ` ${paint(heading, "bold", style)}`,
    ...Array.from({ length: rows }, (_, row) => noteLine(notes[Math.max(0, notes.length - rows) + row], width, style)),
  ];

  const highest = Math.max(1, ...moment.history.map(({ pending }) => pending), moment.pending);
  const draining = moment.draining > 0 ? `, ${moment.draining} leaving` : "";
  const title = `flexiq ${separator} a queue in one SQLite file, autoscaled`;
  const listRows = Math.max(2, style.rows - FIXED_ROWS);
  const decisionRows = Math.ceil(listRows / 2);
  return [
    ` ${paint(title, "bold", style)}${clockText(moment.elapsedSec).padStart(width - title.length)}`,
    "",
    gauge("pending", moment.pending / highest, String(moment.pending), "yellow"),
    gauge("running", moment.running / Math.max(1, moment.slots), `${moment.running} in ${moment.slots} slots`, "cyan"),
    gauge("workers", moment.workers / moment.maxWorkers, `${moment.workers}${draining}`, "green"),
    gauge("done", moment.completed / Math.max(1, moment.enqueued), `${moment.completed} of ${moment.enqueued}`, "dim"),
    "",
    past(
      "pending",
      moment.history.map(({ pending }) => pending),
      "yellow",
    ),
    past(
      "workers",
      moment.history.map(({ workers }) => workers),
      "green",
    ),
    "",
    ...list("Decisions", moment.decisions, decisionRows),
    "",
    ...list("Events", moment.events, listRows - decisionRows),
    "",
  ];
}

function noteLine(note: Note | undefined, width: number, style: Style): string {
  if (note === undefined) return "";
  const stamp = clockText(note.atSec);
  const text = clip(note.text, width - stamp.length - 2, style);
  const tone = note.tone === "bad" ? "red" : "green";
  return ` ${paint(stamp, "dim", style)}  ${note.tone === undefined ? text : paint(text, tone, style)}`;
}

const clip = (text: string, width: number, { unicode }: Style): string =>
  text.length <= width ? text : `${text.slice(0, width - (unicode ? 1 : 3))}${unicode ? "…" : "..."}`;

/** The moment in one line, for where there is no terminal. */
export function plainLine(moment: Moment): string {
  const { elapsedSec, pending, running, slots, workers, draining, completed, enqueued } = moment;
  const leaving = draining > 0 ? ` (+${draining} leaving)` : "";
  return `${clockText(elapsedSec)}  pending ${pending}  running ${running}/${slots}  workers ${workers}${leaving}  done ${completed}/${enqueued}`;
}

/**
 * Arrivals over time, as they were recorded or invented, and their file: one line an interval, with the facts about workers and
 * machine that a replay needs in front. DESIGN 13.2. Pure.
 */
import { tidy } from "../decide/shared/exact.ts";

export interface Trace {
  /** Seconds, > 0. */
  readonly intervalSec: number;
  /** Messages of each interval, >= 0. */
  readonly arrivals: readonly number[];
  /** `poisson`: these are means, and chance decides; `exact`: so many came, only the instants within the interval are chance. */
  readonly spread: "poisson" | "exact";
  /** What was seen meanwhile, where it was recorded: at the end of each interval, `null` where it is not known. */
  readonly measured?: MeasuredCurves;
  /** Of workers and machine, by the names of `FACTS`. */
  readonly facts?: Facts;
}

export interface MeasuredCurves {
  readonly backlog: readonly (number | null)[];
  readonly workers: readonly (number | null)[];
}

/** What a recording can know beside the counts. */
const FACTS = ["service_sec", "slots", "startup_sec", "worker_bytes", "memory_bytes", "other_bytes"] as const;

export type Facts = Readonly<Partial<Record<(typeof FACTS)[number], number>>>;

export const lengthOf = ({ intervalSec, arrivals }: Trace): number => intervalSec * arrivals.length;

/** The text is no trace: names the line, and what would be right. */
export class TraceError extends Error {
  override readonly name = "TraceError";
  readonly code = "trace";
  /** From 1. */
  readonly line: number;

  constructor(line: number, text: string) {
    super(`line ${line}: ${text}`);
    this.line = line;
  }
}

interface ParseOptions {
  /** Of rows that do not say when they are. */
  readonly intervalSec?: number | undefined;
  /** Default: `exact`, as a recording is. */
  readonly spread?: Trace["spread"] | undefined;
}

interface Row {
  readonly line: number;
  readonly cells: readonly string[];
}

/**
 * A head names the columns: `arrivals` is needed, `sec` (the end of the interval), `backlog` and `workers` are used, others are
 * passed over. Without a head the last column is the arrivals. `# name=value` in front tells facts, other comments nothing.
 *
 * @throws TraceError
 */
export function parseTrace(text: string, { intervalSec, spread = "exact" }: ParseOptions = {}): Trace {
  const { facts, rows } = linesOf(text);
  const [first, ...others] = rows;
  if (first === undefined) throw new TraceError(1, "expected rows with arrivals, got none");
  const isHead = first.cells.some((cell) => cell !== "" && Number.isNaN(Number(cell)));
  const names = isHead ? first.cells.map((cell) => cell.toLowerCase()) : [];
  const body = isHead ? others : rows;
  const column = (name: string): number => names.indexOf(name);
  const counts = isHead ? column("arrivals") : first.cells.length - 1;
  if (counts < 0) throw new TraceError(first.line, `expected a column "arrivals", got ${names.join(", ")}`);
  if (body.length === 0) throw new TraceError(first.line, "expected rows with arrivals below the head, got none");
  // Hours that are taken for seconds would look like an answer.
  if (names.length > 1 && column("sec") < 0 && intervalSec === undefined) {
    const expected = 'a column "sec" with the second at which each row ends, or to be told the interval';
    throw new TraceError(first.line, `expected ${expected}; got ${names.join(", ")}`);
  }

  const arrivals = body.map(({ line, cells }) => {
    const count = numberIn(cells[counts]);
    if (count === null || count < 0) {
      throw new TraceError(line, `expected a number of arrivals >= 0, got ${JSON.stringify(cells[counts] ?? "")}`);
    }
    return count;
  });
  const curve = (name: string) => body.map(({ cells }) => (column(name) < 0 ? null : numberIn(cells[column(name)])));
  const measured = { backlog: curve("backlog"), workers: curve("workers") };
  return {
    intervalSec: stepOf(body, column("sec")) ?? intervalSec ?? 1,
    arrivals,
    spread,
    ...(Object.values(measured).some((values) => values.some((value) => value !== null)) ? { measured } : {}),
    ...(Object.keys(facts).length > 0 ? { facts } : {}),
  };
}

/** The file of a trace; `parseTrace` gives it back. */
export function formatTrace({ intervalSec, arrivals, measured, facts = {} }: Trace): string {
  const names = ["sec", "arrivals", ...(measured === undefined ? [] : ["backlog", "workers"])];
  const rows = arrivals.map((count, i) => [
    tidy((i + 1) * intervalSec),
    tidy(count),
    ...(measured === undefined ? [] : [measured.backlog[i] ?? "", measured.workers[i] ?? ""]),
  ]);
  const known = FACTS.flatMap((name) => (facts[name] === undefined ? [] : [`# ${name}=${facts[name]}`]));
  return `${[...known, names.join(","), ...rows.map((row) => row.join(","))].join("\n")}\n`;
}

function linesOf(text: string): { readonly facts: Facts; readonly rows: readonly Row[] } {
  const facts: Partial<Record<(typeof FACTS)[number], number>> = {};
  const rows: Row[] = [];
  for (const [i, raw] of text.split(/\r?\n/).entries()) {
    const content = raw.trim();
    if (content.startsWith("#")) {
      const [, name, value] = /^#\s*([a-z_]+)\s*=\s*(\S+)$/.exec(content) ?? [];
      const fact = FACTS.find((each) => each === name);
      const known = numberIn(value);
      if (fact === undefined) continue;
      if (known === null || known < 0)
        throw new TraceError(i + 1, `expected ${fact} as a number >= 0, got ${value ?? ""}`);
      facts[fact] = known;
    } else if (content !== "") rows.push({ line: i + 1, cells: content.split(/[,;\t]/).map(bare) });
  }
  return { facts, rows };
}

/** Spreadsheets put quotes around cells. */
const bare = (cell: string): string =>
  cell
    .trim()
    .replace(/^"(.*)"$/, "$1")
    .trim();

function numberIn(cell: string | undefined): number | null {
  if (cell === undefined || cell === "") return null;
  const value = Number(cell);
  return Number.isFinite(value) ? value : null;
}

/** Seconds from row to row, which have to be the same everywhere. */
function stepOf(rows: readonly Row[], column: number): number | undefined {
  if (column < 0 || rows.length < 2) return undefined;
  const at = rows.map(({ cells }) => numberIn(cells[column]));
  const [first, second] = at;
  const step = first == null || second == null ? Number.NaN : second - first;
  for (const [i, { line, cells }] of rows.entries()) {
    const distance = i === 0 ? step : (at[i] ?? Number.NaN) - (at[i - 1] ?? Number.NaN);
    if (!(distance > 0) || Math.abs(distance - step) > 1e-6 * step) {
      throw new TraceError(line, `expected "sec" in equal steps, got ${JSON.stringify(cells[column] ?? "")}`);
    }
  }
  return step;
}

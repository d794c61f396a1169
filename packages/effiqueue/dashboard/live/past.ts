/** The hour of one program as charts take it: what the daemon kept, and each status since. */
import type { HistoryColumn, HistoryPoint, HistoryReply, ProgramStatus } from "../../src/report/api-types.ts";
import { HISTORY_COLUMNS, pointOf } from "../../src/report/history-point.ts";

/** Columns of equal length, oldest first. */
export interface Past {
  readonly spanSec: number;
  /** Seconds since 1970, rising. */
  readonly times: readonly number[];
  readonly columns: Readonly<Record<HistoryColumn, readonly (number | null)[]>>;
}

export function pastOf({ now, spanSec, ageSec, columns }: HistoryReply): Past {
  const nowSec = Date.parse(now) / 1000;
  return { spanSec, times: ageSec.map((age) => nowSec - age), columns };
}

/** With the tick that a status tells of; the same when that is no news. */
export function continued(past: Past, nowSec: number, status: ProgramStatus): Past {
  if (status.lastTickAgeSec === null) return past;
  const at = nowSec - status.lastTickAgeSec;
  // The two are reckoned from one tick at different moments, and rounded.
  if (at - (past.times.at(-1) ?? Number.NEGATIVE_INFINITY) < 0.05) return past;
  const first = past.times.findIndex((time) => time >= nowSec - past.spanSec);
  const from = first < 0 ? past.times.length : first;
  const point = pointOf(status);
  return {
    spanSec: past.spanSec,
    times: [...past.times.slice(from), at],
    columns: mapColumns((name) => [...past.columns[name].slice(from), point[name]]),
  };
}

const mapColumns = (values: (name: HistoryColumn) => (number | null)[]): Past["columns"] =>
  Object.fromEntries(HISTORY_COLUMNS.map((name) => [name, values(name)])) as unknown as Past["columns"];

/** One moment of it. */
export const at = ({ columns }: Past, index: number): HistoryPoint =>
  Object.fromEntries(HISTORY_COLUMNS.map((name) => [name, columns[name][index] ?? null])) as unknown as HistoryPoint;

/**
 * The last hour of one program, for charts. It has the size that it will ever have from the first tick on: 75 kB. Ages
 * are kept on the monotonic clock, so a clock that is set leaves no hole and no fold in a chart. DESIGN 6.7.
 */
import type { MonotonicMs, WallMs } from "../units.ts";
import type { HistoryColumn, HistoryPoint, HistoryReply } from "./api-types.ts";
import { HISTORY_COLUMNS } from "./history-point.ts";
import { isoTime } from "./measured.ts";

const SPAN_MS = 3_600_000;
const POINTS = 720;

/** Ticks that follow one another faster are one point, the latest. */
const STEP_MS = SPAN_MS / POINTS;

/** The time, then the columns. */
const WIDTH = 1 + HISTORY_COLUMNS.length;

/** More digits than a chart has pixels only make an answer longer. */
const DIGITS = 6;

export class History {
  #ring: Float64Array | undefined;
  /** Points written since the beginning. */
  #written = 0;
  /** When the latest point was begun. */
  #begunAt = Number.NEGATIVE_INFINITY;

  add(point: HistoryPoint, now: MonotonicMs): void {
    this.#ring ??= new Float64Array(POINTS * WIDTH);
    if (now - this.#begunAt >= STEP_MS) {
      this.#written += 1;
      this.#begunAt = now;
    }
    const at = ((this.#written - 1) % POINTS) * WIDTH;
    this.#ring[at] = now;
    for (const [index, name] of HISTORY_COLUMNS.entries()) this.#ring[at + 1 + index] = point[name] ?? Number.NaN;
  }

  /** Oldest first. */
  reply(program: string, now: MonotonicMs, wall: WallMs): HistoryReply {
    const rows = this.#rows().filter(([at = 0]) => now - at <= SPAN_MS);
    const columns = {} as Record<HistoryColumn, (number | null)[]>;
    for (const [index, name] of HISTORY_COLUMNS.entries()) columns[name] = rows.map((row) => shown(row[1 + index]));
    return {
      apiVersion: 1,
      program,
      now: isoTime(wall),
      spanSec: SPAN_MS / 1000,
      ageSec: rows.map(([at = 0]) => Math.round(now - at) / 1000),
      columns,
    };
  }

  #rows(): Float64Array[] {
    const ring = this.#ring;
    if (ring === undefined) return [];
    const count = Math.min(this.#written, POINTS);
    return Array.from({ length: count }, (_, i) => {
      const at = ((this.#written - count + i) % POINTS) * WIDTH;
      return ring.subarray(at, at + WIDTH);
    });
  }
}

function shown(value: number | undefined): number | null {
  if (value === undefined || Number.isNaN(value)) return null;
  return Number.isInteger(value) ? value : Number(value.toPrecision(DIGITS));
}

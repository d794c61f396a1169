/** Numbers and stamps on their way out. What is no measurement is unknown, never zero. DESIGN 2.3, 6.4. Pure. */
import type { Measured } from "../model/observation.ts";

export function measured(value: Measured): number | null {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : null;
}

/** Whole milliseconds: what lies behind them is the dust of doubles. */
export const secOf = (ms: number): number => Math.round(ms) / 1000;

/** The last moment that a `Date` can hold, for a clock that is set to nonsense must not end a tick. */
const LAST_MS = 8.64e15;

export const isoTime = (wall: number): string => new Date(Math.min(LAST_MS, Math.max(-LAST_MS, wall))).toISOString();

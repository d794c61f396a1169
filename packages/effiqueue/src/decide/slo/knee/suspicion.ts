/**
 * Whether more workers seem to finish no more. Only a reason to ask, or not to ask: rates that change while a pool grows look like a
 * knee time and again. DESIGN 2.16. Pure.
 */
import { hasWindows, type Level, throughputOf, varianceOf } from "./level.ts";

/** Share of the growth that more workers should bring, at which they bring enough, and at which they bring suspiciously little. */
const GOOD_GROWTH = 0.75;
const POOR_GROWTH = 0.5;
/** Beyond that it was not the workers that brought it: the first of them were still warming up, or were seen in a bad moment. */
const ODD_GROWTH = 1.5;
/** Standard errors that the growth must be beyond that. */
const STANDARD_ERRORS = 2;

/** `null`: nobody can tell. */
export type Growth = "good" | "poor" | null;

/** Whether `level` finishes as much more than `base` as it has more workers. */
export function growthOf(base: Level | null, level: Level, dispersion: number): Growth {
  if (base === null || level.workers <= base.workers || !hasWindows(level)) return null;
  const more = level.workers / base.workers - 1;
  const ratio = throughputOf(level) / throughputOf(base);
  const share = (ratio - 1) / more;
  const error = (STANDARD_ERRORS * ratio * Math.sqrt(varianceOf(base, level, dispersion))) / more;
  if (share - error > POOR_GROWTH && share > GOOD_GROWTH && share < ODD_GROWTH) return "good";
  return share + error < POOR_GROWTH ? "poor" : null;
}

/** The level that the others are compared with: the fewest workers, or the latest up to which throughput grew with them. */
export function baseOf(base: Level | null, level: Level, growth: Growth): Level | null {
  const isBase = base === null || level.workers <= base.workers || growth === "good";
  return isBase && hasWindows(level) ? level : base;
}

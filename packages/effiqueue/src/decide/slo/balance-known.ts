/** Which of two fits of mu is believed, and how what was known ages. DESIGN 2.4, 2.23. Pure. */
import type { Known } from "./balance-doubt.ts";

/** `reach` is as it was when that was new. */
export interface KnownMu extends Known {
  /** By how much it has grown since. */
  readonly age: number;
  /** Known without windows in which workers came. */
  readonly isSettled: boolean;
  /** Known from arrivals that were believed to stand still. */
  readonly isOfStill: boolean;
}

/** Chance makes the interval of a fit half as wide or twice as wide as that of the one before, seldom more. */
const KNOWS_LESS = 2;

export function newerOf(aged: KnownMu | null, fresh: KnownMu | null): KnownMu | null {
  if (aged === null || fresh === null) return fresh ?? aged;
  // What it rested on has turned out not to be so.
  if (aged.isOfStill && !fresh.isOfStill) return fresh;
  // Not the narrower of two: what narrows it may be luck, and would then stand for long. But where a load that jumped has cost what
  // the fit rested on, or only workers that came at some time within a window are left to tell, the one before knows more.
  const isLess = aged.isSettled && !fresh.isSettled;
  return fresh.reach > aged.reach * (isLess ? aged.age : Math.max(aged.age, KNOWS_LESS)) ? aged : fresh;
}

export const nowOf = ({ value, reach, age }: KnownMu): Known => ({ value, reach: reach * age });

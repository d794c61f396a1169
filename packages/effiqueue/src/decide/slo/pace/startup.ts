/** How long a worker takes from its start to its first message, seen from the counts alone. DESIGN 2.14. Pure. */
import type { WorkersReading } from "../../../model/observation.ts";
import { TUNING } from "./tuning.ts";

export interface Startup {
  /** Seconds to reckon with; `null`: none was seen. */
  readonly sec: number | null;
  /** Seconds since each starting worker was started, oldest first. */
  readonly pendingSec: readonly number[];
  readonly serving: number;
}

export const NO_STARTUP: Startup = { sec: null, pendingSec: [], serving: 0 };

/** The slow ones count: to reckon with too little makes messages late, with too much is a little dear. */
const FORGET = 0.1;

export function learnStartup({ sec, pendingSec, serving }: Startup, workers: WorkersReading, dtSec: number): Startup {
  const older = pendingSec.map((age) => age + dtSec);
  const left = Math.max(0, older.length - workers.starting);
  const fresh = new Array<number>(Math.max(0, workers.starting - older.length)).fill(dtSec);
  const now = { pendingSec: [...older.slice(left), ...fresh], serving: workers.serving };
  const age = older[left - 1];
  // Who left without one more serving was stopped before it served.
  if (age === undefined || workers.serving <= serving) return { sec, ...now };
  // It began at some time within the tick.
  const sample = age - dtSec / 2;
  return { sec: sec === null ? sample : Math.max(sample, sec + FORGET * (sample - sec)), ...now };
}

export const startupSec = ({ sec }: Startup): number => sec ?? TUNING.firstStartupSec;

/** Seconds until each starting worker serves. */
export function comingSec(startup: Startup): readonly number[] {
  const takesSec = startupSec(startup);
  return startup.pendingSec.map((age) => Math.max(0, takesSec - age));
}

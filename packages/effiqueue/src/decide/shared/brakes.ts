/**
 * What stops growth though the budget has room: a machine that pages, waits for memory, or has run out of it. DESIGN 2.11. Pure.
 */
import type { BoundBy } from "../../model/decision.ts";
import type { MemoryReading, Observation } from "../../model/observation.ts";
import { currentOf } from "../../model/worker.ts";
import type { ProgramConfig } from "../program.ts";
import { elapsedSec, known, knownCount } from "./known.ts";

export interface Limit {
  readonly workers: number;
  readonly boundBy: BoundBy;
  /** In place of the usual words for that kind of limit. */
  readonly phrase?: string;
}

/** What is carried from tick to tick; plain JSON. */
export interface Brakes {
  readonly isPressed: boolean;
  /** What the kernel left of the pool when it last killed for want of memory; `null`: it has not, or long ago. */
  readonly survivors: Survivors | null;
}

interface Survivors {
  readonly workers: number;
  /** Seconds until one more is tried. */
  readonly sec: number;
}

export const NO_BRAKES: Brakes = { isPressed: false, survivors: null };

/** The pressure is of ten seconds and wavers: a brake that goes off at the cap would come on again with each worker that starts. */
const RELEASED_BELOW = 1 / 2;

/** A kill costs a message its work, so one more is tried seldom; and workers may not stay away for good because of one bad hour. */
const TRIED_EVERY_SEC = 600;

export function braked(
  program: ProgramConfig,
  before: Brakes,
  observation: Observation,
  workerBytes: number | null,
): Brakes {
  const pressure = known(observation.memory?.pressure) ?? 0;
  const cap = program.memoryPressureCap;
  return {
    isPressed: pressure > cap || (before.isPressed && pressure > cap * RELEASED_BELOW),
    survivors: survivorsOf(before.survivors, program, observation, workerBytes),
  };
}

/** So many did not fit: what is left does, and then one more at a time. */
function survivorsOf(
  before: Survivors | null,
  { maxWorkers }: ProgramConfig,
  { dtSec, memory, oomKills, workers }: Observation,
  workerBytes: number | null,
): Survivors | null {
  if ((knownCount(oomKills) ?? 0) > 0 && !wasOdd(memory, workerBytes)) {
    return { workers: Math.max(1, currentOf(workers)), sec: TRIED_EVERY_SEC };
  }
  if (before === null) return null;
  const sec = before.sec - elapsedSec(dtSec);
  if (sec > 0) return { ...before, sec };
  return before.workers + 1 >= maxWorkers ? null : { workers: before.workers + 1, sec: TRIED_EVERY_SEC };
}

/** It left room for two like the others: it had a message that is too much for any worker, say, and was not one too many. */
function wasOdd(memory: Observation["memory"], workerBytes: number | null): boolean {
  const total = known(memory?.totalBytes);
  const used = known(memory?.usedBytes);
  return total !== null && used !== null && workerBytes !== null && total - used >= 2 * workerBytes;
}

/** The limits that the brakes set at this tick. */
export function brakeLimits(
  program: ProgramConfig,
  { isPressed, survivors }: Brakes,
  { memory, workers }: Observation,
): readonly Limit[] {
  const current = currentOf(workers);
  const on: BoundBy[] = [];
  if (isSwapping(program, memory)) on.push("swap");
  if (isPressed) on.push("pressure");
  const held = on.map((boundBy): Limit => ({ workers: current, boundBy }));
  return survivors === null ? held : [...held, { workers: survivors.workers, boundBy: "oom" }];
}

function isSwapping({ swapRatioCap }: ProgramConfig, memory: MemoryReading | null | undefined): boolean {
  const used = known(memory?.swapUsedBytes);
  const total = known(memory?.swapTotalBytes);
  // Without swap there is nothing to page to, and 0 / 0 is no ratio.
  return used !== null && total !== null && total > 0 && used / total > swapRatioCap;
}

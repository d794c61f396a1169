/**
 * What stops growth though the budget has room: a machine that pages, or that waits for memory. DESIGN 2.11. Pure.
 */
import type { BoundBy } from "../../model/decision.ts";
import type { MemoryReading, Observation } from "../../model/observation.ts";
import type { ProgramConfig } from "../program.ts";
import { known } from "../shared/known.ts";

export interface Limit {
  readonly workers: number;
  readonly boundBy: BoundBy;
}

/** What is carried from tick to tick; plain JSON. */
export interface Brakes {
  readonly isPressed: boolean;
}

export const NO_BRAKES: Brakes = { isPressed: false };

/** The pressure is of ten seconds and wavers: a brake that goes off at the cap would come on again with each worker that starts. */
const RELEASED_BELOW = 1 / 2;

export function braked(program: ProgramConfig, before: Brakes, { memory }: Observation): Brakes {
  const pressure = known(memory?.pressure) ?? 0;
  const cap = program.memoryPressureCap;
  return { isPressed: pressure > cap || (before.isPressed && pressure > cap * RELEASED_BELOW) };
}

/** The limits that the brakes set at this tick. */
export function brakeLimits(
  program: ProgramConfig,
  { isPressed }: Brakes,
  { memory, workers }: Observation,
): readonly Limit[] {
  const current = workers.starting + workers.serving;
  const on: BoundBy[] = [];
  if (isSwapping(program, memory)) on.push("swap");
  if (isPressed) on.push("pressure");
  return on.map((boundBy) => ({ workers: current, boundBy }));
}

function isSwapping({ swapRatioCap }: ProgramConfig, memory: MemoryReading | null | undefined): boolean {
  const used = known(memory?.swapUsedBytes);
  const total = known(memory?.swapTotalBytes);
  // Without swap there is nothing to page to, and 0 / 0 is no ratio.
  return used !== null && total !== null && total > 0 && used / total > swapRatioCap;
}

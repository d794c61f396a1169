/**
 * A promised wait as a drain time: what the oldest message has left of it is how long the backlog may take. So the policy has one
 * goal, and works the harder the nearer the promise comes to being broken. DESIGN 2.12. Pure.
 */
import type { Measured, Observation } from "../../model/observation.ts";
import type { ProgramConfig } from "../program.ts";
import { tidy } from "../shared/exact.ts";
import { known } from "../shared/known.ts";

/** Share of the wait that is reckoned with at least. Nothing left would ask for workers without end, for messages that are late already. */
const LEAST_LEFT = 0.25;

/**
 * @param waitSec the promise, > 0
 * @param ageSec  of the oldest waiting message; unknown: the backlog has all the time, as with a drain time
 * @returns seconds, > 0
 */
export function timeLeftSec(waitSec: number, ageSec: Measured): number {
  return tidy(Math.max(waitSec * LEAST_LEFT, waitSec - (known(ageSec) ?? 0)));
}

/** The program with the drain time that holds at this tick. */
export function withTimeLeft(program: ProgramConfig, { queue }: Observation): ProgramConfig {
  const { sloWaitTime } = program;
  if (sloWaitTime === undefined) return program;
  return { ...program, sloDrainTime: timeLeftSec(sloWaitTime, queue?.oldestAgeSec) };
}

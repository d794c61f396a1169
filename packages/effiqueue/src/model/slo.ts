/** What a program promises of its queue, in one shape for all who name it. DESIGN 2.12. Pure. */
import type { Options } from "./keys.ts";

/** `drain`: the queue is empty within so many seconds. `wait`: no message waits longer than that for a worker. */
export type SloGoal = "drain" | "wait";

export interface Slo {
  readonly goal: SloGoal;
  /** > 0 */
  readonly sec: number;
}

/** `null`: nothing is promised, for what stands in a program of another mode, perhaps since it is shared, is no promise. */
export function sloOf({ mode = "slo", sloDrainTime, sloWaitTime }: SloOptions): Slo | null {
  if (mode !== "slo") return null;
  if (sloWaitTime !== undefined) return { goal: "wait", sec: sloWaitTime };
  return sloDrainTime === undefined ? null : { goal: "drain", sec: sloDrainTime };
}

export type SloOptions = Partial<Pick<Options, "mode" | "sloDrainTime" | "sloWaitTime">>;

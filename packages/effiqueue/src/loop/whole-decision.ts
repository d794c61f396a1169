/**
 * A decision with everything that records of ticks hold, also where a policy of somebody else's says only how many workers
 * there should be. DESIGN 6.4. Pure.
 */
import type { Decision, ProgramDecision } from "../model/decision.ts";
import { UNMEASURED } from "../model/unmeasured.ts";

export function wholeDecision(decision: Decision | ProgramDecision): ProgramDecision {
  if ("capacity" in decision) return decision;
  return { ...decision, ...UNMEASURED, capacity: Number.POSITIVE_INFINITY, boundBy: "max_workers" };
}

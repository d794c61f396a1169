/**
 * A decision with everything that records of ticks hold, also where a policy of somebody else's says only how many workers
 * there should be. DESIGN 6.4. Pure.
 */
import type { Decision, ProgramDecision } from "../model/decision.ts";

export function wholeDecision(decision: Decision | ProgramDecision): ProgramDecision {
  if ("capacity" in decision) return decision;
  return {
    ...decision,
    needed: null,
    capacity: Number.POSITIVE_INFINITY,
    boundBy: "max_workers",
    gap: null,
    mu: null,
    lambda: null,
    muSource: 0,
    probing: false,
    spread: null,
  };
}

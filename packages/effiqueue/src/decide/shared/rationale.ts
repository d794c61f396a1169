/**
 * A decision as the chain of rules that led to it. Each rule that changed the number adds a link with its reason and its
 * numbers; the last link is what happens. So the reason, the trail and the sentence can never disagree. DESIGN 1.3. Pure.
 */
import type { Action, Decision, ReasonCode } from "../../model/decision.ts";

export interface Link {
  /** Workers there should be, as far as this rule goes. */
  readonly workers: number;
  readonly reason: ReasonCode;
  /** Short, lower-case, with the numbers: `40 pending / 15 per worker asks for 3`. */
  readonly phrase: string;
}

/** First to last; never empty. */
export type Chain = readonly [Link, ...Link[]];

export function lastOf(chain: Chain): Link {
  return chain.at(-1) ?? chain[0];
}

const PREFIX: Readonly<Record<Action, string>> = { grow: "scale-up", shrink: "scale-down", hold: "hold" };

export function decisionOf(chain: Chain, current: number): Decision {
  const { workers, reason } = lastOf(chain);
  const action = workers > current ? "grow" : workers < current ? "shrink" : "hold";
  return {
    current,
    desired: workers,
    action,
    reason,
    trail: chain.slice(0, -1).map((link) => link.reason),
    rationale: `${PREFIX[action]}: ${chain.map((link) => link.phrase).join(", ")}`,
  };
}

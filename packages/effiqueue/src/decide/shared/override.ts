/**
 * The word of an operator as a rule, the last but for those that protect the machine: it goes above what the queue asks for, at once,
 * and never above what the machine can hold or the ceiling. Below the floor it goes only where the operator has named the number.
 * DESIGN 7.13. Pure.
 */
import type { ReasonCode } from "../../model/decision.ts";
import type { Observation } from "../../model/observation.ts";
import type { Override, OverrideKind } from "../../model/override.ts";
import type { Limits } from "../../model/schedule.ts";
import type { Capacity } from "./capacity.ts";
import { clamp } from "./clamp.ts";
import { limited } from "./limits.ts";
import { type Chain, lastOf } from "./rationale.ts";

/** The chain with the operator's word; unchanged where there is none, or it says what happens anyway. */
export function overridden(
  chain: Chain,
  current: number,
  { override }: Observation,
  limits: Limits,
  room: Capacity,
): Chain {
  if (override === undefined) return chain;
  const { atLeast, atMost } = override;
  const wish = lastOf(chain).workers;
  const told = clamp(wish, atLeast, atMost ?? Number.POSITIVE_INFINITY);
  // Where the number is set the reason is the operator's, whatever else came to the same.
  if (told === wish && atLeast !== atMost) return chain;
  const { reason, phrase } = WORDS[override.kind];
  const own: Chain = [...chain, { workers: told, reason, phrase: phrase(told) }];
  const allowed = limited(own, isNumber(override) ? { ...limits, minWorkers: 0 } : limits);
  return within(allowed, wish, current, room);
}

/** Not above what the machine can hold, unless there would be more without the operator. */
function within(chain: Chain, wish: number, current: number, { workers, boundBy, isUnknown }: Capacity): Chain {
  const told = lastOf(chain).workers;
  const most = Math.max(wish, workers);
  const fitting: Chain =
    told <= most
      ? chain
      : [
          ...chain,
          {
            workers: most,
            reason: boundBy === "max_workers" ? "max-workers" : boundBy,
            phrase: `${most} fit (${boundBy})`,
          },
        ];
  const step = Math.max(wish, current + 1);
  if (!isUnknown || lastOf(fitting).workers <= step) return fitting;
  return [...fitting, { workers: step, reason: "max-step", phrase: "what a worker takes is not known: 1 at a time" }];
}

const isNumber = ({ kind }: Override): boolean => kind === "scale" || kind === "drain";

const WORDS: Readonly<
  Record<OverrideKind, { readonly reason: ReasonCode; readonly phrase: (workers: number) => string }>
> = {
  pause: { reason: "paused", phrase: (workers) => `paused at ${workers}` },
  "pause-in": { reason: "paused", phrase: (workers) => `scaling in is paused at ${workers}` },
  "pause-out": { reason: "paused", phrase: (workers) => `scaling out is paused at ${workers}` },
  scale: { reason: "scaled", phrase: (workers) => `set to ${workers} by hand` },
  drain: { reason: "drained", phrase: () => "drained by hand" },
};

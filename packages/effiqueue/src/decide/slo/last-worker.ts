/** The last worker stays while it may have a message in hand. DESIGN 2.6. Pure. */
import { type Chain, lastOf } from "../shared/rationale.ts";
import type { Tick } from "./reading.ts";
import { isIdle, SURE_TICKS } from "./wish.ts";

/** A worker that is stopped with messages in hand gives them back, and they start the next one. */
export function withLastWorker(
  chain: Chain,
  { unacked, unackedByDraining }: Tick,
  idleTicks: number,
  from: number,
): Chain {
  if (lastOf(chain).workers > 0 || from === 0) return chain;
  const inHand = unacked === null ? null : unacked - unackedByDraining;
  if (inHand === 0 || (inHand === null && idleTicks >= SURE_TICKS)) return chain;
  const phrase = inHand === null ? "messages in work cannot be seen" : `${inHand} in work`;
  return [...chain, { workers: 1, reason: "last-worker", phrase }];
}

/** @param idleTicks of the ticks before, counted no further than anybody looks */
export function idleTicksOf(idleTicks: number, tick: Tick | null, current: number): number {
  if (tick === null) return idleTicks;
  return isIdle(tick, current) ? Math.min(idleTicks + 1, SURE_TICKS) : 0;
}

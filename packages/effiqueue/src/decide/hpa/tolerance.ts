/**
 * When a wish is close enough to the present count to be noise, and when the pool is too full to ask that. DESIGN 8.3. Pure.
 */
import { type Chain, lastOf } from "../shared/rationale.ts";
import type { HpaConfig } from "./config.ts";

/**
 * The difference is divided, not the ratio compared with 1: a correctly rounded quotient of whole numbers meets the decimal the
 * operator wrote, where `11 / 10 - 1` is more than 0.1 in doubles.
 */
function withinTolerance(wish: number, current: number, tolerance: number): boolean {
  if (current === 0) return wish === 0;
  return Math.abs(wish - current) / current <= tolerance;
}

/** What the workers of the present count hold and can hold. */
export interface Occupancy {
  readonly current: number;
  /** Jobs that run on them, without those of draining workers; `null` where it cannot be seen. */
  readonly running: number | null;
  readonly slots: number;
}

/**
 * The chain after overload or the band; unchanged where neither alters the wish. No target is above all slots, so a load that
 * overflows them wishes for at least current + 1 already: all that overload has to do is to keep the band away.
 */
export function tolerated(chain: Chain, { current, running, slots }: Occupancy, { tolerance }: HpaConfig): Chain {
  const { workers: wish } = lastOf(chain);
  if (wish === current || !withinTolerance(wish, current, tolerance)) return chain;
  if (running !== null && running > slots) {
    return [
      ...chain,
      { workers: wish, reason: "overload", phrase: `${running} running on ${slots} slots is overload` },
    ];
  }
  return [...chain, { workers: current, reason: "tolerance", phrase: `within ${percent(tolerance)}% of ${current}` }];
}

/** Without the dust of doubles: 0.07 is 7, not 7.000000000000001. */
function percent(share: number): number {
  return Number((share * 100).toPrecision(12));
}

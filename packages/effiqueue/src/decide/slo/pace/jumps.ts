/** Whether jumps of arrivals go on, or are batches, of which the next count shows nothing more. DESIGN 2.14. Pure. */
import { TUNING } from "./tuning.ts";

/** A jump whose next count is still to come. */
export interface Jump {
  /** Messages/s before it. */
  readonly from: number;
  /** Messages/s on top of that, as it was first seen. */
  readonly by: number;
}

export interface Jumps {
  /** Share of them that went on. */
  readonly share: number;
  /** As many as `share` rests on, the assumed one included. */
  readonly seen: number;
}

/** One that went on is assumed, for a batch too many costs less than a flood. */
export const NO_JUMPS: Jumps = { share: 1, seen: 1 };

/** @param rate messages/s at the next count. A jump that went on has all of it in there, so half of what was seen is never too much. */
export function learnJump({ share, seen }: Jumps, { from, by }: Jump, rate: number): Jumps {
  const grown = Math.min(seen + 1, TUNING.jumpsHeard);
  const wentOn = rate - from > by / 2 ? 1 : 0;
  return { share: share + (wentOn - share) / grown, seen: grown };
}

/** More than is provided for is left in one case of so many, and here fewer than that go on at all. */
export const goOnRarely = ({ share }: Jumps): boolean => share * (1 + TUNING.jumpLeft) < 1;

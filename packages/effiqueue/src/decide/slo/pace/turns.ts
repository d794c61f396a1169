/** How often the pool has turned from growing to shrinking and back, which a load that stands still gives little reason for. DESIGN 2.20. Pure. */
import { TUNING } from "./tuning.ts";

export interface Turns {
  /** Where the last change went: 1 up, -1 down, 0: there was none. */
  readonly way: number;
  /** Seconds since the last changes that went the other way than the one before, the latest first; no more of them than matter. */
  readonly agesSec: readonly number[];
}

export const NO_TURNS: Turns = { way: 0, agesSec: [] };

/** What a shrink brings: itself, and the growth that may have to follow. */
const EXPECTED = 2;

/**
 * Whoever is woken for a single message and sent away after it is what `min_workers = 0` asks for, and no turn.
 *
 * @param ordered  workers that are asked for now
 * @param before   and that were, `dtSec` seconds ago
 * @param isSteady the load stands still: turns that a change of it brought count no longer
 */
export function learnTurns(
  { way, agesSec }: Turns,
  ordered: number,
  before: number,
  dtSec: number,
  isSteady: boolean,
): Turns {
  const change = Math.sign(Math.max(1, ordered) - Math.max(1, before));
  const older = isSteady ? agesSec.map((sec) => sec + dtSec).filter((sec) => sec < TUNING.turnsSec) : [];
  if (change === 0) return { way, agesSec: older };
  return { way: change, agesSec: change === -way ? [0, ...older] : older };
}

/** True: a pool that has grown had better stay as it is, for with this turn and the next there were more of them than anybody wants. */
export const isRestless = ({ way, agesSec }: Turns): boolean => way > 0 && agesSec.length > TUNING.mostTurns - EXPECTED;

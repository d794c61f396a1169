/**
 * Shares out what is not enough for all so that whoever is worst off is as well off as can be (max-min fairness), in whole workers.
 * DESIGN 7.8. Pure.
 */

export interface Taker {
  /** Workers that it gets in any case, and that it has a use for. */
  readonly least: number;
  readonly most: number;
  /** Bytes of one. */
  readonly size: number;
  /** Workers with which it is as well off as `level` says; rises with it. */
  readonly workersAt: (level: number) => number;
  /** How well off it is with so many. */
  readonly levelOf: (workers: number) => number;
}

/** Halvings of the level: what they leave is less than a worker, and is given out one by one. */
const STEPS = 14;

/** @param topLevel at which all have what they want */
export function waterFill(totalBytes: number, takers: readonly Taker[], topLevel: number): readonly number[] {
  // As many whole workers as it takes to be at least that well off.
  const sharesAt = (level: number): number[] =>
    takers.map(({ workersAt, least, most }) => Math.max(least, Math.min(most, Math.ceil(workersAt(level)))));
  let level = 0;
  for (let i = 0, more = topLevel; i < STEPS; i += 1, more /= 2) {
    if (bytesOf(sharesAt(level + more), takers) <= totalBytes) level += more;
  }
  return withRest(sharesAt(level), takers, totalBytes);
}

/** What whole workers leave goes to whoever is worst off and fits in; of two that are equal to the first. */
function withRest(given: readonly number[], takers: readonly Taker[], totalBytes: number): readonly number[] {
  const shares = [...given];
  let left = totalBytes - bytesOf(given, takers);
  for (;;) {
    let poorest = -1;
    let lowest = Number.POSITIVE_INFINITY;
    for (const [i, { most, size, levelOf }] of takers.entries()) {
      const share = shares[i] ?? 0;
      if (share >= most || size > left || levelOf(share) >= lowest) continue;
      poorest = i;
      lowest = levelOf(share);
    }
    if (poorest < 0) return shares;
    shares[poorest] = (shares[poorest] ?? 0) + 1;
    left -= takers[poorest]?.size ?? 0;
  }
}

const bytesOf = (workers: readonly number[], takers: readonly Taker[]): number =>
  workers.reduce((sum, each, i) => sum + each * (takers[i]?.size ?? 0), 0);

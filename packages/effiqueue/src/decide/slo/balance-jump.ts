/** When the balance of a queue has become another: a sum of surprises to one side, after Page 1954. DESIGN 2.22. Pure. */

import type { Known } from "./balance-doubt.ts";
import { begunAnew, countOf, type Filters, learnWindow, surpriseIn } from "./balance-filters.ts";
import type { BalanceWindow } from "./balance-window.ts";

export interface Suspicion {
  /** What foretold these windows. */
  readonly before: Filters;
  /** What was learnt since, without the first of them, of which only a part may be after a jump; empty: nothing yet. */
  readonly since: Filters;
  /** 1, -1: the backlog grows by more, or less. */
  readonly sign: number;
  /** Standard errors beyond what chance explains. */
  readonly sum: number;
}

/** Windows that foretell no better than chance would. */
const FEWEST_WINDOWS = 8;
/** Standard errors that every window has to be off. */
const SLACK = 1;
/** What one window adds at most: one burst is no jump. */
const MOST = 3;
const JUMP = 5;

export function suspect(
  suspicion: Suspicion | null,
  settled: Filters,
  window: BalanceWindow,
  mu: Known,
): Suspicion | null {
  const before = suspicion?.before ?? settled;
  if (countOf(before) < FEWEST_WINDOWS) return null;
  const off = surpriseIn(before, window, mu);
  const sign = suspicion?.sign ?? Math.sign(off);
  const sum = (suspicion?.sum ?? 0) + Math.min(off * sign - SLACK, MOST);
  if (sum <= 0) return suspicion === null ? null : suspect(null, settled, window, mu);
  return { before, since: suspicion === null ? [] : learntSince(suspicion, window, mu), sign, sum };
}

const learntSince = ({ before, since }: Suspicion, window: BalanceWindow, mu: Known): Filters =>
  since.length === 0 ? begunAnew(before, window, mu.value) : learnWindow(since, window);

export const isJump = ({ sum, since }: Suspicion): boolean => sum > JUMP && since.length > 0;

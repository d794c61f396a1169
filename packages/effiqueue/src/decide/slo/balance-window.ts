/** What one window says of the balance of the queue, dB/dt = lambda - mu n, where it says anything. DESIGN 2.3. Pure. */
import type { Tick } from "./reading.ts";

export interface BalanceWindow {
  /** Workers that drained. */
  readonly n: number;
  /** Messages/s by which the backlog grew. */
  readonly y: number;
  /** How long the window was: over a shorter one, chance weighs more. */
  readonly sec: number;
  /** Workers came within it, so that `n` drained only from some time on. */
  readonly grew: boolean;
}

/**
 * @param before  the tick that the window began with; `null`: it could not be read
 * @param ordered live workers that the tick before asked for; `null`: unknown
 * @param readyPerWorker messages that wait at both ends, for each worker, where work is taken not to have run out in between
 * @returns `null` where the window says nothing
 */
export function balanceWindow(
  before: Tick | null,
  now: Tick,
  ordered: number | null,
  readyPerWorker: number,
): BalanceWindow | null {
  if (before === null || now.dtSec <= 0 || now.disturbed) return null;
  // Work that ran out, not the workers, limited what was drained.
  if (Math.min(before.ready, now.ready) < Math.max(1, readyPerWorker * now.drainers)) return null;
  if (now.drainers !== before.drainers) {
    // Our own step was taken as the window began. A worker that was still starting joined at some time within it.
    const isOurStep = Math.abs(now.drainers - before.drainers) <= 1 || now.drainers === ordered;
    if (!isOurStep || before.starting > 0 || now.starting > 0) return null;
  }
  const unacked = before.unacked === null || now.unacked === null ? 0 : now.unacked - before.unacked;
  const grew = now.drainers > before.drainers;
  return { n: now.drainers, y: (now.ready - before.ready + unacked) / now.dtSec, sec: now.dtSec, grew };
}

/** How many workers a drain-time SLO takes, before any limit of the machine. DESIGN 2.6. Pure. */
import { ceilOf, decimalOf, plus, times } from "../shared/exact.ts";
import { known } from "../shared/known.ts";

/**
 * Workers that clear the backlog, and what arrives meanwhile, within the SLO. Never more than there are messages: one message
 * occupies one worker, whatever it takes.
 *
 * @param backlog messages, ready + unacked
 * @param lambda  messages/s arriving
 * @param mu      messages/s of one worker
 * @param sloSec  seconds, > 0
 * @returns whole workers >= 0; `null` where one of the four is unknown or no such quantity. Never throws.
 */
export function workersNeeded(
  backlog: number | null | undefined,
  lambda: number | null | undefined,
  mu: number | null | undefined,
  sloSec: number,
): number | null {
  const waiting = known(backlog);
  const arriving = known(lambda);
  const rate = known(mu);
  const slo = known(sloSec);
  if (waiting === null || arriving === null || rate === null || slo === null || rate === 0 || slo === 0) return null;
  const work = plus(decimalOf(waiting), times(decimalOf(arriving), decimalOf(slo)));
  const messages = ceilOf(work, decimalOf(1));
  return Math.min(ceilOf(work, times(decimalOf(rate), decimalOf(slo))), messages);
}

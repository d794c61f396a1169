/**
 * What time does to jobs: due ones become pending, finished ones are deleted, and the back-off of failed ones does not follow a
 * wall clock that jumps. DESIGN 1.2, 9.3, 9.7, 9.10.
 *
 * Long work is a series of small write transactions with a turn of the event loop between them.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import { purgeBatch, queuesWith } from "./admin.ts";
import type { BusyLine } from "./busy.ts";
import { clockJumped, followClock } from "./clock-jumps.ts";
import { nextDueMs, promoteDue } from "./due.ts";
import { BATCH, type Session } from "./session.ts";
import type { PurgeFilter } from "./types.ts";

export async function promoteAllDue(session: Session, line: BusyLine): Promise<void> {
  if (clockJumped(session)) await line.write(() => session.immediate(() => followClock(session)));
  for (;;) {
    const due = await line.read(() => nextDueMs(session));
    if (due === null || due > session.now()) return;
    await line.write(() => session.immediate(() => promoteDue(session, session.now())));
    await nextTurn();
  }
}

/** @returns how many were deleted */
export async function purge(session: Session, line: BusyLine, filter: PurgeFilter): Promise<number> {
  const { state, olderThanSec = 0 } = filter;
  // A stamp from the future counts as now: asked for everything, the purge deletes everything.
  const untilMs = olderThanSec === 0 ? Number.MAX_SAFE_INTEGER : session.now() - olderThanSec * 1000;
  const queues = filter.queue === undefined ? await line.read(() => queuesWith(session, state)) : [filter.queue];
  let total = 0;
  for (const queue of queues) {
    for (let deleted = BATCH; deleted === BATCH; ) {
      deleted = await line.write(() => purgeBatch(session, state, queue, untilMs));
      total += deleted;
      await nextTurn();
    }
  }
  return total;
}

export async function applyRetention(session: Session, line: BusyLine): Promise<void> {
  const { completedSec, deadSec } = session.settings.retention;
  const rules = [
    ["completed", completedSec],
    ["cancelled", completedSec],
    ["dead", deadSec],
  ] as const;
  for (const [state, olderThanSec] of rules) {
    if (olderThanSec !== Number.POSITIVE_INFINITY) await purge(session, line, { state, olderThanSec });
  }
}

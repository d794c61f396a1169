/**
 * A retry waits for a span of time, but `run_at` is a wall stamp. When the wall clock has been set, the stamps of waiting
 * retries move with it, so that they neither wait for hours nor come all at once. A `runAt` that a caller gave is a
 * moment, and stays. DESIGN 1.2, 9.7.
 */
import { thisMachine } from "effiqueue";
import type { Session } from "./session.ts";
import { stamps } from "./workers.ts";

/** Less is the drift that time synchronisation corrects all day. */
const JUMP_MS = 1000;

const KNOWN = "SELECT boot_id, ahead_ms FROM clock";
const REMEMBER = "INSERT OR REPLACE INTO clock (one, boot_id, ahead_ms) VALUES (1, ?, ?)";
const SHIFT = "UPDATE jobs INDEXED BY jobs_due SET run_at = run_at + ? WHERE state IN (0, 4) AND state = 4";

/** What each session saw last; costs no look into the file while the clock is steady. */
const seen = new WeakMap<Session, number>();

const aheadMs = (session: Session): number => {
  const { wall, mono } = stamps(session);
  return wall - mono;
};

const isJump = (ms: number): boolean => Math.abs(ms) >= JUMP_MS;

/** Whether `followClock` has something to look at. */
export function clockJumped(session: Session): boolean {
  const last = seen.get(session);
  return last === undefined || isJump(aheadMs(session) - last);
}

/** Inside a write transaction. What one process has followed is remembered in the file, so that no other does it again. */
export function followClock(session: Session): void {
  if (!clockJumped(session)) return;
  const ahead = aheadMs(session);
  const { bootId } = thisMachine();
  const known = session.sql(KNOWN).get() as { boot_id: string; ahead_ms: number } | undefined;
  // On another boot the monotonic clock started anew, and the two clocks cannot be compared.
  const jump = known?.boot_id === bootId ? ahead - known.ahead_ms : undefined;
  if (jump !== undefined && isJump(jump)) session.sql(SHIFT).run(jump);
  if (jump === undefined || isJump(jump)) session.sql(REMEMBER).run(bootId, ahead);
  seen.set(session, ahead);
}

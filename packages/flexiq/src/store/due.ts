/**
 * Scheduled and failed jobs whose time has come become pending. DESIGN 9.3.
 */
import { BATCH, type Session } from "./session.ts";

const NEXT = "SELECT run_at FROM jobs INDEXED BY jobs_due WHERE state IN (0, 4) ORDER BY run_at LIMIT 1";
const DUE = `SELECT id FROM jobs INDEXED BY jobs_due WHERE state IN (0, 4) AND run_at <= ? ORDER BY run_at LIMIT ${BATCH}`;
const PROMOTE = "UPDATE jobs SET state = 1 WHERE id = ?";

/** When the next scheduled or failed job is due, in wall milliseconds; `null`: there is none. */
export function nextDueMs(session: Session): number | null {
  const next = session.sql(NEXT).get() as { run_at: number } | undefined;
  return next?.run_at ?? null;
}

/** One batch. Inside a write transaction. @returns whether more is due */
export function promoteDue(session: Session, nowMs: number): boolean {
  const due = session.sql(DUE).all(nowMs) as { id: number }[];
  const promote = session.sql(PROMOTE);
  for (const { id } of due) promote.run(id);
  return due.length === BATCH;
}

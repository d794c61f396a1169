/**
 * What people do to jobs and queues: cancel, retry, purge, pause. DESIGN 9.8, 9.9, 9.10.
 */
import { FlexiqError } from "../errors.ts";
import type { JobId } from "../model.ts";
import { BATCH, type Session } from "./session.ts";
import { STATE_CODES } from "./state-codes.ts";
import { tallyDeleted } from "./tallies.ts";
import type { CancelOutcome, PurgeFilter } from "./types.ts";

const CANCEL_WAITING = "UPDATE jobs SET state = 6, finished_at = ? WHERE id = ? AND state IN (0, 1, 4)";
const DELETE_WAITING = "DELETE FROM jobs WHERE id = ? AND state IN (0, 1, 4)";
const CANCEL_RUNNING = "UPDATE jobs SET cancel_requested = 1 WHERE id = ? AND state = 2";
const EXISTS = "SELECT 1 FROM jobs WHERE id = ?";

export const unknownJob = (id: JobId | string): FlexiqError =>
  new FlexiqError("unknown-job", `there is no job ${id}: it never was, or it was deleted after it finished`);

export function cancel(session: Session, id: JobId): CancelOutcome {
  return session.immediate(() => {
    const atOnce = session.settings.retention.completedSec === 0;
    const waiting = atOnce ? session.sql(DELETE_WAITING).run(id) : session.sql(CANCEL_WAITING).run(session.now(), id);
    if (waiting.changes === 1) return "cancelled";
    if (session.sql(CANCEL_RUNNING).run(id).changes === 1) return "requested";
    if (session.sql(EXISTS).get(id) === undefined) throw unknownJob(id);
    return "finished";
  });
}

/** OR IGNORE: a dead job whose unique key another one has by now stays dead. */
const RETRY = `
  UPDATE OR IGNORE jobs SET state = 1, run_at = ?, finished_at = NULL, cancel_requested = 0,
    attempts = CASE state WHEN 5 THEN 0 ELSE attempts END
  WHERE id = ? AND (state = 5 OR state = 4)`;

const DEAD_OR_FAILED = `
  SELECT id FROM jobs INDEXED BY jobs_finished WHERE state IN (3, 5, 6) AND state = 5 AND ($queue IS NULL OR queue = $queue)
  UNION ALL
  SELECT id FROM jobs INDEXED BY jobs_due WHERE state IN (0, 4) AND state = 4 AND ($queue IS NULL OR queue = $queue)
  ORDER BY id`;

export function retryable(session: Session, queue: string | undefined): JobId[] {
  return (session.sql(DEAD_OR_FAILED).all({ queue: queue ?? null }) as { id: JobId }[]).map(({ id }) => id);
}

/** One write transaction. @returns how many moved */
export function retry(session: Session, ids: readonly JobId[]): number {
  return session.immediate(() => {
    const nowMs = session.now();
    return ids.reduce((moved, id) => moved + session.sql(RETRY).run(nowMs, id).changes, 0);
  });
}

const PURGE = `
  DELETE FROM jobs WHERE id IN (
    SELECT id FROM jobs INDEXED BY jobs_finished
    WHERE state IN (3, 5, 6) AND state = ? AND queue = ? AND finished_at <= ? LIMIT ${BATCH})`;

const FINISHED_QUEUES = `
  WITH RECURSIVE queues (name) AS (
    SELECT min(queue) FROM jobs INDEXED BY jobs_finished WHERE state IN (3, 5, 6) AND state = $state
    UNION ALL
    SELECT (SELECT min(queue) FROM jobs INDEXED BY jobs_finished WHERE state IN (3, 5, 6) AND state = $state AND queue > name)
    FROM queues WHERE name IS NOT NULL
  )
  SELECT name FROM queues WHERE name IS NOT NULL`;

/** The queues that have finished jobs of a state. */
export function queuesWith(session: Session, state: PurgeFilter["state"]): string[] {
  return (session.sql(FINISHED_QUEUES).all({ state: STATE_CODES[state] }) as { name: string }[]).map(
    ({ name }) => name,
  );
}

/** One batch. @returns how many were deleted; fewer than `BATCH`: that was all */
export function purgeBatch(session: Session, state: PurgeFilter["state"], queue: string, untilMs: number): number {
  const purge = (): number => session.sql(PURGE).run(STATE_CODES[state], queue, untilMs).changes;
  if (state !== "completed") return purge();
  return session.immediate(() => {
    const deleted = purge();
    tallyDeleted(session, deleted);
    return deleted;
  });
}

export function setPaused(session: Session, queue: string, paused: boolean): void {
  session
    .sql(paused ? "INSERT OR IGNORE INTO paused_queues (name) VALUES (?)" : "DELETE FROM paused_queues WHERE name = ?")
    .run(queue);
}

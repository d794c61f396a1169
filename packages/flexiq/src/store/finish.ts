/**
 * What becomes of a job when its run has ended. Every statement asks for the fencing token of that run: once the job was
 * given to another worker, or is gone, nothing matches and the outcome is refused. DESIGN 9.5, 9.7, 9.8.
 */
import { afterFailure, LAST_MOMENT_MS, retryDelayMs } from "../lifecycle.ts";
import type { JobId, Outcome } from "../model.ts";
import { completeMany } from "./complete-many.ts";
import type { Session } from "./session.ts";
import { type EndedRun, tallyDeleted, tallyRuns } from "./tallies.ts";

const OURS = "id = ? AND token = ? AND state = 2";

const COMPLETE = `UPDATE jobs SET state = 3, finished_at = ?, result = ? WHERE ${OURS}`;
const BURY = `UPDATE jobs SET state = 5, finished_at = ?, error = ? WHERE ${OURS}`;
const RETRY_LATER = `UPDATE jobs SET state = 4, run_at = ?, error = ? WHERE ${OURS}`;
const CANCEL = `UPDATE jobs SET state = 6, finished_at = ?, error = coalesce(?, error) WHERE ${OURS}`;
const GIVE_BACK = `UPDATE jobs SET state = 1, attempts = attempts - 1 WHERE ${OURS}`;
const DELETE = `DELETE FROM jobs WHERE ${OURS}`;
const RUN = `
  SELECT attempts, max_retries, retry_base_ms, retry_max_ms, cancel_requested FROM jobs WHERE ${OURS}`;

interface Run {
  readonly attempts: number;
  readonly max_retries: number;
  readonly retry_base_ms: number;
  readonly retry_max_ms: number;
  readonly cancel_requested: number;
}

/** Records one outcome. Inside a write transaction. @returns how the run ended in the end; `null`: refused */
function finish(session: Session, outcome: Outcome, nowMs: number): Outcome["kind"] | null {
  const { id, token } = outcome;
  const { completedSec, deadSec } = session.settings.retention;
  const run = (sql: string, ...values: (number | string | null)[]): boolean =>
    session.sql(sql).run(...values, id, token).changes === 1;
  const cancel = (error: string | null): Outcome["kind"] | null =>
    (completedSec === 0 ? run(DELETE) : run(CANCEL, nowMs, error)) ? "cancelled" : null;

  if (outcome.kind === "completed") {
    return (completedSec === 0 ? run(DELETE) : run(COMPLETE, nowMs, outcome.resultJson)) ? "completed" : null;
  }
  if (outcome.kind === "cancelled") return cancel(outcome.error);

  const job = session.sql(RUN).get(id, token) as Run | undefined;
  if (job === undefined) return null;
  // Its cancellation was asked for while it ran, and the worker had not seen it yet.
  if (job.cancel_requested === 1) return cancel(outcome.kind === "failed" ? outcome.error : null);
  if (outcome.kind === "released") return run(GIVE_BACK) ? "released" : null;

  const next = afterFailure({ attempt: job.attempts, maxRetries: job.max_retries, retry: outcome.retry });
  if (next === "dead") return (deadSec === 0 ? run(DELETE) : run(BURY, nowMs, outcome.error)) ? "failed" : null;
  const delayMs = retryDelayMs({
    attempt: job.attempts,
    baseMs: job.retry_base_ms,
    maxMs: job.retry_max_ms,
    chance: session.settings.chance(),
  });
  return run(RETRY_LATER, Math.min(nowMs + delayMs, LAST_MOMENT_MS), outcome.error) ? "failed" : null;
}

/** Inside a write transaction. @returns the jobs whose outcome was refused */
export function finishAll(session: Session, outcomes: readonly Outcome[], nowMs: number): JobId[] {
  const ended: EndedRun[] = [];
  const refused: JobId[] = [];
  const completed = completeMany(session, outcomes, nowMs);
  for (const outcome of outcomes) {
    const kind = completed.has(outcome) ? outcome.kind : finish(session, outcome, nowMs);
    if (kind === null) refused.push(outcome.id);
    else ended.push({ kind, ranMs: outcome.ranMs });
  }
  tallyRuns(session, ended);
  if (session.settings.retention.completedSec === 0) {
    tallyDeleted(session, ended.filter(({ kind }) => kind === "completed").length);
  }
  return refused;
}

const PROGRESS = `UPDATE jobs SET progress = ? WHERE ${OURS}`;

/** Entries of runs that lost their job change nothing. */
export function recordProgress(
  session: Session,
  entries: readonly { readonly id: JobId; readonly token: number; readonly json: string }[],
): void {
  if (entries.length === 0) return;
  session.immediate(() => {
    for (const { id, token, json } of entries) session.sql(PROGRESS).run(json, id, token);
  });
}

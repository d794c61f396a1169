/**
 * Jobs that were completed, recorded by one statement: what most exchanges of a worker with many slots bring. DESIGN 9.5.
 */
import type { JobId, Outcome } from "../model.ts";
import { MANY, type Session } from "./session.ts";

const COMPLETE = `
  UPDATE jobs SET state = 3, finished_at = ?, result = value ->> 2 FROM json_each(?)
  WHERE jobs.id = value ->> 0 AND token = value ->> 1 AND state = 2`;

/** Nobody but the run that has the token completes a job. */
const COMPLETED = `
  SELECT jobs.id FROM json_each(?) CROSS JOIN jobs ON jobs.id = value ->> 0 WHERE token = value ->> 1 AND state = 3`;

/** A longer one is not worth its way through another JSON text, and all of them might be too long for one. */
const SHORT_RESULT = 1000;

type Completed = Outcome & { readonly kind: "completed" };

const isShort = (outcome: Outcome): outcome is Completed =>
  outcome.kind === "completed" && (outcome.resultJson?.length ?? 0) <= SHORT_RESULT;

/**
 * Inside a write transaction.
 *
 * @returns those that are recorded; the others are to be recorded, or refused, one by one
 */
export function completeMany(session: Session, outcomes: readonly Outcome[], nowMs: number): ReadonlySet<Outcome> {
  const isKept = session.settings.retention.completedSec > 0;
  const short = isKept && outcomes.length >= MANY ? outcomes.filter(isShort) : [];
  if (short.length < MANY) return new Set();
  const list = JSON.stringify(short.map(({ id, token, resultJson }) => [id, token, resultJson]));
  const { changes } = session.sql(COMPLETE).run(nowMs, list);
  if (changes === short.length) return new Set(short);
  const rows = session.sql(COMPLETED).all(list) as { id: JobId }[];
  const completed = new Set(rows.map(({ id }) => id));
  return new Set(short.filter(({ id }) => completed.has(id)));
}

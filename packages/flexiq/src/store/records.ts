/**
 * Jobs as people and programs read them. DESIGN 9.3.
 */
import type { JobState } from "../lifecycle.ts";
import type { JobId, JobRecord } from "../model.ts";
import type { Session } from "./session.ts";
import { STATE_CODES, stateName } from "./state-codes.ts";
import type { JobFilter } from "./types.ts";

interface JobRow {
  readonly id: JobId;
  readonly state: number;
  readonly queue: string;
  readonly priority: number;
  readonly run_at: number;
  readonly attempts: number;
  readonly max_retries: number;
  readonly timeout_ms: number | null;
  readonly enqueued_at: number;
  readonly started_at: number | null;
  readonly finished_at: number | null;
  readonly unique_key: string | null;
  readonly task: string;
  readonly progress: string | null;
  readonly error: string | null;
  readonly args: string;
  readonly result: string | null;
}

const parsed = (json: string | null): unknown => (json === null ? null : JSON.parse(json));

function record(row: JobRow, nowMs: number): JobRecord {
  return {
    id: row.id,
    task: row.task,
    queue: row.queue,
    state: stateName(row.state, row.run_at, nowMs),
    args: parsed(row.args) as readonly unknown[],
    priority: row.priority,
    attempts: row.attempts,
    maxRetries: row.max_retries,
    timeoutMs: row.timeout_ms,
    uniqueKey: row.unique_key,
    enqueuedAtMs: row.enqueued_at,
    runAtMs: row.run_at,
    startedAtMs: row.started_at,
    finishedAtMs: row.finished_at,
    progress: parsed(row.progress),
    result: parsed(row.result),
    error: row.error,
  };
}

export function job(session: Session, id: JobId): JobRecord | null {
  const row = session.sql("SELECT * FROM jobs WHERE id = ?").get(id) as JobRow | undefined;
  return row === undefined ? null : record(row, session.now());
}

/** Where the ids of a state are found without a look at jobs of other states. */
function source(state: JobState | undefined): string {
  const from = (index: string, condition: string): string =>
    `SELECT id FROM jobs ${index} WHERE ${condition} AND id > $afterId AND ($queue IS NULL OR queue = $queue)`;
  switch (state) {
    case undefined:
      return from("", "$now = $now");
    case "pending":
      return `${from("INDEXED BY jobs_pending", "state = 1")} UNION ALL ${from("INDEXED BY jobs_due", "state IN (0, 4) AND run_at <= $now")}`;
    case "scheduled":
    case "failed":
      return from("INDEXED BY jobs_due", `state IN (0, 4) AND run_at > $now AND state = ${STATE_CODES[state]}`);
    case "running":
      return from("INDEXED BY jobs_running", "$now = $now AND state = 2");
    case "completed":
    case "dead":
    case "cancelled":
      return from("INDEXED BY jobs_finished", `$now = $now AND state IN (3, 5, 6) AND state = ${STATE_CODES[state]}`);
  }
}

export function jobs(session: Session, filter: JobFilter): JobRecord[] {
  const now = session.now();
  const ids = `SELECT id FROM (${source(filter.state)}) ORDER BY id LIMIT $limit`;
  const rows = session.sql(`SELECT * FROM jobs WHERE id IN (${ids}) ORDER BY id`).all({
    now,
    queue: filter.queue ?? null,
    afterId: filter.afterId ?? 0,
    limit: filter.limit ?? 100,
  });
  return (rows as JobRow[]).map((row) => record(row, now));
}

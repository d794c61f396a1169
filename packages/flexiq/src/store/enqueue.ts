/**
 * New jobs. The plain case is one INSERT and nothing else: what an enqueue costs is what a queue is judged by. DESIGN 9.4.
 */
import type { JobId, NewJob } from "../model.ts";
import { pagesOfText, type Session } from "./session.ts";
import { STATE_CODES } from "./state-codes.ts";

const INSERT = `
  INSERT INTO jobs (state, queue, priority, run_at, max_retries, timeout_ms, retry_base_ms, retry_max_ms, enqueued_at, unique_key, task, args)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

const HOLDER = `
  SELECT id FROM jobs WHERE unique_key = ? AND unique_key IS NOT NULL AND state IN (0, 1, 2, 4)`;

function insertRow(session: Session, job: NewJob, nowMs: number): JobId {
  const dueMs = job.runAtMs ?? nowMs;
  return session
    .sql(INSERT)
    .run(
      dueMs > nowMs ? STATE_CODES.scheduled : STATE_CODES.pending,
      job.queue,
      job.priority,
      dueMs,
      job.maxRetries,
      job.timeoutMs,
      job.retryBaseMs,
      job.retryMaxMs,
      nowMs,
      job.uniqueKey,
      job.task,
      job.argsJson,
    ).lastInsertRowid;
}

/** Inside a write transaction, so that nobody takes the key between the look and the insert. */
function insertUnlessTaken(session: Session, job: NewJob, nowMs: number): JobId {
  const holder = session.sql(HOLDER).get(job.uniqueKey) as { id: JobId } | undefined;
  return holder?.id ?? insertRow(session, job, nowMs);
}

/** The job's own, that of its index entry, and that of the last id. */
const PAGES_OF_AN_INSERT = 3;
/** Of jobs that follow each other. */
const JOBS_PER_PAGE = 12;

function pagesOf(jobs: readonly NewJob[]): number {
  let pages = PAGES_OF_AN_INSERT + jobs.length / JOBS_PER_PAGE;
  for (const { argsJson } of jobs) pages += pagesOfText(argsJson);
  return pages;
}

export function insert(session: Session, job: NewJob): JobId {
  const pages = (): number => pagesOf([job]);
  if (job.uniqueKey !== null) return session.immediate(() => insertUnlessTaken(session, job, session.now()), pages);
  const id = insertRow(session, job, session.now());
  session.committed(pages());
  return id;
}

export function insertMany(session: Session, jobs: readonly NewJob[]): JobId[] {
  if (jobs.length === 0) return [];
  return session.immediate(
    () => {
      const nowMs = session.now();
      return jobs.map((job) => (job.uniqueKey === null ? insertRow : insertUnlessTaken)(session, job, nowMs));
    },
    () => pagesOf(jobs),
  );
}

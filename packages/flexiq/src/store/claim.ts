/**
 * Handing out jobs: highest priority first, then in order of enqueue, from every queue that is not paused. DESIGN 9.5, 9.9.
 *
 * The cost depends on the number of jobs handed out and of queues with pending jobs, never on how many jobs wait: each queue
 * is entered at its best end of the index, and paused queues are not entered at all.
 */
import type { ClaimedJob, JobId } from "../model.ts";
import { MANY, type Session } from "./session.ts";

/** Hops from one queue name to the next in the index of pending jobs. */
const OPEN_QUEUES = `
  WITH RECURSIVE queues (name) AS (
    SELECT min(queue) FROM jobs INDEXED BY jobs_pending WHERE state = 1
    UNION ALL
    SELECT (SELECT min(queue) FROM jobs INDEXED BY jobs_pending WHERE state = 1 AND queue > name) FROM queues WHERE name IS NOT NULL
  )
  SELECT name FROM queues WHERE name IS NOT NULL AND name NOT IN (SELECT name FROM paused_queues)`;

const PAUSED = "SELECT name FROM paused_queues";

const JOB = "jobs.id, token, task, queue, args, attempts, max_retries, timeout_ms";

// The sum is for speed: SQLite prepares a statement whose limit is a bare parameter anew for every value that is bound to it.
const BEST = "FROM jobs INDEXED BY jobs_pending WHERE state = 1 AND queue = ? ORDER BY priority DESC, id LIMIT ? + 0";
const BEST_JOBS = `SELECT ${JOB} ${BEST}`;
const BEST_IDS = `SELECT id, priority ${BEST}`;

// A cross join is carried out as it is written, so the jobs come in the order of the list.
const LISTED_JOBS = `SELECT ${JOB} FROM json_each(?) AS chosen CROSS JOIN jobs ON jobs.id = chosen.value`;

const TAKE = "UPDATE jobs SET state = 2, attempts = attempts + 1, token = token + 1, worker_id = ?, started_at = ?";
const TAKE_ONE = `${TAKE} WHERE id = ?`;
const TAKE_ALL = `${TAKE} WHERE id IN (SELECT value FROM json_each(?))`;

/** The queues that may be claimed from, of those asked for (`null`: of all that have pending jobs). */
export function openQueues(session: Session, asked: readonly string[] | null): string[] {
  if (asked === null) return (session.sql(OPEN_QUEUES).all() as { name: string }[]).map(({ name }) => name);
  const paused = (session.sql(PAUSED).all() as { name: string }[]).map(({ name }) => name);
  return asked.filter((name) => !paused.includes(name));
}

/** The columns of `JOB`. */
type PendingJob = [
  id: JobId,
  token: number,
  task: string,
  queue: string,
  argsJson: string,
  attempts: number,
  maxRetries: number,
  timeoutMs: number | null,
];

type Candidate = [id: JobId, priority: number];

/** Before they are taken: to read them again afterwards, or by RETURNING, takes longer than to count on. */
function bestJobs(session: Session, queues: readonly string[], count: number): PendingJob[] {
  const [only, ...others] = queues;
  if (only === undefined) return [];
  if (others.length === 0) return session.rows(BEST_JOBS).all(only, count) as unknown as PendingJob[];
  const heads = queues.flatMap((queue) => session.rows(BEST_IDS).all(queue, count) as unknown as Candidate[]);
  const best = heads.sort(byPriorityThenAge).slice(0, count);
  return session.rows(LISTED_JOBS).all(JSON.stringify(best.map(([id]) => id))) as unknown as PendingJob[];
}

const byPriorityThenAge = ([id, priority]: Candidate, [otherId, other]: Candidate): number =>
  other - priority || id - otherId;

/** Whether a claim would get something; takes no lock. */
export function hasPending(session: Session, asked: readonly string[] | null): boolean {
  return openQueues(session, asked).some((queue) => session.sql(BEST_IDS).get(queue, 1) !== undefined);
}

function take(session: Session, workerId: number, ids: readonly JobId[], nowMs: number): void {
  if (ids.length >= MANY) session.sql(TAKE_ALL).run(workerId, nowMs, JSON.stringify(ids));
  else for (const id of ids) session.sql(TAKE_ONE).run(workerId, nowMs, id);
}

const taken = ([id, token, task, queue, argsJson, attempts, maxRetries, timeoutMs]: PendingJob): ClaimedJob => ({
  id,
  token: token + 1,
  task,
  queue,
  argsJson,
  attempt: attempts + 1,
  maxRetries,
  timeoutMs,
});

/** At most `count` jobs for a worker. Inside a write transaction. */
export function claim(
  session: Session,
  request: { readonly workerId: number; readonly count: number; readonly queues: readonly string[] | null },
  nowMs: number,
): ClaimedJob[] {
  const jobs = bestJobs(session, openQueues(session, request.queues), request.count);
  const ids = jobs.map(([id]) => id);
  take(session, request.workerId, ids, nowMs);
  return jobs.map(taken);
}

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

// The sum is for speed: SQLite prepares a statement whose limit is a bare parameter anew for every value that is bound to it.
const BEST = `
  SELECT id, priority FROM jobs INDEXED BY jobs_pending WHERE state = 1 AND queue = ? ORDER BY priority DESC, id LIMIT ? + 0`;

const TAKE = "UPDATE jobs SET state = 2, attempts = attempts + 1, token = token + 1, worker_id = ?, started_at = ?";
const TAKE_ONE = `${TAKE} WHERE id = ?`;
const TAKE_ALL = `${TAKE} WHERE id IN (SELECT value FROM json_each(?))`;

const TAKEN = `
  SELECT jobs.id, token, task, queue, args AS argsJson, attempts AS attempt, max_retries AS maxRetries, timeout_ms AS timeoutMs`;
const TAKEN_ONE = `${TAKEN} FROM jobs WHERE id = ?`;
// A cross join is carried out as it is written, so the jobs come in the order of the list.
const ALL_TAKEN = `${TAKEN} FROM json_each(?) AS chosen CROSS JOIN jobs ON jobs.id = chosen.value`;

/** The queues that may be claimed from, of those asked for (`null`: of all that have pending jobs). */
export function openQueues(session: Session, asked: readonly string[] | null): string[] {
  if (asked === null) return (session.sql(OPEN_QUEUES).all() as { name: string }[]).map(({ name }) => name);
  const paused = (session.sql(PAUSED).all() as { name: string }[]).map(({ name }) => name);
  return asked.filter((name) => !paused.includes(name));
}

interface Candidate {
  readonly id: JobId;
  readonly priority: number;
}

const byPriorityThenAge = (a: Candidate, b: Candidate): number => b.priority - a.priority || a.id - b.id;

function bestOf(session: Session, queues: readonly string[], count: number): Candidate[] {
  const best = session.sql(BEST);
  const [only, ...others] = queues;
  if (only === undefined) return [];
  if (others.length === 0) return best.all(only, count) as Candidate[];
  const heads = queues.flatMap((queue) => best.all(queue, count) as Candidate[]);
  return heads.sort(byPriorityThenAge).slice(0, count);
}

/** Whether a claim would get something; takes no lock. */
export function hasPending(session: Session, asked: readonly string[] | null): boolean {
  return openQueues(session, asked).some((queue) => session.sql(BEST).get(queue, 1) !== undefined);
}

// Read again after the update: RETURNING takes twice as long.
function takeOneByOne(session: Session, workerId: number, ids: readonly JobId[], nowMs: number): ClaimedJob[] {
  const take = session.sql(TAKE_ONE);
  const taken = session.sql(TAKEN_ONE);
  return ids.map((id) => {
    take.run(workerId, nowMs, id);
    return taken.get(id) as ClaimedJob;
  });
}

function takeTogether(session: Session, workerId: number, ids: readonly JobId[], nowMs: number): ClaimedJob[] {
  const list = JSON.stringify(ids);
  session.sql(TAKE_ALL).run(workerId, nowMs, list);
  return session.sql(ALL_TAKEN).all(list) as ClaimedJob[];
}

/** At most `count` jobs for a worker. Inside a write transaction. */
export function claim(
  session: Session,
  request: { readonly workerId: number; readonly count: number; readonly queues: readonly string[] | null },
  nowMs: number,
): ClaimedJob[] {
  const chosen = bestOf(session, openQueues(session, request.queues), request.count);
  const take = chosen.length < MANY ? takeOneByOne : takeTogether;
  return take(
    session,
    request.workerId,
    chosen.map(({ id }) => id),
    nowMs,
  );
}

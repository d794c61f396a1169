/**
 * Counts. Each answer is one statement, hence one consistent picture, and comes from indexes alone. DESIGN 9.3, 9.9, 11.7.
 */
import { FINISHED_STATES, type JobState } from "../lifecycle.ts";
import type { Census, QueueFlow, QueueLoad, QueueStats } from "../model.ts";
import { openQueues } from "./claim.ts";
import type { Session } from "./session.ts";
import { STATE_CODES } from "./state-codes.ts";
import { readTallies } from "./tallies.ts";
import type { QueueInfo } from "./types.ts";

interface CountsShape {
  /** One more condition on every row, e.g. `AND queue = $queue`. */
  readonly only: string;
  /** One row per queue instead of one for all of them. */
  readonly byQueue: boolean;
  /** Which of those that have finished. Default: all. */
  readonly finished?: readonly JobState[];
}

/** Due work counts as pending though nobody has promoted it yet. */
function countsSql({ only, byQueue, finished = FINISHED_STATES }: CountsShape): string {
  const part = (state: string, oldest: string, index: string, condition: string): string => `
    SELECT ${byQueue ? "queue" : "NULL AS queue"}, ${state} AS state, count(*) AS jobs, ${oldest} AS oldest
    FROM jobs INDEXED BY ${index} WHERE ${condition} ${only} ${byQueue ? "GROUP BY queue" : ""}`;
  return [
    part("1", "min(run_at)", "jobs_pending", "state = 1"),
    part("1", "min(run_at)", "jobs_due", "state IN (0, 4) AND run_at <= $now"),
    part("0", "NULL", "jobs_due", "state IN (0, 4) AND run_at > $now AND state = 0"),
    part("4", "NULL", "jobs_due", "state IN (0, 4) AND run_at > $now AND state = 4"),
    part("2", "NULL", "jobs_running", "state = 2"),
    ...finished
      .map((state) => String(STATE_CODES[state]))
      .map((code) => part(code, "NULL", "jobs_finished", `state IN (3, 5, 6) AND state = ${code}`)),
  ].join(" UNION ALL ");
}

const ALL = countsSql({ only: "", byQueue: false });
const OF_QUEUE = countsSql({ only: "AND queue = $queue", byQueue: false });
const BUT_COMPLETED = countsSql({ only: "", byQueue: false, finished: ["dead", "cancelled"] });
const BY_QUEUE = countsSql({ only: "", byQueue: true });

interface Count {
  readonly queue: string | null;
  readonly state: number;
  readonly jobs: number;
  readonly oldest: number | null;
}

const ageSec = (oldestMs: number | null, nowMs: number): number | null =>
  oldestMs === null ? null : Math.max(0, nowMs - oldestMs) / 1000;

const earliest = (stamps: readonly (number | null)[]): number | null =>
  stamps.reduce((a, b) => (a === null || b === null ? (a ?? b) : Math.min(a, b)), null);

function summed(counts: readonly Count[], nowMs: number): QueueStats {
  const of = (state: JobState): Count[] => counts.filter((count) => count.state === STATE_CODES[state]);
  const jobs = (state: JobState): number => of(state).reduce((sum, count) => sum + count.jobs, 0);
  return {
    pending: jobs("pending"),
    running: jobs("running"),
    completed: jobs("completed"),
    failed: jobs("failed"),
    dead: jobs("dead"),
    cancelled: jobs("cancelled"),
    scheduled: jobs("scheduled"),
    oldestPendingAgeSec: ageSec(earliest(of("pending").map(({ oldest }) => oldest)), nowMs),
  };
}

export function stats(session: Session, queue: string | undefined): QueueStats {
  const now = session.now();
  const counts = queue === undefined ? session.sql(ALL).all({ now }) : session.sql(OF_QUEUE).all({ now, queue });
  return summed(counts as Count[], now);
}

const ENQUEUED = "SELECT seq FROM sqlite_sequence WHERE name = 'jobs'";

/** Completed jobs are known by their tally: there are as many as a day brings, and counting them would take as long. */
export function census(session: Session): Census {
  const now = session.now();
  const { oldestPendingAgeSec, ...jobs } = summed(session.sql(BUT_COMPLETED).all({ now }) as Count[], now);
  const { runs, completedJobs } = readTallies(session);
  const enqueued = session.sql(ENQUEUED).get() as { seq: number } | undefined;
  return { jobs: { ...jobs, completed: completedJobs }, oldestPendingAgeSec, enqueued: enqueued?.seq ?? 0, runs };
}

export function queueInfos(session: Session): QueueInfo[] {
  const now = session.now();
  const pausedRows = session.sql("SELECT name FROM paused_queues").all() as { name: string }[];
  const paused = new Set(pausedRows.map(({ name }) => name));
  const counts = session.sql(BY_QUEUE).all({ now }) as (Count & { queue: string })[];
  const names = new Set([...paused, ...counts.map(({ queue }) => queue)]);
  return [...names].sort().map((name) => ({
    name,
    paused: paused.has(name),
    stats: summed(
      counts.filter(({ queue }) => queue === name),
      now,
    ),
  }));
}

/** `$open`: queues to look into for pending jobs; `$asked`: the queues that count at all, NULL: every one. */
const LOAD = `
  SELECT 'pending' AS part, count(*) AS jobs, min(run_at) AS more FROM jobs INDEXED BY jobs_pending
    WHERE state = 1 AND queue IN (SELECT value FROM json_each($open))
  UNION ALL
  SELECT 'pending', count(*), min(run_at) FROM jobs INDEXED BY jobs_due
    WHERE state IN (0, 4) AND run_at <= $now AND queue NOT IN (SELECT name FROM paused_queues)
    AND ($asked IS NULL OR queue IN (SELECT value FROM json_each($asked)))
  UNION ALL
  SELECT 'running', count(*), total(cordoned) FROM jobs INDEXED BY jobs_running LEFT JOIN workers ON workers.id = worker_id
    WHERE state = 2 AND ($asked IS NULL OR queue IN (SELECT value FROM json_each($asked)))`;

/**
 * Ids are never given twice and never skipped, so the last one says how many jobs there ever were, and those that are not alive
 * any more have ended. Finished jobs themselves may be deleted at once, and nobody has to write a counter.
 */
const PASSED = `
  SELECT 'ever' AS part, coalesce(max(seq), 0) AS jobs, NULL AS more FROM sqlite_sequence WHERE name = 'jobs'
  UNION ALL
  SELECT 'alive', count(*), NULL FROM jobs INDEXED BY jobs_pending WHERE state = 1
  UNION ALL
  SELECT 'alive', count(*), NULL FROM jobs INDEXED BY jobs_running WHERE state = 2
  UNION ALL
  SELECT 'alive', count(*), total(state = 4 AND run_at > $now) FROM jobs INDEXED BY jobs_due WHERE state IN (0, 4)`;

const FLOW = `${LOAD} UNION ALL ${PASSED}`;

interface LoadRow {
  readonly part: "pending" | "running" | "ever" | "alive";
  readonly jobs: number;
  readonly more: number | null;
}

export function load(session: Session, asked: readonly string[] | null): QueueLoad {
  const now = session.now();
  return loadIn(loadRows(session, LOAD, asked, now), now);
}

/** Of all queues. One statement, so that the totals and the load are of the same moment. */
export function flow(session: Session): QueueFlow {
  const now = session.now();
  const rows = loadRows(session, FLOW, null, now);
  const found = loadIn(rows, now);
  const alive = rows.filter(({ part }) => part === "alive");
  const jobs = (counts: readonly LoadRow[]): number => counts.reduce((sum, each) => sum + each.jobs, 0);
  const finishedTotal = jobs(rows.filter(({ part }) => part === "ever")) - jobs(alive);
  const waitingForRetry = alive.reduce((sum, { more }) => sum + (more ?? 0), 0);
  return { ...found, finishedTotal, arrivedTotal: finishedTotal + found.pending + found.running + waitingForRetry };
}

function loadRows(session: Session, sql: string, asked: readonly string[] | null, now: number): LoadRow[] {
  return session.sql(sql).all({
    now,
    open: JSON.stringify(openQueues(session, asked)),
    asked: asked && JSON.stringify(asked),
  }) as LoadRow[];
}

function loadIn(rows: readonly LoadRow[], now: number): QueueLoad {
  const pending = rows.filter(({ part }) => part === "pending");
  const running = rows.find(({ part }) => part === "running");
  return {
    pending: pending.reduce((sum, { jobs }) => sum + jobs, 0),
    running: running?.jobs ?? 0,
    runningOnCordoned: running?.more ?? 0,
    oldestPendingAgeSec: ageSec(earliest(pending.map(({ more }) => more)), now),
  };
}

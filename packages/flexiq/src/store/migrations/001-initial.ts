/**
 * The first schema. Every index is partial: a job is in one of them at a time (plus its unique key), so an enqueue writes
 * one index entry, and no cost depends on jobs of another state. DESIGN 9.2, 9.3.
 *
 * State codes: 0 scheduled, 1 pending, 2 running, 3 completed, 4 failed, 5 dead, 6 cancelled (`state-codes.ts`).
 */
export const INITIAL = `
  CREATE TABLE jobs (
    -- AUTOINCREMENT: an id is never given twice, or a late result could finish a stranger.
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    state INTEGER NOT NULL,
    queue TEXT NOT NULL,
    priority INTEGER NOT NULL,
    -- When it became or becomes due; of an immediate job when it was enqueued.
    run_at INTEGER NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    -- Fencing: counts the claims, also those whose attempt was given back.
    token INTEGER NOT NULL DEFAULT 0,
    worker_id INTEGER,
    cancel_requested INTEGER NOT NULL DEFAULT 0,
    max_retries INTEGER NOT NULL,
    timeout_ms INTEGER,
    retry_base_ms INTEGER NOT NULL,
    retry_max_ms INTEGER NOT NULL,
    enqueued_at INTEGER NOT NULL,
    started_at INTEGER,
    finished_at INTEGER,
    unique_key TEXT,
    task TEXT NOT NULL,
    progress TEXT,
    error TEXT,
    args TEXT NOT NULL,
    result TEXT
  ) STRICT;

  -- In the order of claims; run_at is there for counting and ages without a look at the table.
  CREATE INDEX jobs_pending ON jobs (queue, priority DESC, id, run_at) WHERE state = 1;
  CREATE INDEX jobs_due ON jobs (run_at, state, queue) WHERE state IN (0, 4);
  CREATE INDEX jobs_running ON jobs (worker_id) WHERE state = 2;
  CREATE INDEX jobs_cancelling ON jobs (worker_id) WHERE state = 2 AND cancel_requested = 1;
  CREATE INDEX jobs_finished ON jobs (state, queue, finished_at) WHERE state IN (3, 5, 6);
  CREATE UNIQUE INDEX jobs_unique ON jobs (unique_key) WHERE unique_key IS NOT NULL AND state IN (0, 1, 2, 4);

  CREATE TABLE paused_queues (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;

  CREATE TABLE workers (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    pid INTEGER NOT NULL,
    start_time TEXT NOT NULL,
    boot_id TEXT NOT NULL,
    pid_namespace TEXT NOT NULL,
    slots INTEGER NOT NULL,
    -- JSON array; NULL: every queue.
    queues TEXT,
    cordoned INTEGER NOT NULL DEFAULT 0,
    started_at INTEGER NOT NULL,
    heartbeat_wall INTEGER NOT NULL,
    heartbeat_mono INTEGER NOT NULL
  ) STRICT;

  -- One row: by how much the wall clock was ahead of the monotonic one when somebody last looked.
  CREATE TABLE clock (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    boot_id TEXT NOT NULL,
    ahead_ms INTEGER NOT NULL
  ) STRICT;
`;

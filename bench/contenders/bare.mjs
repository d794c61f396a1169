// Bare SQLite: what the same driver does on flexiq's own table with nothing around it. The reference, not a product:
// it knows no retries, no leases, no timeouts, and a job it loses stays lost.
import { watch } from "node:fs";
import Database from "better-sqlite3";
import { Queue } from "flexiq";

export const variants = {
  default: { title: "bare SQLite, batches of 4", batch: 4, warmUp: 20_000 },
  slots16: { title: "bare SQLite, batches of 16", batch: 16, warmUp: 40_000, only: ["drain"] },
  slots64: { title: "bare SQLite, batches of 64", batch: 64, warmUp: 40_000, only: ["drain"] },
  tuned: { title: "bare SQLite, batches of 256", batch: 256, warmUp: 40_000, only: ["drain"] },
};

function open({ db, durability }) {
  const queue = new Queue({ dbPath: db });
  void queue.store;
  queue.close();
  const database = new Database(db);
  for (const pragma of [`synchronous = ${durability}`, "temp_store = MEMORY", "busy_timeout = 60000"]) {
    database.pragma(pragma);
  }
  return database;
}

export function producer(context) {
  const database = open(context);
  const insert = database.prepare(`
    INSERT INTO jobs (state, queue, priority, run_at, max_retries, timeout_ms, retry_base_ms, retry_max_ms, enqueued_at, unique_key, task, args)
    VALUES (1, 'default', 0, ?, 3, NULL, 1000, 3600000, ?, NULL, ?, ?)`);
  const enqueue = (task, payload) => {
    const now = Date.now();
    insert.run(now, now, task, JSON.stringify([payload]));
  };
  const enqueueMany = database.transaction((task, payloads) => {
    for (const payload of payloads) enqueue(task, payload);
  });
  const left = database.prepare("SELECT count(*) FROM jobs WHERE state IN (1, 2)").pluck();
  const any = database.prepare("SELECT EXISTS (SELECT 1 FROM jobs WHERE state = ?)").pluck();
  return {
    enqueue,
    enqueueMany: (task, payloads) => enqueueMany.immediate(task, payloads),
    isDrained: () => any.get(1) === 0 && any.get(2) === 0,
    left: () => left.get(),
  };
}

/** Takes a batch, runs it, and hands it back in the transaction that takes the next. */
export function worker(context, handlers) {
  const database = open(context);
  const { batch } = variants[context.variant];
  // As a number in the text: a limit that is a bare parameter has the statement prepared anew for each value.
  const next = database.prepare(
    `SELECT id, task, args FROM jobs WHERE state = 1 AND queue = 'default' ORDER BY priority DESC, id LIMIT ${batch}`,
  );
  const take = database.prepare(
    "UPDATE jobs SET state = 2, attempts = attempts + 1, token = token + 1, worker_id = 1, started_at = ? WHERE id = ?",
  );
  const finish = database.prepare("UPDATE jobs SET state = 3, finished_at = ?, result = ? WHERE id = ? AND state = 2");
  const exchange = database.transaction((done) => {
    const now = Date.now();
    for (const { id } of done) finish.run(now, null, id);
    const jobs = next.all();
    for (const { id } of jobs) take.run(now, id);
    return jobs;
  });

  function work() {
    let jobs = [];
    do {
      jobs = exchange.immediate(jobs);
      for (const { task, args } of jobs) handlers[task](...JSON.parse(args));
    } while (jobs.length > 0);
  }

  const isWaiting = database.prepare("SELECT EXISTS (SELECT 1 FROM jobs WHERE state = 1)").pluck();
  watch(`${context.db}-wal`, () => {
    if (isWaiting.get() === 1) work();
  });
  setInterval(work, 1000);
  work();
}

// pg-boss on a private PostgreSQL.
import pg from "pg";
import { PgBoss } from "pg-boss";
import { relaxed } from "../lib/postgres-url.mjs";

export const server = "postgres";
export const nodeAtLeast = 22;

export const variants = {
  // It hands out one job each two seconds, so a warm-up longer than one job would not end, and its latency is that poll.
  default: { title: "pg-boss", boss: {}, queue: {}, work: {}, warmUp: 1, only: ["enqueue", "drain"] },
  // Batches, fetched without a pause while they come back full; and a commit that does not wait for the disk, which is
  // what SQLite's `normal` promises too.
  tuned: {
    title: "pg-boss, tuned",
    warmUp: 15_000,
    relaxed: true,
    boss: {},
    queue: {},
    work: { batchSize: 500, burstWhenBatchFull: true, pollingIntervalSeconds: 0.5 },
    only: ["enqueue", "drain"],
  },
  // For latency: woken by a notification.
  notified: {
    title: "pg-boss, notified",
    relaxed: true,
    boss: { useListenNotify: true },
    queue: { notify: true },
    work: { pollingIntervalSeconds: 0.5 },
    only: ["latency"],
  },
};

async function open({ pgUrl, queue, variant }) {
  const { relaxed: isRelaxed, boss: options, queue: queueOptions } = variants[variant];
  const connectionString = isRelaxed ? relaxed(pgUrl) : pgUrl;
  const boss = new PgBoss({ connectionString, schema: "boss", ...options });
  boss.on("error", (error) => console.error(error));
  await boss.start();
  await boss.createQueue(queue, queueOptions);
  return { boss, connectionString };
}

export async function producer(context) {
  const { boss, connectionString } = await open(context);
  const { queue } = context;
  const client = new pg.Client(connectionString);
  await client.connect();
  const count = async (where) => {
    const sql = `SELECT count(*) FROM (SELECT 1 FROM boss.job WHERE name = $1 AND ${where}) AS jobs`;
    return Number((await client.query(sql, [queue])).rows[0].count);
  };
  return {
    enqueue: (task, payload) => boss.send(queue, { task, payload }),
    enqueueMany: (task, payloads) =>
      boss.insert(
        queue,
        payloads.map((payload) => ({ data: { task, payload } })),
      ),
    // Fresh statistics after a large load, as autovacuum brings them a minute later.
    settle: () => client.query("ANALYZE boss.job"),
    // What waits has an index; what is active is looked for only when nothing waits any more.
    isDrained: async () =>
      (await count("state < 'active' LIMIT 1")) === 0 && (await count("state = 'active' LIMIT 1")) === 0,
    left: () => count("state < 'completed'"),
  };
}

export async function worker(context, handlers) {
  const { boss } = await open(context);
  await boss.work(context.queue, variants[context.variant].work, async (jobs) => {
    for (const { data } of jobs) await handlers[data.task](data.payload);
  });
}

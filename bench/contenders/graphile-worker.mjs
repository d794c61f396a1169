// graphile-worker on a private PostgreSQL.
import { Logger, makeWorkerUtils, run } from "graphile-worker";
import pg from "pg";
import { relaxed } from "../lib/postgres-url.mjs";

export const server = "postgres";
export const nodeAtLeast = 22;

export const variants = {
  // One job at a time, each waiting for the disk.
  default: { title: "graphile-worker", worker: {}, warmUp: 50 },
  // Its performance page: a local queue, batched completion, concurrency; and a commit that does not wait for the disk,
  // which is what SQLite's `normal` promises too.
  tuned: {
    title: "graphile-worker, tuned",
    warmUp: 20_000,
    relaxed: true,
    worker: {
      concurrentJobs: 24,
      maxPoolSize: 25,
      localQueue: { size: 500 },
      completeJobBatchDelay: 0,
      failJobBatchDelay: 0,
    },
  },
};

const logger = new Logger(() => (level, message) => {
  if (level === "error") console.error(message);
});

const settings = ({ pgUrl, queue, variant }) => ({
  connectionString: variants[variant].relaxed ? relaxed(pgUrl) : pgUrl,
  schema: `gw_${queue}`,
  logger,
});

export async function producer(context) {
  const { connectionString, schema } = settings(context);
  const utils = await makeWorkerUtils({ connectionString, schema, logger });
  await utils.migrate();
  const client = new pg.Client(connectionString);
  await client.connect();
  const ask = async (sql) => Object.values((await client.query(sql)).rows[0])[0];
  return {
    enqueue: (task, payload) => utils.addJob(task, payload),
    enqueueMany: (task, payloads) => utils.addJobs(payloads.map((payload) => ({ identifier: task, payload }))),
    // Fresh statistics after a large load, as autovacuum brings them a minute later.
    settle: () => client.query(`ANALYZE ${schema}._private_jobs`),
    isDrained: () => ask(`SELECT NOT EXISTS (SELECT 1 FROM ${schema}._private_jobs)`),
    left: async () => Number(await ask(`SELECT count(*) FROM ${schema}._private_jobs`)),
  };
}

export async function worker(context, handlers) {
  const taskList = Object.fromEntries(
    Object.entries(handlers).map(([name, handler]) => [name, async (payload) => handler(payload)]),
  );
  const preset = { worker: { ...settings(context), ...variants[context.variant].worker } };
  await run({ preset, taskList, noHandleSignals: true, parsedCronItems: [] });
}

// plainjob: a queue on the same SQLite driver. Its worker runs one job at a time and asks each second when idle.
import Database from "better-sqlite3";
import { better, defineQueue, defineWorker } from "plainjob";

export const variants = {
  default: { title: "plainjob", warmUp: 6000 },
  // Its one setting for speed: how often an idle worker asks.
  tuned: { title: "plainjob, asking each 10 ms", pollIntervall: 10, only: ["latency"] },
};

// Its own benchmark silences it too; the console would cost more than the queue.
const logger = { error: console.error, warn: console.warn, info() {}, debug() {} };

function open({ db, durability }) {
  const database = new Database(db);
  const queue = defineQueue({ connection: better(database), logger });
  if (durability === "full") database.pragma("synchronous = FULL");
  return { database, queue };
}

const PENDING = 0;
const PROCESSING = 1;

export function producer(context) {
  const { database, queue } = open(context);
  const left = database.prepare("SELECT count(*) FROM plainjob_jobs WHERE status IN (0, 1)").pluck();
  const any = database.prepare("SELECT EXISTS (SELECT 1 FROM plainjob_jobs WHERE status = ?)").pluck();
  return {
    enqueue: (task, payload) => void queue.add(task, payload),
    enqueueMany: (task, payloads) => void queue.addMany(task, payloads),
    isDrained: () => any.get(PENDING) === 0 && any.get(PROCESSING) === 0,
    left: () => left.get(),
  };
}

export function worker(context, handlers) {
  const { queue } = open(context);
  const { pollIntervall } = variants[context.variant];
  for (const task of context.tasks) {
    const run = async (job) => handlers[task](JSON.parse(job.data));
    void defineWorker(task, run, { queue, logger, ...(pollIntervall && { pollIntervall }) }).start();
  }
}

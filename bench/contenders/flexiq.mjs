// flexiq itself: the built package, and its real `flexiq worker` processes.
import { fileURLToPath } from "node:url";
import Database from "better-sqlite3";
import { Queue } from "flexiq";
import { waitFor } from "../lib/wait.mjs";

export const variants = {
  default: { title: "flexiq", warmUp: 15_000 },
  slots16: { title: "flexiq, 16 slots", slots: 16, warmUp: 30_000, only: ["drain"] },
  slots64: { title: "flexiq, 64 slots", slots: 64, warmUp: 40_000, only: ["drain"] },
  // As with the others, which fetch 500 at a time: many for jobs that do little.
  tuned: { title: "flexiq, 256 slots", slots: 256, warmUp: 40_000, only: ["drain"] },
};

const TASKS = fileURLToPath(new URL("../tasks.mjs", import.meta.url));
export const CLI = fileURLToPath(new URL("../../packages/flexiq/dist/cli/main.js", import.meta.url));
export const APP = `${TASKS}:queue`;

export function environment({ db, out, durability, slots, variant }) {
  const jobSlots = slots ?? variants[variant ?? "default"].slots;
  return {
    BENCH_DB: db,
    BENCH_OUT: out,
    // Also for the workers that an autoscaler starts.
    EFFIQUEUE_LOG: "error",
    ...(durability && { BENCH_DURABILITY: durability }),
    ...(jobSlots && { BENCH_SLOTS: String(jobSlots) }),
  };
}

/** The command of one worker; the benchmark waits until the worker has said that it is ready to claim. */
export const workerCommand = (context) => ({
  file: process.execPath,
  args: [CLI, "worker", "--app", APP],
  env: environment(context),
});

/** Workers that have registered themselves, by pid. */
export const registeredPids = ({ db }) => {
  const database = new Database(db, { readonly: true });
  try {
    return database.prepare("SELECT pid FROM workers").pluck().all();
  } finally {
    database.close();
  }
};

export const workersReady = (context, pids) =>
  waitFor(() => pids.every((pid) => registeredPids(context).includes(pid)), "flexiq's workers");

export function producer({ db, durability }) {
  const queue = new Queue({ dbPath: db, durability });
  void queue.store;
  const database = new Database(db, { readonly: true });
  const left = database.prepare("SELECT count(*) FROM jobs WHERE state IN (0, 1, 2, 4)").pluck();
  // One look per partial index; what is left scheduled or failed would be a fault, and is counted as left.
  const isWaiting = database.prepare("SELECT EXISTS (SELECT 1 FROM jobs WHERE state = 1)").pluck();
  const isRunning = database.prepare("SELECT EXISTS (SELECT 1 FROM jobs WHERE state = 2)").pluck();
  return {
    enqueue: (task, payload) => queue.enqueue(task, [payload]),
    enqueueMany: (task, payloads) => {
      // A `hold` is killed again and again on purpose.
      const more = task === "hold" ? { options: { maxRetries: 1000 } } : {};
      return queue.enqueueMany(payloads.map((payload) => ({ task, args: [payload], ...more })));
    },
    isDrained: () => isWaiting.get() === 0 && isRunning.get() === 0 && left.get() === 0,
    left: () => left.get(),
  };
}

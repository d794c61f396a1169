// flexiq itself: the built package, and its real `flexiq worker` processes.
import { fileURLToPath } from "node:url";
import Database from "better-sqlite3";
import { Queue } from "flexiq";
import { waitFor } from "../lib/wait.mjs";

export const variants = {
  default: { title: "flexiq" },
  tuned: { title: "flexiq, 16 slots", slots: 16, only: ["drain", "latency"] },
};

const TASKS = fileURLToPath(new URL("../tasks.mjs", import.meta.url));
export const CLI = fileURLToPath(new URL("../../packages/flexiq/dist/cli/main.js", import.meta.url));
export const APP = `${TASKS}:queue`;

export function environment({ db, out, durability, slots, variant }) {
  const jobSlots = slots ?? variants[variant ?? "default"].slots;
  return {
    BENCH_DB: db,
    BENCH_OUT: out,
    ...(durability && { BENCH_DURABILITY: durability }),
    ...(jobSlots && { BENCH_SLOTS: String(jobSlots) }),
  };
}

/** The command of one worker; the benchmark waits until the worker has said that it is ready to claim. */
export const workerCommand = (context) => ({
  file: process.execPath,
  args: [CLI, "worker", "--app", APP, "--log-level", "error"],
  env: environment(context),
});

export const workersReady = ({ db }, count) => {
  const database = new Database(db, { readonly: true });
  const registered = database.prepare("SELECT count(*) FROM workers").pluck();
  return waitFor(() => registered.get() === count, `${count} flexiq workers`).finally(() => database.close());
};

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
    enqueueMany: (task, payloads) => queue.enqueueMany(payloads.map((payload) => ({ task, args: [payload] }))),
    isDrained: () => isWaiting.get() === 0 && isRunning.get() === 0 && left.get() === 0,
    left: () => left.get(),
  };
}

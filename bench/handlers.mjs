// What the jobs of the benchmark do, the same for every contender. What they saw goes into a file per worker process.
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { nowMs, sleep } from "./lib/wait.mjs";

const file = process.env.BENCH_OUT && join(process.env.BENCH_OUT, `${process.pid}.jsonl`);
const note = (entry) => appendFileSync(file, `${JSON.stringify({ ...entry, pid: process.pid })}\n`);

let batch;

export const handlers = {
  /** Nothing, but for the moment of the first one of each batch. */
  noop(payload) {
    if (payload.batch === batch) return;
    batch = payload.batch;
    note({ kind: "first", batch, at: nowMs() });
  },

  /** How long after its enqueue it started. */
  stamp(payload) {
    const ms = nowMs() - payload.at;
    note({ kind: "sample", ms });
  },

  /** Holds its slot until its worker is killed. */
  async hold(payload) {
    note({ kind: "start", id: payload.id, at: nowMs() });
    await sleep(600_000);
  },

  /** Takes a little while, so that a kill hits it in the middle. */
  async nap(payload) {
    await sleep(payload.ms);
  },
};

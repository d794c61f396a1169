/** What is counted of jobs as they end, against what is in the file. */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempDir } from "../../../effiqueue/test/support/temp-dir.ts";
import type { Outcome, RunTally } from "../../src/model.ts";
import { loadDriver } from "../../src/store/drivers/load.ts";
import { INITIAL } from "../../src/store/migrations/001-initial.ts";
import { APPLICATION_ID } from "../../src/store/migrations/migrations.ts";
import type { Store } from "../../src/store/store.ts";
import { aJob, aWorker, exchange, FakeTime, openStore } from "../support/store.ts";
import { onEachDriver } from "./contract.ts";

/** What was counted in each bucket, of those that have any. */
const buckets = ({ atMost }: RunTally): [number, number][] => {
  let below = 0;
  return atMost.flatMap(({ sec, count }): [number, number][] => {
    const own = count - below;
    below = count;
    return own === 0 ? [] : [[sec, own]];
  });
};

/** Runs a job for each time given, and ends all in one exchange. */
async function finish(
  store: Store,
  times: readonly (number | undefined)[],
  end: object = { kind: "completed", resultJson: null },
) {
  const worker = await store.registerWorker(aWorker());
  await store.insertMany(times.map(() => aJob({ maxRetries: 0 })));
  const { claimed } = await exchange(store, worker, { claim: times.length });
  const outcomes = claimed.map(({ id, token }, i) => {
    const ranMs = times[i];
    return { id, token, ...end, ...(ranMs === undefined ? {} : { ranMs }) } as Outcome;
  });
  await exchange(store, worker, { outcomes });
  return { worker, outcomes };
}

onEachDriver((driver) => {
  describe("DESIGN 9.13: tallies", () => {
    it("have each run in the bucket of its time, both edges, and unmeasured ones in none", async () => {
      const store = openStore({ driver });
      await finish(store, [0, 5, 5.1, 10, 3_600_000, 3_600_001, undefined]);
      const { completed } = (await store.census()).runs;
      expect(buckets(completed)).toEqual([
        [0.005, 2],
        [0.01, 2],
        [3600, 1],
        [Number.POSITIVE_INFINITY, 1],
      ]);
      expect(completed.count).toBe(7);
      expect(completed.atMost.at(-1)?.count).toBe(6);
      expect(completed.totalSec).toBeCloseTo(7200.0211, 6);
    });

    it("tell how runs ended, and count an outcome that comes too late not at all", async () => {
      const store = openStore({ driver });
      const { worker, outcomes } = await finish(store, [20, 20], { kind: "failed", error: "e", retry: true });
      await exchange(store, worker, { outcomes });
      await finish(store, [30], { kind: "cancelled", error: null });
      await finish(store, [40], { kind: "released" });
      const { runs } = await store.census();
      expect(Object.fromEntries(Object.entries(runs).map(([end, { count }]) => [end, count]))).toEqual({
        completed: 0,
        failed: 2,
        cancelled: 1,
      });
    });

    it("count runs that ended with their worker as failed", async () => {
      const time = new FakeTime();
      const store = openStore({ driver, time, leaseMs: 1000 });
      const worker = await store.registerWorker(
        aWorker({ identity: { pid: 1, startTime: "1", bootId: "elsewhere", pidNamespace: "" } }),
      );
      await store.insert(aJob());
      await exchange(store, worker, { claim: 1 });
      time.pass(1001);
      expect((await store.reclaim()).jobs).toBe(1);
      expect((await store.census()).runs.failed).toMatchObject({ count: 1, totalSec: 0 });
    });

    it.each([0, 60])("know the completed jobs that are left where they are kept for %d s", async (completedSec) => {
      const time = new FakeTime();
      const store = openStore({ driver, time, retention: { completedSec } });
      await finish(store, [1, 2, 3]);
      expect((await store.census()).jobs.completed).toBe(completedSec === 0 ? 0 : 3);
      time.pass(60_001);
      await finish(store, [4]);
      await store.maintain();
      const { jobs, runs, enqueued } = await store.census();
      expect(jobs).toEqual(expect.objectContaining({ completed: (await store.stats()).completed }));
      expect(runs.completed.count).toBe(4);
      expect(enqueued).toBe(4);
    });

    it("begin, in a file of the first schema, with the jobs that are there", async () => {
      const dbPath = join(tempDir(), "queue.db");
      const row = (state: number) =>
        `INSERT INTO jobs (state, queue, priority, run_at, max_retries, retry_base_ms, retry_max_ms, enqueued_at, finished_at, task, args)
         VALUES (${state}, 'default', 0, 1, 1, 1, 1, 1, 1, 'work', '[]');`;
      const db = loadDriver(driver).open(dbPath);
      db.exec(
        `PRAGMA journal_mode = WAL; PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = 1; ${INITIAL}`,
      );
      db.exec([3, 3, 5, 6, 1].map(row).join(""));
      db.close();
      const store = openStore({ driver, dbPath });
      const { jobs, runs, enqueued } = await store.census();
      expect(jobs).toMatchObject({ completed: 2, dead: 1, cancelled: 1, pending: 1 });
      expect(runs.completed).toMatchObject({ count: 2, totalSec: 0 });
      expect(enqueued).toBe(5);
    });
  });
});

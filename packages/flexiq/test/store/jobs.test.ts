/** From enqueue to the end of a job. DESIGN 9.3 to 9.10. */
import { describe, expect, it } from "vitest";
import type { Outcome } from "../../src/model.ts";
import { aJob, aWorker, exchange, FakeTime, openStore } from "../support/store.ts";
import { onEachDriver } from "./contract.ts";

const completed = (job: { id: number; token: number }, resultJson: string | null = null): Outcome => ({
  id: job.id,
  token: job.token,
  kind: "completed",
  resultJson,
});
const failed = (job: { id: number; token: number }, error = "boom", retry = true): Outcome => ({
  id: job.id,
  token: job.token,
  kind: "failed",
  error,
  retry,
});

onEachDriver((driver) => {
  async function serving(options: Parameters<typeof openStore>[0] = {}) {
    const time = new FakeTime();
    const store = openStore({ driver, time, chance: () => 0, ...options });
    const worker = await store.registerWorker(aWorker());
    const claim = async (count = 100, queues: readonly string[] | null = null) =>
      (await exchange(store, worker, { claim: count, queues })).claimed;
    const finish = async (...outcomes: Outcome[]) => (await exchange(store, worker, { outcomes })).refused;
    const stateOf = async (id: number) => (await store.job(id))?.state;
    return { store, time, worker, claim, finish, stateOf };
  }

  describe("DESIGN 9.4: enqueue", () => {
    it("gives back what was put in, unchanged", async () => {
      const { store, claim } = await serving();
      const argsJson = JSON.stringify(["ä\u0000ö 🐟", { deep: [1.5, null, true] }, "x".repeat(100_000)]);
      const id = await store.insert(
        aJob({ task: "t", queue: "q", argsJson, priority: Number.MIN_SAFE_INTEGER, timeoutMs: 7, maxRetries: 9 }),
      );
      const [job] = await claim();
      expect(job).toEqual({
        id,
        token: 1,
        task: "t",
        queue: "q",
        argsJson,
        attempt: 1,
        maxRetries: 9,
        timeoutMs: 7,
      });
      expect(await store.job(id)).toMatchObject({
        args: JSON.parse(argsJson) as unknown,
        priority: Number.MIN_SAFE_INTEGER,
      });
    });

    it("stores many in order, or none of them", async () => {
      const { store } = await serving();
      const ids = await store.insertMany([aJob(), aJob({ queue: "b" }), aJob()]);
      expect(ids).toEqual([...ids].sort((a, b) => a - b));
      await expect(store.insertMany([aJob(), aJob({ task: null as unknown as string })])).rejects.toThrow();
      expect((await store.stats()).pending).toBe(3);
      expect(await store.insertMany([])).toEqual([]);
    });

    it("returns the holder of a unique key while it is scheduled, pending, running or failed, and not after", async () => {
      const { store, time, claim, finish } = await serving();
      const keyed = aJob({ uniqueKey: "k" });
      const first = await store.insert({ ...keyed, runAtMs: time.wall + 1000 });
      expect(await store.insert(keyed), "scheduled").toBe(first);
      time.pass(1000);
      expect(await store.insertMany([keyed, keyed]), "pending").toEqual([first, first]);
      const [run] = await claim();
      expect(await store.insert(keyed), "running").toBe(first);
      if (run) await finish(failed(run));
      expect(await store.insert(keyed), "failed").toBe(first);
      time.pass(60_000);
      const [rerun] = await claim();
      if (rerun) await finish(completed(rerun));
      const second = await store.insert(keyed);
      expect(second, "completed").not.toBe(first);
      await store.cancel(second);
      expect(await store.insert(keyed), "cancelled").not.toBe(second);
    });

    it("keeps a dead letter dead while another job has its unique key", async () => {
      const { store, claim, finish, stateOf } = await serving();
      const first = await store.insert(aJob({ uniqueKey: "k", maxRetries: 0 }));
      const [run] = await claim();
      if (run) await finish(failed(run));
      await store.insert(aJob({ uniqueKey: "k" }));
      expect(await store.retry([first])).toBe(0);
      expect(await stateOf(first)).toBe("dead");
    });
  });

  describe("DESIGN 9.5: claim and finish", () => {
    it("hands out the highest priority first, then the oldest, over all queues", async () => {
      const { store, claim } = await serving();
      const [a, b, c, d, e] = await store.insertMany([
        aJob({ queue: "x" }),
        aJob({ queue: "y", priority: 5 }),
        aJob({ queue: "x", priority: -5 }),
        aJob({ queue: "y" }),
        aJob({ queue: "x", priority: 5 }),
      ]);
      const order = [...(await claim(2)), ...(await claim(2)), ...(await claim(2))].map(({ id }) => id);
      expect(order).toEqual([b, e, a, d, c]);
    });

    it("hands out jobs of the asked queues only, and never more than asked for", async () => {
      const { store, claim } = await serving();
      await store.insertMany([aJob({ queue: "a" }), aJob({ queue: "b" }), aJob({ queue: "c" }), aJob({ queue: "b" })]);
      expect((await claim(2, ["b", "c"])).map(({ queue }) => queue)).toEqual(["b", "c"]);
      expect(await claim(0, null)).toEqual([]);
      expect((await claim(9, ["nowhere"])).length).toBe(0);
    });

    it("takes outcomes and hands out jobs in one exchange", async () => {
      const { store, worker, claim, stateOf } = await serving();
      const [first, second] = await store.insertMany([aJob(), aJob()]);
      const [run] = await claim(1);
      if (run === undefined) throw new Error("nothing claimed");
      const { claimed } = await exchange(store, worker, { outcomes: [completed(run, "42")], claim: 1 });
      expect(claimed.map(({ id }) => id)).toEqual([second]);
      expect(await store.job(first ?? 0)).toMatchObject({ state: "completed", result: 42, attempts: 1 });
      expect(await stateOf(second ?? 0)).toBe("running");
    });

    it("refuses a result whose token is old, and records the other", async () => {
      const { store, worker, claim, finish } = await serving();
      const id = await store.insert(aJob());
      const [slow] = await claim();
      if (slow === undefined) throw new Error("nothing claimed");
      await store.removeWorker(worker);
      const other = await store.registerWorker(aWorker());
      const { claimed } = await exchange(store, other, { claim: 1 });
      const [fast] = claimed;
      if (fast === undefined) throw new Error("nothing claimed");
      expect(fast.token).toBeGreaterThan(slow.token);
      for (const late of [completed(slow, '"late"'), failed(slow), { ...completed(slow), kind: "released" as const }]) {
        expect(await finish(late), late.kind).toEqual([id]);
      }
      expect((await exchange(store, other, { outcomes: [completed(fast, '"good"')] })).refused).toEqual([]);
      expect(await finish(completed(slow, '"late"'))).toEqual([id]);
      expect(await store.job(id)).toMatchObject({ state: "completed", result: "good" });
    });

    it("never gives an id again, so that a late result cannot finish a stranger", async () => {
      const { store, claim, finish } = await serving({ retention: { completedSec: 0 } });
      const first = await store.insert(aJob());
      const [run] = await claim();
      if (run) expect(await finish(completed(run))).toEqual([]);
      expect(await store.job(first)).toBeNull();
      expect(await store.insert(aJob())).toBeGreaterThan(first);
    });

    it("hands out nothing to a worker that is unknown or cordoned, and says so", async () => {
      const { store, worker } = await serving();
      await store.insert(aJob());
      await store.cordon(worker);
      expect(await exchange(store, worker, { claim: 1 })).toMatchObject({
        claimed: [],
        cordoned: true,
        registered: true,
      });
      await store.uncordon(worker);
      expect(await exchange(store, 999, { claim: 1 })).toMatchObject({ claimed: [], registered: false });
      expect((await exchange(store, worker, { claim: 1 })).claimed).toHaveLength(1);
    });
  });

  describe("DESIGN 9.3: scheduled jobs", () => {
    it("are no pending work before they are due, and are at that moment, promoted or not", async () => {
      const { store, time, worker, claim } = await serving();
      await store.insert(aJob({ runAtMs: time.wall + 500 }));
      expect(await store.stats()).toMatchObject({ scheduled: 1, pending: 0, oldestPendingAgeSec: null });
      expect(await claim()).toEqual([]);
      expect((await exchange(store, worker, { claim: 1 })).nextDueInMs).toBe(500);
      time.pass(499);
      expect((await store.load()).pending).toBe(0);
      time.pass(1);
      expect(await store.load()).toMatchObject({ pending: 1, oldestPendingAgeSec: 0 });
      expect(await store.stats()).toMatchObject({ scheduled: 0, pending: 1 });
      time.pass(2000);
      expect((await store.stats()).oldestPendingAgeSec).toBe(2);
      expect(await claim()).toHaveLength(1);
      expect((await exchange(store, worker, { claim: 1 })).nextDueInMs).toBeNull();
    });

    it("are promoted by maintenance, however many are due", async () => {
      const { store, time } = await serving();
      await store.insertMany(Array.from({ length: 700 }, () => aJob({ runAtMs: time.wall + 10 })));
      time.pass(10);
      await store.maintain();
      expect(await store.jobs({ state: "pending", limit: 1000 })).toHaveLength(700);
    });
  });

  describe("DESIGN 9.7: retry", () => {
    it("waits base, twice base, four times base, at most max, and is dead after maxRetries", async () => {
      const { store, time, claim, finish, stateOf } = await serving({ chance: () => 1 - Number.EPSILON });
      const id = await store.insert(aJob({ maxRetries: 4, retryBaseMs: 1000, retryMaxMs: 5000 }));
      for (const [attempt, waitMs] of [1000, 2000, 4000, 5000].entries()) {
        const [run] = await claim();
        expect(run).toMatchObject({ id, attempt: attempt + 1 });
        if (run) await finish(failed(run, `attempt ${attempt + 1}`));
        expect(await store.job(id)).toMatchObject({ state: "failed", error: `attempt ${attempt + 1}` });
        expect(await store.stats()).toMatchObject({ failed: 1, pending: 0 });
        time.pass(waitMs - 1);
        expect(await claim(), `${waitMs - 1} ms after attempt ${attempt + 1}`).toEqual([]);
        time.pass(1);
      }
      const [last] = await claim();
      if (last) await finish(failed(last, "the end"));
      expect(await stateOf(id)).toBe("dead");
      expect(await store.jobs({ state: "dead" })).toMatchObject([{ id, attempts: 5, error: "the end" }]);
    });

    it("halves the wait at most", async () => {
      const { store, time, claim, finish } = await serving({ chance: () => 0 });
      await store.insert(aJob({ retryBaseMs: 1000 }));
      const [run] = await claim();
      if (run) await finish(failed(run));
      time.pass(499);
      expect(await claim()).toEqual([]);
      time.pass(1);
      expect(await claim()).toHaveLength(1);
    });

    it("is not tried when the handler forbids it", async () => {
      const { store, claim, finish, stateOf } = await serving();
      const id = await store.insert(aJob());
      const [run] = await claim();
      if (run) await finish(failed(run, "hopeless", false));
      expect(await stateOf(id)).toBe("dead");
    });

    it.each([-86_400_000, 86_400_000])(
      "waits its span of time though the wall clock jumps by %i ms",
      async (jumpMs) => {
        const { store, time, claim, finish } = await serving();
        await store.insert(aJob({ retryBaseMs: 20_000 }));
        await store.maintain();
        const [run] = await claim();
        if (run) await finish(failed(run));
        time.pass(4000);
        time.setWall(jumpMs);
        expect(await claim(), "not at once").toEqual([]);
        time.pass(5999);
        expect(await claim(), "1 ms before").toEqual([]);
        time.pass(1);
        expect(await claim(), "after 10 s").toHaveLength(1);
      },
    );

    it("follows a jump of the wall clock once, however many processes notice it", async () => {
      const { store, time, claim, finish } = await serving();
      const others = [1, 2].map(() => openStore({ driver, time, dbPath: store.dbPath }));
      await Promise.all(others.map((other) => other.maintain()));
      const id = await store.insert(aJob({ retryBaseMs: 20_000 }));
      const [run] = await claim();
      if (run) await finish(failed(run));
      const before = (await store.job(id))?.runAtMs ?? 0;
      time.setWall(-3_600_000);
      for (const each of [...others, store]) await each.maintain();
      expect((await store.job(id))?.runAtMs).toBe(before - 3_600_000);
    });

    it("leaves a moment that a caller gave where it is", async () => {
      const { store, time } = await serving();
      await store.maintain();
      const moment = time.wall + 7_200_000;
      const id = await store.insert(aJob({ runAtMs: moment }));
      time.setWall(3_600_000);
      await store.maintain();
      expect((await store.job(id))?.runAtMs).toBe(moment);
    });

    it("by hand: dead letters get fresh attempts, failed jobs are due now, others are left alone", async () => {
      const { store, claim, finish } = await serving();
      const [dead, waiting, done, pending] = await store.insertMany([
        aJob({ maxRetries: 0 }),
        aJob({ queue: "b" }),
        aJob(),
        aJob({ priority: -1 }),
      ]);
      const [one, two, three] = await claim(3);
      if (one && two && three) await finish(failed(one), failed(two), completed(three));
      expect(await store.retry([dead ?? 0, waiting ?? 0, done ?? 0, pending ?? 0, 999])).toBe(2);
      expect((await claim(2)).map(({ id, attempt }) => [id, attempt])).toEqual([
        [dead, 1],
        [waiting, 2],
      ]);
      expect(await store.retry({})).toBe(0);
    });

    it("by hand: of a whole queue or of the whole file, whatever their number", async () => {
      const { store, claim, finish } = await serving();
      await store.insertMany(Array.from({ length: 600 }, (_, n) => aJob({ maxRetries: 0, queue: n < 10 ? "a" : "b" })));
      await finish(...(await claim(600)).map((run) => failed(run)));
      expect(await store.retry({ queue: "a" })).toBe(10);
      expect(await store.stats()).toMatchObject({ pending: 10, dead: 590 });
      expect(await store.retry({})).toBe(590);
    });
  });

  describe("DESIGN 9.8: cancel", () => {
    it("is immediate for scheduled, pending and failed jobs", async () => {
      const { store, time, claim, finish, stateOf } = await serving();
      const retried = await store.insert(aJob());
      const [run] = await claim();
      if (run) await finish(failed(run));
      const ids = [retried, await store.insert(aJob()), await store.insert(aJob({ runAtMs: time.wall + 1000 }))];
      for (const id of ids) {
        expect(await store.cancel(id)).toBe("cancelled");
        expect(await stateOf(id)).toBe("cancelled");
        expect(await store.cancel(id)).toBe("finished");
      }
      time.pass(60_000);
      expect(await claim()).toEqual([]);
    });

    it("of a running job reaches its worker, and only that one", async () => {
      const { store, worker, claim } = await serving();
      const other = await store.registerWorker(aWorker());
      const id = await store.insert(aJob());
      const [run] = await claim();
      expect(await store.cancel(id)).toBe("requested");
      expect((await exchange(store, other)).cancelRequested).toEqual([]);
      expect((await exchange(store, worker)).cancelRequested).toEqual([id]);
      if (run === undefined) throw new Error("nothing claimed");
      const outcome = { id, token: run.token, kind: "cancelled", error: "was cancelled" } as const;
      expect(await exchange(store, worker, { outcomes: [outcome] })).toMatchObject({
        refused: [],
        cancelRequested: [],
      });
      expect(await store.job(id)).toMatchObject({ state: "cancelled", error: "was cancelled" });
    });

    it("does not undo a job that completes nevertheless", async () => {
      const { store, claim, finish, stateOf } = await serving();
      const id = await store.insert(aJob());
      const [run] = await claim();
      await store.cancel(id);
      if (run) await finish(completed(run));
      expect(await stateOf(id)).toBe("completed");
    });

    it.each(["failed", "released"] as const)("holds for a run that was %s before it heard of it", async (kind) => {
      const { store, claim, finish, stateOf } = await serving();
      const id = await store.insert(aJob());
      const [run] = await claim();
      await store.cancel(id);
      if (run) await finish(kind === "failed" ? failed(run) : { id, token: run.token, kind });
      expect(await stateOf(id)).toBe("cancelled");
    });

    it("of no job is an error that names it", async () => {
      const { store } = await serving();
      await expect(store.cancel(12)).rejects.toMatchObject({
        code: "unknown-job",
        message: expect.stringContaining("12") as string,
      });
    });
  });

  describe("DESIGN 9.9: pause", () => {
    it("accepts jobs, hands out none, and shows no load", async () => {
      const { store, worker, claim } = await serving();
      await store.insert(aJob({ queue: "held" }));
      await store.pause("held");
      await store.pause("held");
      await store.insertMany([aJob({ queue: "held" }), aJob({ queue: "free" })]);
      expect((await claim(9, ["held"])).length).toBe(0);
      expect((await claim(9)).map(({ queue }) => queue)).toEqual(["free"]);
      expect(await store.load()).toMatchObject({ pending: 0, running: 1, oldestPendingAgeSec: null });
      expect(await store.stats("held")).toMatchObject({ pending: 2 });
      expect((await store.queues()).map(({ name, paused }) => [name, paused])).toEqual([
        ["free", false],
        ["held", true],
      ]);
      await store.resume("held");
      expect((await exchange(store, worker, { claim: 9, queues: ["held"] })).claimed).toHaveLength(2);
    });

    it("holds for scheduled work that comes due", async () => {
      const { store, time, claim } = await serving();
      await store.pause("held");
      await store.insert(aJob({ queue: "held", runAtMs: time.wall + 10 }));
      time.pass(10);
      expect((await store.load()).pending).toBe(0);
      expect(await claim()).toEqual([]);
      expect((await store.load()).pending).toBe(0);
    });
  });

  describe("DESIGN 11.7: totals that nobody counts", () => {
    it("know of jobs that are kept for no moment, and of jobs of the time before", async () => {
      const { store, claim, finish } = await serving({ retention: { completedSec: 0, deadSec: 0 } });
      await store.insertMany([aJob(), aJob(), aJob()]);
      expect(await store.flow()).toMatchObject({ pending: 3, arrivedTotal: 3, finishedTotal: 0 });
      const [one, two] = await claim(2);
      if (!one || !two) throw new Error("too few");
      await finish(completed(one), failed(two, "e", false));
      expect(await store.jobs()).toHaveLength(1);
      expect(await store.flow()).toMatchObject({ pending: 1, arrivedTotal: 3, finishedTotal: 2 });
    });

    it("are zero of a file without a job", async () => {
      const { store } = await serving();
      expect(await store.flow()).toMatchObject({ pending: 0, running: 0, arrivedTotal: 0, finishedTotal: 0 });
    });
  });

  describe("DESIGN 9.10: retention", () => {
    it("deletes completed and cancelled jobs after their time, dead letters never", async () => {
      const { store, time, claim, finish, stateOf } = await serving({ retention: { completedSec: 60 } });
      const [done, dead, off] = await store.insertMany([aJob(), aJob({ maxRetries: 0 }), aJob()]);
      const [one, two] = await claim(2);
      if (one && two) await finish(completed(one), failed(two));
      await store.cancel(off ?? 0);
      time.pass(59_999);
      await store.maintain();
      expect(await stateOf(done ?? 0)).toBe("completed");
      time.pass(1);
      await store.maintain();
      expect(await stateOf(done ?? 0)).toBeUndefined();
      expect(await stateOf(off ?? 0)).toBeUndefined();
      time.pass(1e12);
      await store.maintain();
      expect(await stateOf(dead ?? 0)).toBe("dead");
    });

    it("0 deletes at once, and leaves nothing behind whatever the end was", async () => {
      const { store, claim, finish } = await serving({ retention: { completedSec: 0, deadSec: 0 } });
      await store.insertMany([aJob(), aJob({ maxRetries: 0 }), aJob(), aJob({ priority: -1 })]);
      const [one, two, three] = await claim(3);
      if (one && two && three) {
        expect(
          await finish(completed(one), failed(two), { ...completed(three), kind: "cancelled", error: null }),
        ).toEqual([]);
      }
      expect(await store.cancel(4)).toBe("cancelled");
      expect(await store.jobs()).toEqual([]);
    });

    it("Infinity keeps", async () => {
      const { store, time, claim, finish } = await serving({ retention: { completedSec: Number.POSITIVE_INFINITY } });
      await store.insert(aJob());
      const [run] = await claim();
      if (run) await finish(completed(run));
      time.pass(1e12);
      await store.maintain();
      expect((await store.stats()).completed).toBe(1);
    });

    it("purges by state, queue and age, whatever their number", async () => {
      const { store, time, claim, finish } = await serving();
      await store.insertMany(Array.from({ length: 600 }, (_, n) => aJob({ maxRetries: 0, queue: n < 10 ? "a" : "b" })));
      await finish(...(await claim(600)).map((run) => failed(run)));
      expect(await store.purge({ state: "dead", olderThanSec: 1 })).toBe(0);
      expect(await store.purge({ state: "completed" })).toBe(0);
      expect(await store.purge({ state: "dead", queue: "a" })).toBe(10);
      time.pass(1000);
      expect(await store.purge({ state: "dead", olderThanSec: 1 })).toBe(590);
    });
  });

  describe("DESIGN 9.3: records", () => {
    it("page through jobs by id, of one state and one queue", async () => {
      const { store, claim } = await serving();
      const ids = await store.insertMany(Array.from({ length: 6 }, (_, n) => aJob({ queue: n % 2 === 0 ? "a" : "b" })));
      const page = await store.jobs({ limit: 4 });
      expect(page.map(({ id }) => id)).toEqual(ids.slice(0, 4));
      expect((await store.jobs({ limit: 4, afterId: ids[3] ?? 0 })).map(({ id }) => id)).toEqual(ids.slice(4));
      await claim(2);
      expect((await store.jobs({ state: "pending", queue: "a" })).map(({ id }) => id)).toEqual([ids[2], ids[4]]);
      expect((await store.jobs({ state: "running" })).map(({ id }) => id)).toEqual(ids.slice(0, 2));
    });

    it("keep the last progress of the run that holds the job", async () => {
      const { store, claim, worker } = await serving();
      const id = await store.insert(aJob());
      const [run] = await claim();
      const token = run?.token ?? 0;
      await store.progress([]);
      await store.progress([
        { id, token, json: '{"at":1}' },
        { id, token, json: '{"at":2}' },
      ]);
      expect((await store.job(id))?.progress).toEqual({ at: 2 });
      await store.removeWorker(worker);
      await store.progress([{ id, token, json: '{"at":3}' }]);
      expect((await store.job(id))?.progress).toEqual({ at: 2 });
    });
  });
});

/** Many processes on one file: nothing is lost, nothing is doubled, nobody fails for a lock. DESIGN 9.5, 9.11. */
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { tempDir } from "../../../effiqueue/test/support/temp-dir.ts";
import { waitFor } from "../../../effiqueue/test/support/wait-for.ts";
import { loadDriver } from "../../src/store/drivers/load.ts";
import { aJob, openStore } from "../support/store.ts";
import { storeChild } from "../support/store-child.ts";
import { DRIVER, onEachDriver } from "./contract.ts";

describe("DESIGN 9.5: many processes", () => {
  it("8 claim while another writes 5,000 jobs: each is claimed once and completed once", async () => {
    const JOBS = 5000;
    const store = openStore({ driver: DRIVER, busyTimeoutMs: 60_000 });
    const claimers = Array.from({ length: 8 }, () => storeChild("claim", store.dbPath, JOBS));
    await waitFor(async () => (await store.workers()).length === claimers.length, { timeoutMs: 60_000 });
    const enqueued: number[] = [];
    while (enqueued.length < JOBS) {
      enqueued.push(await store.insert(aJob()));
      if (enqueued.length % 50 === 0) await nextTurn();
    }
    expect(await Promise.all(claimers.map(({ ended }) => ended))).toEqual(claimers.map(() => 0));
    const claimed = claimers.flatMap(({ lines }) => lines).map(Number);
    expect(claimed.toSorted((a, b) => a - b)).toEqual(enqueued);
    expect(await store.stats()).toMatchObject({ completed: JOBS, pending: 0, running: 0 });
    expect(await store.jobs({ limit: JOBS })).toSatisfy((jobs: { attempts: number }[]) =>
      jobs.every((job) => job.attempts === 1),
    );
  }, 120_000);

  it("2 enqueue the same unique keys at the same time: both are told the same ids", async () => {
    const store = openStore({ driver: DRIVER });
    const children = [1, 2].map(() => storeChild("unique", store.dbPath, 200));
    expect(await Promise.all(children.map(({ ended }) => ended))).toEqual([0, 0]);
    const [one, two] = children.map(({ lines }) => lines);
    expect(one).toHaveLength(200);
    expect(two).toEqual(one);
    expect((await store.stats()).pending).toBe(200);
  });

  it("open and migrate a new file at the same time", async () => {
    const dbPath = join(tempDir(), "queue.db");
    const children = Array.from({ length: 6 }, () => storeChild("unique", dbPath, 1));
    expect(await Promise.all(children.map(({ ended }) => ended))).toEqual(children.map(() => 0));
    expect((await openStore({ dbPath, driver: DRIVER }).stats()).pending).toBe(1);
  });
});

describe("DESIGN 9.4: acknowledged", () => {
  it("is every job whose enqueue resolved before a SIGKILL", async () => {
    const dbPath = join(tempDir(), "queue.db");
    const child = storeChild("enqueue", dbPath);
    await waitFor(() => child.lines.length >= 300, { timeoutMs: 60_000 });
    child.kill();
    await child.ended;
    const acknowledged = child.lines.map(Number);
    const stored = new Set(
      (await openStore({ dbPath, driver: DRIVER }).jobs({ limit: 1_000_000 })).map(({ id }) => id),
    );
    expect(acknowledged.filter((id) => !stored.has(id))).toEqual([]);
  });
});

onEachDriver((driver) => {
  describe("DESIGN 9.11: a locked file", () => {
    function locked(busyTimeoutMs: number) {
      const store = openStore({ driver, busyTimeoutMs });
      const other = loadDriver(driver).open(store.dbPath);
      other.exec("BEGIN IMMEDIATE");
      return {
        store,
        unlock: () => {
          other.exec("COMMIT");
          other.close();
        },
      };
    }

    it("is waited for without blocking the event loop, and in turn", async () => {
      const { store, unlock } = locked(60_000);
      let turns = 0;
      const turning = setInterval(() => (turns += 1), 1);
      const inserts = Promise.all([1, 2, 3].map((priority) => store.insert(aJob({ priority }))));
      expect((await store.stats()).pending, "readers go past").toBe(0);
      await waitFor(() => turns > 20);
      clearInterval(turning);
      unlock();
      const ids = await inserts;
      expect(ids).toEqual(ids.toSorted((a, b) => a - b));
      expect((await store.jobs()).map(({ priority }) => priority)).toEqual([1, 2, 3]);
    });

    it("is an error after the timeout that names file and remedy, and leaves the store usable", async () => {
      const { store, unlock } = locked(50);
      const error = await store.insert(aJob()).catch((reason: unknown) => reason);
      expect(error).toMatchObject({ code: "busy" });
      expect((error as Error).message).toMatch(/queue\.db.*busyTimeoutMs/);
      await expect(store.insertMany([aJob(), aJob()])).rejects.toMatchObject({ code: "busy" });
      unlock();
      await store.insert(aJob());
      expect((await store.stats()).pending).toBe(1);
    });

    it("is an error at opening after the timeout", () => {
      const { store, unlock } = locked(50);
      expect(() => openStore({ driver, dbPath: store.dbPath, busyTimeoutMs: 50 })).toThrow(
        expect.objectContaining({ code: "busy" }),
      );
      unlock();
    });
  });
});

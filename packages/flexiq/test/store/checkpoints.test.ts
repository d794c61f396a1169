import { statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { tempDir } from "../../../effiqueue/test/support/temp-dir.ts";
import { waitFor } from "../../../effiqueue/test/support/wait-for.ts";
import { Checkpoints } from "../../src/store/checkpoints.ts";
import type { Connection } from "../../src/store/drivers/driver.ts";
import { loadDriver } from "../../src/store/drivers/load.ts";
import { aJob, aWorker, exchange, FakeTime, openStore } from "../support/store.ts";
import { onEachDriver } from "./contract.ts";

/** Pages of the log, at 4 KB. */
const logPages = (dbPath: string): number => statSync(`${dbPath}-wal`).size / 4096;

/** Bytes of the database itself: what is in the log alone is not there. */
const copied = (dbPath: string): number => statSync(dbPath).size;

const FAT = aJob({ argsJson: JSON.stringify(["x".repeat(4000)]) });
/** Twelve to a page. */
const USUAL = aJob({ argsJson: JSON.stringify(["x".repeat(220)]) });
const LONG = 9000;

onEachDriver((driver) => {
  describe("DESIGN 9.11: the write-ahead log stays short", () => {
    it("is cut off once whoever kept it from beginning anew has let go", async () => {
      const dbPath = join(tempDir(), "queue.db");
      const store = openStore({ dbPath, driver });
      const reader = loadDriver(driver).open(dbPath);
      onTestFinished(() => reader.close());
      await store.insert(aJob());
      reader.exec("BEGIN");
      reader.prepare("SELECT count(*) FROM jobs").get();
      for (let batch = 0; logPages(dbPath) < 1.2 * LONG; batch++) await store.insertMany(Array(200).fill(FAT));

      reader.exec("COMMIT");
      for (let more = 0; more < 1400 && logPages(dbPath) >= LONG; more++) await store.insert(aJob());
      expect(logPages(dbPath)).toBeLessThan(LONG);
      // Nothing of what was in it is lost.
      expect((await store.stats()).pending).toBeGreaterThan(LONG);
    });

    it("stays within the usual through enqueues and exchanges by the thousand", async () => {
      const dbPath = join(tempDir(), "queue.db");
      const store = openStore({ dbPath, driver });
      const workerId = await store.registerWorker(aWorker());
      for (let round = 0; round < 3500; round++) {
        await store.insert(aJob());
        const { claimed } = await exchange(store, workerId, { claim: 1 });
        const outcomes = claimed.map(({ id, token }) => ({ id, token, kind: "completed", resultJson: null }) as const);
        await exchange(store, workerId, { outcomes });
      }
      expect(logPages(dbPath)).toBeLessThan(5000);
    });

    it("stays within the usual however large what goes in and comes out is", async () => {
      const dbPath = join(tempDir(), "queue.db");
      const store = openStore({ dbPath, driver });
      const workerId = await store.registerWorker(aWorker());
      const large = JSON.stringify("x".repeat(1_000_000));
      for (let round = 0; round < 20; round++) {
        await store.insert(aJob({ argsJson: large }));
        await store.insertMany([aJob({ argsJson: large })]);
        const { claimed } = await exchange(store, workerId, { claim: 2 });
        const outcomes = claimed.map(({ id, token }) => ({ id, token, kind: "completed", resultJson: large }) as const);
        await exchange(store, workerId, { outcomes });
      }
      expect(logPages(dbPath)).toBeLessThan(6000);
    });

    it("is copied early by who must wait for another writer anyway", async () => {
      const dbPath = join(tempDir(), "queue.db");
      const store = openStore({ dbPath, driver });
      const other = loadDriver(driver).open(dbPath);
      onTestFinished(() => other.close());
      const before = copied(dbPath);
      for (let n = 0; n < 150; n++) await store.insert(aJob());
      expect(copied(dbPath)).toBe(before);

      other.exec("BEGIN IMMEDIATE");
      const waiting = store.insertMany([aJob()]);
      expect(copied(dbPath)).toBeGreaterThan(before);
      other.exec("ROLLBACK");
      await waiting;
    });

    it("is copied on, while others write, by who waits on", async () => {
      const dbPath = join(tempDir(), "queue.db");
      const store = openStore({ dbPath, driver });
      const other = loadDriver(driver).open(dbPath);
      onTestFinished(() => other.close());
      for (let n = 0; n < 150; n++) await store.insert(aJob());
      other.exec("BEGIN IMMEDIATE");
      const waiting = store.insertMany([aJob()]);
      const early = copied(dbPath);

      other.exec(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
        INSERT INTO paused_queues SELECT 'queue-' || i FROM n; COMMIT; BEGIN IMMEDIATE`);
      await waitFor(() => copied(dbPath) > early);
      other.exec("ROLLBACK");
      await waiting;
    });

    it("stays as short where writers take turns, though nobody writes enough to copy all of it alone", async () => {
      const dbPath = join(tempDir(), "queue.db");
      const stores = [openStore({ dbPath, driver }), openStore({ dbPath, driver })];
      const other = loadDriver(driver).open(dbPath);
      onTestFinished(() => other.close());
      other.exec("PRAGMA wal_autocheckpoint = 0");
      for (let turn = 0; turn < 8; turn++) {
        for (const store of stores) {
          await store.insertMany(Array(3600).fill(USUAL));
          other.exec("BEGIN IMMEDIATE");
          const lockedOut = store.insertMany([aJob()]);
          // Written after the log was copied, so that it is not copied as a whole, and does not begin anew.
          other.exec("UPDATE jobs SET priority = priority + 1 WHERE id <= 200");
          other.exec("COMMIT");
          await lockedOut;
        }
      }
      expect(logPages(dbPath)).toBeLessThan(5000);
    });

    it("does not fail a write because a checkpoint finds the file in use", async () => {
      const dbPath = join(tempDir(), "queue.db");
      const store = openStore({ dbPath, driver });
      const reader = loadDriver(driver).open(dbPath);
      onTestFinished(() => reader.close());
      reader.exec("BEGIN");
      reader.prepare("SELECT count(*) FROM jobs").get();
      const ids: number[] = [];
      for (let batch = 0; logPages(dbPath) < 1.2 * LONG; batch++)
        ids.push(...(await store.insertMany(Array(200).fill(FAT))));
      expect((await store.stats()).pending).toBe(ids.length);
    });
  });
});

describe("DESIGN 9.11: a log that somebody else copies at that moment", () => {
  const COPIED = { busy: 0, log: 4000, checkpointed: 4000 };
  const BUSY = { busy: 1, log: -1, checkpointed: -1 };

  /** @returns how many pages had been committed at each attempt to copy */
  function attemptsOver(pages: number, answers: readonly object[]): number[] {
    const attempts: number[] = [];
    let committed = 0;
    const get = (): object => answers[attempts.push(committed) - 1] ?? COPIED;
    const db = { prepare: () => ({ get }) } as unknown as Connection;
    const checkpoints = new Checkpoints(db, new FakeTime());
    while (committed < pages) {
      committed += 50;
      checkpoints.committed(50);
    }
    return attempts;
  }

  it.each([
    { answers: [], attempts: [4000, 8000] },
    { answers: [BUSY], attempts: [4000, 4250, 8250] },
    { answers: [COPIED, BUSY, BUSY], attempts: [4000, 8000, 8250, 8500] },
  ])("is tried again soon, for what was written meanwhile is not copied: $attempts", ({ answers, attempts }) => {
    expect(attemptsOver(9000, answers)).toEqual(attempts);
  });
});

import { statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { tempDir } from "../../../effiqueue/test/support/temp-dir.ts";
import { loadDriver } from "../../src/store/drivers/load.ts";
import { aJob, aWorker, exchange, openStore } from "../support/store.ts";
import { onEachDriver } from "./contract.ts";

/** Pages of the log, at 4 KB. */
const logPages = (dbPath: string): number => statSync(`${dbPath}-wal`).size / 4096;

/** Bytes of the database itself: what is in the log alone is not there. */
const copied = (dbPath: string): number => statSync(dbPath).size;

const FAT = aJob({ argsJson: JSON.stringify(["x".repeat(4000)]) });
/** Twelve to a page. */
const USUAL = aJob({ argsJson: JSON.stringify(["x".repeat(220)]) });
const LONG = 6000;

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
      for (let more = 0; more < 700 && logPages(dbPath) >= LONG; more++) await store.insert(aJob());
      expect(logPages(dbPath)).toBeLessThan(LONG);
      // Nothing of what was in it is lost.
      expect((await store.stats()).pending).toBeGreaterThan(LONG);
    });

    it("stays within the usual through enqueues and exchanges by the thousand", async () => {
      const dbPath = join(tempDir(), "queue.db");
      const store = openStore({ dbPath, driver });
      const workerId = await store.registerWorker(aWorker());
      for (let round = 0; round < 1500; round++) {
        await store.insert(aJob());
        const { claimed } = await exchange(store, workerId, { claim: 1 });
        const outcomes = claimed.map(({ id, token }) => ({ id, token, kind: "completed", resultJson: null }) as const);
        await exchange(store, workerId, { outcomes });
      }
      expect(logPages(dbPath)).toBeLessThan(3000);
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
      expect(logPages(dbPath)).toBeLessThan(3500);
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

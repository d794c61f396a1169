/** A file that something was written over while it was open. DESIGN 9.14. */
import { copyFileSync, readFileSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempDir } from "../../../effiqueue/test/support/temp-dir.ts";
import { waitFor } from "../../../effiqueue/test/support/wait-for.ts";
import { Queue } from "../../src/queue.ts";
import { loadDriver } from "../../src/store/drivers/load.ts";
import { FileGuard } from "../../src/store/file-guard.ts";
import { Store } from "../../src/store/store.ts";
import { startWorker } from "../support/flexiq-process.ts";
import { aJob, openStore } from "../support/store.ts";

const many = (count: number) =>
  Array.from({ length: count }, () => aJob({ argsJson: JSON.stringify(["x".repeat(200)]) }));

/** A queue's file, and a copy of it from when it held less. */
async function withCopy(): Promise<{ dbPath: string; copy: string }> {
  const dbPath = join(tempDir(), "queue.db");
  const store = Store.open({ dbPath });
  await store.insertMany(many(20));
  store.close();
  copyFileSync(dbPath, `${dbPath}.copy`);
  const later = Store.open({ dbPath });
  await later.insertMany(many(2_000));
  later.close();
  return { dbPath, copy: `${dbPath}.copy` };
}

const codeOf = async (call: () => Promise<unknown>): Promise<unknown> =>
  call().then(
    () => undefined,
    (error: unknown) => (error as { code?: unknown }).code,
  );

describe("DESIGN 9.14: a copy that is written over the file while it is open", () => {
  it("is told as what it is, with the remedy, and nothing is written from then on", async () => {
    const { dbPath, copy } = await withCopy();
    const store = openStore({ dbPath });
    await store.insert(aJob());
    copyFileSync(copy, dbPath);
    await waitFor(async () => (await codeOf(() => store.stats())) === "corrupt");
    const bytes = readFileSync(dbPath);
    const log = statSync(`${dbPath}-wal`).mtimeMs;
    const calls = [
      () => store.insert(aJob()),
      () => store.insertMany(many(500)),
      () => store.jobs(),
      () => store.maintain(),
      () => store.purge({ state: "completed" }),
      () => store.pause("default"),
    ];
    for (const call of calls) expect(await codeOf(call)).toBe("corrupt");
    await expect(store.insert(aJob())).rejects.toThrow(`${dbPath} is damaged: end what uses it, then restore a copy`);
    expect(readFileSync(dbPath).equals(bytes)).toBe(true);
    expect(statSync(`${dbPath}-wal`).mtimeMs).toBe(log);
  });

  it("ends the workers, which would write on into it", async () => {
    const { dbPath, copy } = await withCopy();
    const queue = new Queue({ dbPath });
    const worker = await startWorker({ cwd: tempDir(), env: { FLEXIQ_DB_PATH: dbPath } });
    copyFileSync(copy, dbPath);
    expect(await worker.ended).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`${dbPath} is damaged: end what uses it`) as string,
    });
    queue.close();
  });

  it("is not a VACUUM, which makes the file smaller too", async () => {
    const store = openStore();
    await store.insertMany(many(2_000));
    const other = loadDriver().open(store.dbPath);
    other.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    const before = statSync(store.dbPath).size;
    await store.cancel(1);
    await waitFor(async () => (await store.stats()).cancelled === 1);
    other.exec("DELETE FROM jobs WHERE id > 100; VACUUM; PRAGMA wal_checkpoint(TRUNCATE)");
    other.close();
    expect(statSync(store.dbPath).size).toBeLessThan(before / 2);
    const since = performance.now();
    await waitFor(async () => {
      await store.insert(aJob());
      return performance.now() - since > 600;
    });
  });
});

describe("DESIGN 9.14: what our own code falls over", () => {
  const fall = () => {
    throw new TypeError("cannot read what is not there");
  };

  it("is an error of a damaged file where the file is damaged, for good", async () => {
    const { dbPath } = await withCopy();
    const guard = new FileGuard(dbPath, loadDriver());
    truncateSync(dbPath, 3 * 4096);
    expect(() => guard.run(fall)).toThrow(expect.objectContaining({ code: "corrupt" }) as Error);
    expect(() => guard.run(() => 1)).toThrow(expect.objectContaining({ code: "corrupt" }) as Error);
  });

  it("is itself where it is not", async () => {
    const { dbPath } = await withCopy();
    const guard = new FileGuard(dbPath, loadDriver());
    expect(() => guard.run(fall)).toThrow(TypeError);
    expect(guard.run(() => 1)).toBe(1);
  });
});

/** A file that is no longer what its path names. DESIGN 9.1. */
import { copyFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempDir } from "../../../effiqueue/test/support/temp-dir.ts";
import { waitFor } from "../../../effiqueue/test/support/wait-for.ts";
import { Queue } from "../../src/queue.ts";
import { startWorker } from "../support/flexiq-process.ts";
import { aJob, openStore } from "../support/store.ts";

async function codeOf(action: () => Promise<unknown>): Promise<unknown> {
  try {
    await action();
    return undefined;
  } catch (error) {
    return (error as { code?: unknown }).code;
  }
}

describe("DESIGN 9.1: a file that is deleted, moved or replaced while it is open", () => {
  it("takes no job that nobody else would see, and works again when it is back", async () => {
    const store = openStore();
    await store.insert(aJob());
    renameSync(store.dbPath, `${store.dbPath}.away`);
    await waitFor(async () => (await codeOf(() => store.insert(aJob()))) === "file-missing");
    expect(await codeOf(() => store.load())).toBe("file-missing");
    renameSync(`${store.dbPath}.away`, store.dbPath);
    await store.insert(aJob());
    expect(await store.load()).toMatchObject({ pending: expect.any(Number) as number });
  });

  it("is told from one that is not there", async () => {
    const store = openStore();
    await store.insert(aJob());
    copyFileSync(store.dbPath, `${store.dbPath}.copy`);
    renameSync(`${store.dbPath}.copy`, store.dbPath);
    await waitFor(async () => (await codeOf(() => store.insert(aJob()))) === "file-replaced");
  });

  it("keeps a worker waiting while it is missing, and ends the worker when another file is there", async () => {
    const folder = tempDir();
    const queue = new Queue({ dbPath: join(folder, "q.db") });
    const worker = await startWorker({ cwd: folder, env: { FLEXIQ_DB_PATH: queue.dbPath } });
    for (const name of ["q.db", "q.db-wal", "q.db-shm"]) rmSync(join(folder, name), { force: true });
    await worker.logged("was deleted or moved away while it was open");
    expect(worker.child.exitCode).toBeNull();
    const successor = new Queue({ dbPath: queue.dbPath });
    await successor.enqueue("add", [1, 1]);
    expect(await worker.ended).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("is another file than the one that was opened") as string,
    });
    successor.close();
    queue.close();
  });
});

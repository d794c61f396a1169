import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempDir } from "../../../effiqueue/test/support/temp-dir.ts";
import { waitFor } from "../../../effiqueue/test/support/wait-for.ts";
import { Queue } from "../../src/queue.ts";
import { spawnWorker, startWorker } from "../support/flexiq-process.ts";
import { attempts, letGo, started } from "../support/hold.ts";
import { lockFile } from "../support/lock-file.ts";

const count = (text: string, part: string): number => text.split(part).length - 1;

describe("DESIGN 10.1: a file that cannot be used", () => {
  it("keeps outcomes while the file is locked, says so once, and loses nothing", async () => {
    const folder = tempDir();
    const queue = new Queue({ dbPath: join(folder, "q.db") });
    const gates = [join(folder, "a"), join(folder, "b")];
    const ids: number[] = [];
    for (const gate of gates) ids.push(await queue.enqueue("hold", [gate]));
    for (let i = 0; i < 20; i += 1) ids.push(await queue.enqueue("add", [i, 1]));
    // Less patient than by default, so that the test need not lock for ten seconds.
    const worker = await startWorker({ cwd: folder, env: { TEST_BUSY_MS: "100" } });
    for (const gate of gates) await started(gate);

    const unlock = await lockFile(queue.dbPath);
    for (const gate of gates) letGo(gate);
    await worker.logged("cannot exchange jobs with the queue, goes on trying");
    const [first = 0] = ids;
    expect(await queue.job(first)).toMatchObject({ state: "running" });
    // Several failed tries later it has still said it once.
    await waitFor(async () => {
      const { startedAtMs } = (await queue.job(first)) ?? {};
      return Date.now() - (startedAtMs ?? 0) > 2_000;
    });
    expect(count(worker.stderr, "cannot exchange jobs")).toBe(1);
    await unlock();

    await worker.logged("can exchange jobs with the queue again");
    await waitFor(async () => (await queue.stats()).completed === ids.length);
    for (const id of ids) expect(await queue.job(id)).toMatchObject({ state: "completed", attempts: 1 });
    for (const gate of gates) expect(attempts(gate)).toEqual([1]);
    worker.kill("SIGTERM");
    expect(await worker.ended).toMatchObject({ code: 0 });
    queue.close();
  });

  it("waits for a file that is locked when it starts", async () => {
    const folder = tempDir();
    const queue = new Queue({ dbPath: join(folder, "q.db") });
    const id = await queue.enqueue("add", [1, 1]);
    const unlock = await lockFile(queue.dbPath);
    const worker = spawnWorker({ cwd: folder, env: { TEST_BUSY_MS: "100" } });
    await worker.logged("cannot open the queue, goes on trying");
    await unlock();
    await worker.logged(" serves ");
    expect(await queue.result(id, { timeoutMs: 20_000 })).toBe(2);
    queue.close();
  });

  // However patient it is with a locked file otherwise: the second would be an hour.
  it.each([100, 3_600_000])(
    "leaves with 75 when it may not wait any longer and could not give its jobs back (%i ms)",
    async (busyMs) => {
      const folder = tempDir();
      const queue = new Queue({ dbPath: join(folder, "q.db") });
      const gate = join(folder, "gate");
      const id = await queue.enqueue("hold", [gate]);
      const worker = await startWorker({ cwd: folder, env: { TEST_BUSY_MS: String(busyMs) } });
      await started(gate);
      const unlock = await lockFile(queue.dbPath);
      worker.kill("SIGTERM");
      await worker.logged("stopping");
      worker.kill("SIGTERM");
      expect(await worker.ended).toMatchObject({
        code: 75,
        stderr: expect.stringContaining("could not give 1 jobs back") as string,
      });
      await unlock();
      // Its death is provable, so the next worker takes the job at once.
      letGo(gate);
      await startWorker({ cwd: folder });
      expect(await queue.result(id, { timeoutMs: 20_000 })).toBe("let go");
      queue.close();
    },
  );
});

describe("DESIGN 10.3: a worker that was taken for dead", () => {
  it("aborts the jobs that others have by now, is refused their outcome, and serves on", async () => {
    const folder = tempDir();
    const queue = new Queue({ dbPath: join(folder, "q.db"), leaseMs: 3_000 });
    const gate = join(folder, "gate");
    const id = await queue.enqueue("hold", [gate], { queue: "mail", maxRetries: 5 });
    const env = { TEST_LEASE_MS: "3000" };
    const frozen = await startWorker({ cwd: folder, env });
    await started(gate);
    frozen.kill("SIGSTOP");
    const other = await startWorker({ cwd: folder, env });
    await other.logged("took back 1 job of workers that were silent for longer than their lease");
    await waitFor(() => attempts(gate).length === 2);
    frozen.kill("SIGCONT");
    await frozen.logged("taken for dead");
    await waitFor(async () => (await queue.store.workers()).length === 2);

    letGo(gate);
    expect(await queue.result(id, { timeoutMs: 20_000 })).toBe("let go");
    expect(await queue.job(id)).toMatchObject({ state: "completed", attempts: 2 });
    other.kill("SIGTERM");
    expect(await other.ended).toMatchObject({ code: 0 });
    const next = await queue.enqueue("add", [1, 1]);
    expect(await queue.result(next, { timeoutMs: 20_000 })).toBe(2);
    frozen.kill("SIGTERM");
    expect(await frozen.ended).toMatchObject({ code: 0 });
    queue.close();
  });
});

describe("DESIGN 9.6: a handler that blocks its process for longer than the lease", () => {
  it("runs once, though others look for dead workers all the time", async () => {
    const folder = tempDir();
    const queue = new Queue({ dbPath: join(folder, "q.db"), leaseMs: 500 });
    const env = { TEST_LEASE_MS: "500" };
    const workers = await Promise.all([startWorker({ cwd: folder, env }), startWorker({ cwd: folder, env })]);
    const id = await queue.enqueue("block", [2_500]);
    await queue.result(id, { timeoutMs: 30_000 });
    expect(await queue.job(id)).toMatchObject({ state: "completed", attempts: 1, error: null });
    for (const worker of workers) worker.kill("SIGTERM");
    for (const worker of workers) expect(await worker.ended).toMatchObject({ code: 0 });
    queue.close();
  });
});

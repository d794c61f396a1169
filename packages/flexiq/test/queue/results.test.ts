/** Waiting for what a job returns. DESIGN 9.12. */
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { tempDir } from "../../../effiqueue/test/support/temp-dir.ts";
import type { ClaimedJob, Outcome } from "../../src/model.ts";
import { Queue } from "../../src/queue.ts";
import type { QueueOptions } from "../../src/queue-options.ts";
import { aWorker, exchange, openStore } from "../support/store.ts";

async function withWorker(options: QueueOptions = {}) {
  const queue = new Queue({ dbPath: join(tempDir(), "queue.db"), maxRetries: 0, ...options });
  onTestFinished(() => queue.close());
  // Another connection, as of another process.
  const store = openStore({ dbPath: queue.dbPath, retention: options.retention ?? {} });
  const worker = await store.registerWorker(aWorker());
  const claim = async (): Promise<ClaimedJob> => {
    const [job] = (await exchange(store, worker, { claim: 1 })).claimed;
    if (job === undefined) throw new Error("nothing to claim");
    return job;
  };
  const finish = async ({ id, token }: ClaimedJob, end: Partial<Outcome>): Promise<void> => {
    await exchange(store, worker, { outcomes: [{ id, token, ...end } as Outcome] });
  };
  return { queue, claim, finish };
}

describe("DESIGN 9.12: results", () => {
  it("come to all who wait as soon as the job is finished elsewhere", async () => {
    const { queue, claim, finish } = await withWorker();
    const id = await queue.enqueue("work");
    const waiting = [queue.result(id), queue.result(id, { timeoutMs: 60_000 })];
    await finish(await claim(), { kind: "completed", resultJson: '{"a":[1]}' });
    expect(await Promise.all(waiting)).toEqual([{ a: [1] }, { a: [1] }]);
    expect(await queue.result(id, { timeoutMs: 0 })).toEqual({ a: [1] });
  });

  it("are null of a handler that returned nothing", async () => {
    const { queue, claim, finish } = await withWorker();
    const id = await queue.enqueue("work");
    await finish(await claim(), { kind: "completed", resultJson: null });
    expect(await queue.result(id)).toBeNull();
  });

  it("of a dead job are an error with its last one", async () => {
    const { queue, claim, finish } = await withWorker();
    const id = await queue.enqueue("work");
    const waiting = expect(queue.result(id)).rejects.toMatchObject({
      code: "job-dead",
      message: expect.stringContaining("no such image") as string,
    });
    await finish(await claim(), { kind: "failed", error: "no such image", retry: true });
    await waiting;
  });

  it("of a cancelled job are an error", async () => {
    const { queue } = await withWorker();
    const id = await queue.enqueue("work");
    const waiting = expect(queue.result(id)).rejects.toMatchObject({ code: "job-cancelled" });
    await queue.cancel(id);
    await waiting;
  });

  it("wait through retries", async () => {
    const { queue, claim, finish } = await withWorker({ maxRetries: 1, retryBaseMs: 0 });
    const id = await queue.enqueue("work");
    const waiting = queue.result(id);
    await finish(await claim(), { kind: "failed", error: "not yet", retry: true });
    await finish(await claim(), { kind: "completed", resultJson: '"second"' });
    expect(await waiting).toBe("second");
  });

  it("are an error after the timeout, at once with a timeout of 0, and the job goes on", async () => {
    const { queue } = await withWorker();
    const id = await queue.enqueue("work");
    await expect(queue.result(id, { timeoutMs: 0 })).rejects.toMatchObject({
      code: "result-timeout",
      message: expect.stringContaining("has not finished yet, and nobody asked to wait for it") as string,
    });
    await expect(queue.result(id, { timeoutMs: 20 })).rejects.toThrow(/20 ms/);
    expect((await queue.job(id))?.state).toBe("pending");
    await expect(queue.result(id, { timeoutMs: -1 })).rejects.toMatchObject({ code: "invalid-option" });
  });

  it("of a job that never was, or was deleted at its end, are an error", async () => {
    const { queue, claim, finish } = await withWorker({ retention: { completedSec: 0 } });
    await expect(queue.result(77)).rejects.toMatchObject({ code: "unknown-job" });
    const id = await queue.enqueue("work");
    const waiting = expect(queue.result(id)).rejects.toMatchObject({ code: "unknown-job" });
    await finish(await claim(), { kind: "completed", resultJson: "1" });
    await waiting;
  });

  it("are refused to those who wait when the queue is closed", async () => {
    const { queue } = await withWorker();
    const waiting = expect(queue.result(await queue.enqueue("work"))).rejects.toMatchObject({ code: "closed" });
    await queue.stats();
    queue.close();
    await waiting;
  });
});

import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempDir } from "../../../effiqueue/test/support/temp-dir.ts";
import { waitFor } from "../../../effiqueue/test/support/wait-for.ts";
import { Queue } from "../../src/queue.ts";
import { startWorker } from "../support/flexiq-process.ts";
import { attempts, isStarted, letGo, started } from "../support/hold.ts";

function queueIn(folder: string): Queue {
  return new Queue({ dbPath: join(folder, "q.db") });
}

const finished = (queue: Queue, id: number) =>
  waitFor(
    async () => {
      const job = await queue.job(id);
      return job !== null && ["completed", "dead", "cancelled"].includes(job.state) && job;
    },
    { what: `job ${id} to finish` },
  );

describe("DESIGN 10.4: how a run ends", () => {
  it("gives results, contexts, retries and dead letters", async () => {
    const folder = tempDir();
    const queue = queueIn(folder);
    await startWorker({ cwd: folder });

    const add = await queue.enqueue("add", [2, 3]);
    expect(await queue.result(add, { timeoutMs: 20_000 })).toBe(5);

    const context = await queue.enqueue("context", [], { queue: "mail", maxRetries: 7 });
    expect(await queue.result(context, { timeoutMs: 20_000 })).toEqual({
      id: context,
      task: "context",
      queue: "mail",
      attempt: 1,
      maxRetries: 7,
    });

    const nothing = await queue.enqueue("nothing");
    expect(await finished(queue, nothing)).toMatchObject({ state: "completed", result: null });

    const flaky = await queue.enqueue("flaky", [2], { maxRetries: 2 });
    expect(await finished(queue, flaky)).toMatchObject({ state: "completed", attempts: 3, result: 3 });

    const fail = await queue.enqueue("fail", ["bad luck"], { maxRetries: 1 });
    const dead = await finished(queue, fail);
    expect(dead).toMatchObject({ state: "dead", attempts: 2 });
    expect(dead.error).toMatch(/^Error: bad luck\n\s+at .*tasks\.mjs/);
    expect(dead.error).toContain("caused by: Error: the root of it");
    expect((await queue.deadLetters()).map(({ id }) => id)).toEqual([fail]);

    const hopeless = await queue.enqueue("hopeless", [], { maxRetries: 9 });
    expect(await finished(queue, hopeless)).toMatchObject({ state: "dead", attempts: 1 });

    const bigint = await queue.enqueue("bigint", [], { maxRetries: 9 });
    const notJson = await finished(queue, bigint);
    expect(notJson).toMatchObject({ state: "dead", attempts: 1 });
    expect(notJson.error).toContain("the result is not JSON-serialisable");

    const unknown = await queue.enqueue("no-such-task", [], { maxRetries: 0 });
    expect((await finished(queue, unknown)).error).toMatch(
      /^no task "no-such-task" is known here: the app declares add, /,
    );
    queue.close();
  });

  it("writes the last progress of a job that reports in a tight loop", async () => {
    const folder = tempDir();
    const queue = queueIn(folder);
    await startWorker({ cwd: folder });
    const gate = join(folder, "gate");
    const id = await queue.enqueue("report", [1000, gate]);
    await waitFor(async () => ((await queue.job(id))?.progress as { done?: number } | null)?.done === 1000);
    letGo(gate);
    expect(await finished(queue, id)).toMatchObject({ state: "completed", progress: { done: 1000, of: 1000 } });

    // Also when it ends in the same moment.
    letGo(join(folder, "open"));
    const short = await queue.enqueue("report", [3, join(folder, "open")]);
    expect(await finished(queue, short)).toMatchObject({ state: "completed", progress: { done: 3, of: 3 } });
    queue.close();
  });

  it("takes only jobs of its queues, in its slots", async () => {
    const folder = tempDir();
    const queue = queueIn(folder);
    const gates = ["a", "b", "c"].map((name) => join(folder, name));
    for (const gate of gates) await queue.enqueue("hold", [gate], { queue: "mail" });
    const other = await queue.enqueue("add", [1, 1], { queue: "other" });
    await startWorker({ cwd: folder, args: ["--queues", "mail,bills", "--slots", "2"] });
    const [a = "", b = "", c = ""] = gates;
    await started(a);
    await started(b);
    expect(await queue.stats("mail")).toMatchObject({ running: 2, pending: 1 });
    expect((await queue.store.workers()).map(({ slots, busy, queues }) => ({ slots, busy, queues }))).toEqual([
      { slots: 2, busy: 2, queues: ["mail", "bills"] },
    ]);
    expect(isStarted(c)).toBe(false);
    letGo(a);
    await started(c);
    letGo(b);
    letGo(c);
    await waitFor(async () => (await queue.stats("mail")).completed === 3);
    expect(await queue.job(other)).toMatchObject({ state: "pending" });
    queue.close();
  });
});

describe("DESIGN 9.8: timeout and cancel", () => {
  it("counts a timeout from the start of the run, however long the job has waited", async () => {
    const folder = tempDir();
    const queue = queueIn(folder);
    const before = join(folder, "before");
    const id = await queue.enqueue("hold", [before]);
    const limited = await queue.enqueue("hold", [join(folder, "limited")], { timeoutMs: 2_000, maxRetries: 0 });
    const worker = await startWorker({ cwd: folder, args: ["--slots", "1"] });
    await started(before);
    // Longer than its timeout: it has not started yet.
    await waitFor(async () => ((await queue.stats()).oldestPendingAgeSec ?? 0) > 2.5);
    expect(await queue.job(limited)).toMatchObject({ state: "pending", attempts: 0 });
    letGo(before);
    await finished(queue, id);
    const timedOut = await finished(queue, limited);
    expect(timedOut).toMatchObject({ state: "dead", attempts: 1, error: "timed out after 2000 ms" });
    expect((timedOut.finishedAtMs ?? 0) - (timedOut.startedAtMs ?? 0)).toBeGreaterThanOrEqual(1_990);
    expect(worker.stderr).not.toContain("went on");
    queue.close();
  });

  it("keeps the slot of a handler that is deaf to its timeout, and says so", async () => {
    const folder = tempDir();
    const queue = queueIn(folder);
    const gate = join(folder, "gate");
    const deaf = await queue.enqueue("stubborn", [gate], { timeoutMs: 50, maxRetries: 0 });
    const next = await queue.enqueue("add", [1, 2]);
    const worker = await startWorker({ cwd: folder, args: ["--slots", "1"] });
    expect((await finished(queue, deaf)).error).toContain("its handler went on");
    await worker.logged("its handler went on");
    expect(await queue.job(next)).toMatchObject({ state: "pending" });
    letGo(gate);
    expect(await queue.result(next, { timeoutMs: 20_000 })).toBe(3);
    queue.close();
  });

  it("aborts running jobs that are cancelled, also when every slot is taken", async () => {
    const folder = tempDir();
    const queue = queueIn(folder);
    const gates = [join(folder, "a"), join(folder, "b")];
    const ids: number[] = [];
    for (const gate of gates) ids.push(await queue.enqueue("hold", [gate]));
    await startWorker({ cwd: folder });
    for (const gate of gates) await started(gate);
    const [first = 0, second = 0] = ids;
    expect(await queue.cancel(first)).toBe("requested");
    expect(await finished(queue, first)).toMatchObject({ state: "cancelled", attempts: 1 });
    // A free slot beside it, this time.
    expect(await queue.cancel(second)).toBe("requested");
    expect(await finished(queue, second)).toMatchObject({ state: "cancelled", attempts: 1 });
    queue.close();
  });

  it("records the result of a job that ends although it was cancelled", async () => {
    const folder = tempDir();
    const queue = queueIn(folder);
    const gate = join(folder, "gate");
    const id = await queue.enqueue("stubborn", [gate]);
    await startWorker({ cwd: folder });
    await started(gate);
    await queue.cancel(id);
    letGo(gate);
    expect(await finished(queue, id)).toMatchObject({ state: "completed", result: "let go" });
    queue.close();
  });
});

describe("DESIGN 10.1: waking", () => {
  it("starts a job that is added while it sleeps, and a delayed one when it is due", async () => {
    const folder = tempDir();
    const queue = queueIn(folder);
    await startWorker({ cwd: folder });
    await waitFor(async () => (await queue.store.workers()).length === 1);
    const now = await queue.enqueue("add", [1, 1]);
    expect(await queue.result(now, { timeoutMs: 20_000 })).toBe(2);

    const later = await queue.enqueue("add", [2, 2], { delayMs: 700 });
    const record = await finished(queue, later);
    expect(record.state).toBe("completed");
    // Never early; how soon after depends on the machine.
    expect(record.startedAtMs ?? 0).toBeGreaterThanOrEqual(record.runAtMs ?? Number.POSITIVE_INFINITY);
    queue.close();
  });

  it("starts jobs of a queue whose pause ends", async () => {
    const folder = tempDir();
    const queue = queueIn(folder);
    await queue.pause("default");
    const id = await queue.enqueue("add", [1, 1]);
    await startWorker({ cwd: folder });
    const other = await queue.enqueue("add", [2, 2], { queue: "other" });
    expect(await queue.result(other, { timeoutMs: 20_000 })).toBe(4);
    expect(await queue.job(id)).toMatchObject({ state: "pending" });
    await queue.resume("default");
    expect(await queue.result(id, { timeoutMs: 20_000 })).toBe(2);
    queue.close();
  });
});

describe("DESIGN 9.5: a job that kills its worker", () => {
  it("ends in the dead letters when its attempts are used up", async () => {
    const folder = tempDir();
    const queue = queueIn(folder);
    const gate = join(folder, "gate");
    const id = await queue.enqueue("kill-own-worker", [], { maxRetries: 2, queue: "deadly" });
    const survivor = await startWorker({ cwd: folder, args: ["--queues", "default"] });
    await queue.enqueue("hold", [gate]);
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      const worker = await startWorker({ cwd: folder, args: ["--queues", "deadly"] });
      expect(await worker.ended).toMatchObject({ signal: "SIGKILL" });
    }
    const dead = await finished(queue, id);
    expect(dead).toMatchObject({ state: "dead", attempts: 3 });
    expect(dead.error).toMatch(/worker/);
    // Somebody else's worker is none the worse for it.
    await survivor.logged("took back 1 job of dead workers");
    expect(attempts(gate)).toEqual([1]);
    letGo(gate);
    await waitFor(async () => (await queue.stats()).completed === 1);
    queue.close();
  });
});

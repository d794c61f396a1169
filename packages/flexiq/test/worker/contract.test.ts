import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import type { Logger } from "effiqueue";
import { describe, expect, it } from "vitest";
import { tempDir } from "../../../effiqueue/test/support/temp-dir.ts";
import { waitFor } from "../../../effiqueue/test/support/wait-for.ts";
import { FlexiqError } from "../../src/errors.ts";
import { Queue } from "../../src/queue.ts";
import { runWorker } from "../../src/worker/run-worker.ts";
import { Worker } from "../../src/worker/worker.ts";

function quietLog(): Logger & { readonly lines: string[] } {
  const lines: string[] = [];
  const say = (_: object, message: string): void => void lines.push(message);
  return { lines, debug: () => undefined, info: say, warn: say, error: say };
}

function queueWithTasks() {
  const queue = new Queue({ dbPath: join(tempDir(), "q.db"), workers: 3 });
  const add = queue.task("add", (a: number, b: number) => a + b);
  return { queue, add };
}

describe("DESIGN 10.5: a worker in a program of one's own", () => {
  it("runs jobs until its signal is aborted", async () => {
    const { queue, add } = queueWithTasks();
    const controller = new AbortController();
    const running = runWorker(queue, { signal: controller.signal, logger: quietLog() });
    const ids = await queue.enqueueMany(Array.from({ length: 50 }, (_, i) => ({ task: add, args: [i, 1] })));
    await waitFor(async () => (await queue.stats()).completed === 50);
    expect(await queue.result(ids[9] ?? 0)).toBe(10);
    const before = process.listenerCount("SIGTERM");
    controller.abort();
    await running;
    expect(process.listenerCount("SIGTERM")).toBe(before);
    expect(await queue.store.workers()).toEqual([]);
    queue.close();
  });

  it("does nothing when its signal was aborted before", async () => {
    const { queue, add } = queueWithTasks();
    await add.enqueue(1, 1);
    await runWorker(queue, { signal: AbortSignal.abort(), logger: quietLog() });
    expect(await queue.stats()).toMatchObject({ pending: 1 });
    queue.close();
  });

  it("ends when the queue is closed under it", async () => {
    const { queue } = queueWithTasks();
    const worker = new Worker(queue, { log: quietLog() });
    await worker.start();
    const ended = expect(worker.done).rejects.toMatchObject({ code: "closed" });
    queue.close();
    await ended;
  });

  it("claims a job once though its queue is named twice", async () => {
    const { queue, add } = queueWithTasks();
    const id = await add.enqueue(1, 1);
    const worker = new Worker(queue, { queues: ["default", "default"], log: quietLog() });
    await worker.start();
    expect(await queue.result(id, { timeoutMs: 20_000 })).toBe(2);
    expect(await queue.job(id)).toMatchObject({ attempts: 1 });
    await worker.stop();
    queue.close();
  });

  it.each([[[]], [[""]], ["mail"], [["mail", 3]], [null]])("refuses the queues %j", (queues) => {
    const { queue } = queueWithTasks();
    const options = { queues: queues as unknown as string[], log: quietLog() };
    expect(() => new Worker(queue, options)).toThrow("queues: expected names of queues");
  });

  it.each([0, 1.5, Number.NaN, -1])("refuses %d slots", (slots) => {
    const { queue } = queueWithTasks();
    expect(() => new Worker(queue, { slots, log: quietLog() })).toThrow(FlexiqError);
  });
});

describe("DESIGN 10.2: starting and stopping, in any order", () => {
  it("is harmless twice, before the start, and after the end", async () => {
    const { queue } = queueWithTasks();
    const log = quietLog();
    const never = new Worker(queue, { log });
    await never.stop();
    await never.start();
    await never.done;
    expect(await queue.store.workers()).toEqual([]);

    const worker = new Worker(queue, { log });
    const starts = [worker.start(), worker.start()];
    await Promise.all(starts);
    expect(await queue.store.workers()).toHaveLength(1);
    await Promise.all([worker.stop(), worker.stop(), worker.abort(), worker.abort()]);
    await worker.stop();
    await worker.abort();
    expect(await queue.store.workers()).toEqual([]);
    queue.close();
  });

  it("begins nothing more once a job of the same claim has stopped it", async () => {
    const { queue } = queueWithTasks();
    const ran: number[] = [];
    const worker = new Worker(queue, { slots: 3, log: quietLog() });
    queue.task("stop", (i: number) => {
      ran.push(i);
      void worker.stop();
    });
    await queue.enqueueMany([0, 1, 2].map((i) => ({ task: "stop", args: [i] })));
    await worker.start();
    await worker.done;
    expect(ran).toEqual([0]);
    expect(await queue.stats()).toMatchObject({ completed: 1, pending: 2, running: 0 });
    expect(await queue.job(2)).toMatchObject({ state: "pending", attempts: 0 });
    queue.close();
  });

  it("loses and repeats nothing when workers come and go all the time", async () => {
    const { queue } = queueWithTasks();
    const log = quietLog();
    const runs: number[] = [];
    queue.task("count", async (i: number) => {
      runs.push(i);
      await turn();
    });
    const jobs = 300;
    await queue.enqueueMany(Array.from({ length: jobs }, (_, i) => ({ task: "count", args: [i] })));
    let rounds = 0;
    while ((await queue.stats()).completed < jobs) {
      const workers = Array.from({ length: 3 }, () => new Worker(queue, { log }));
      await Promise.all(
        workers.map(async (worker, i) => {
          const started = worker.start();
          if (i !== 0) await started;
          for (let n = 0; n < rounds % 7; n += 1) await turn();
          await worker.stop();
        }),
      );
      rounds += 1;
    }
    expect(runs.sort((a, b) => a - b)).toEqual(Array.from({ length: jobs }, (_, i) => i));
    expect(await queue.stats()).toMatchObject({ completed: jobs, pending: 0, running: 0, dead: 0 });
    expect(await queue.store.workers()).toEqual([]);
    queue.close();
  });
});

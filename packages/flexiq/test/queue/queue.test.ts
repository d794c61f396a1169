/** What an application sees: tasks, enqueueing, options. DESIGN 9.4, 9.1, 12. */
import { existsSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, expectTypeOf, it, onTestFinished, vi } from "vitest";
import { tempDir } from "../../../effiqueue/test/support/temp-dir.ts";
import { Queue } from "../../src/queue.ts";
import type { QueueOptions } from "../../src/queue-options.ts";
import { Task } from "../../src/task.ts";

function aQueue(options: QueueOptions = {}): Queue {
  const queue = new Queue({ dbPath: join(tempDir(), "queue.db"), ...options });
  onTestFinished(() => queue.close());
  return queue;
}

describe("DESIGN 9.1: where the file is", () => {
  it("is the option, else FLEXIQ_DB_PATH, else .flexiq/flexiq.db, always absolute", () => {
    const folder = tempDir();
    vi.stubEnv("FLEXIQ_DB_PATH", join(folder, "env.db"));
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(new Queue({ dbPath: join(folder, "option.db") }).dbPath).toBe(join(folder, "option.db"));
    expect(new Queue().dbPath).toBe(join(folder, "env.db"));
    vi.stubEnv("FLEXIQ_DB_PATH", undefined);
    expect(new Queue().dbPath).toBe(join(process.cwd(), ".flexiq/flexiq.db"));
    expect(new Queue({ dbPath: "here.db" }).dbPath).toBe(join(process.cwd(), "here.db"));
  });

  it("is where links lead, also those to a file that is to come, so that everybody means the same one", async () => {
    const folder = tempDir();
    const file = join(folder, "queue.db");
    symlinkSync("two.db", join(folder, "one.db"));
    symlinkSync(file, join(folder, "two.db"));
    symlinkSync("ring.db", join(folder, "ring.db"));
    const before = aQueue({ dbPath: join(folder, "one.db") });
    await before.enqueue("work");
    const after = aQueue({ dbPath: join(folder, "one.db") });
    expect([before.dbPath, after.dbPath]).toEqual([file, file]);
    expect((await after.stats()).pending).toBe(1);
    expect(
      readdirSync(folder)
        .filter((name) => /wal|shm/.test(name))
        .toSorted(),
    ).toEqual(["queue.db-shm", "queue.db-wal"]);
    await expect(aQueue({ dbPath: join(folder, "ring.db") }).stats()).rejects.toThrow("symbolic links");
  });

  it("is not touched before the first use", async () => {
    const queue = aQueue({ dbPath: join(tempDir(), "sub", "queue.db") });
    queue.task("work", () => undefined);
    expect(existsSync(join(queue.dbPath, ".."))).toBe(false);
    await queue.stats();
    expect(existsSync(queue.dbPath)).toBe(true);
  });

  it("is closed once and for all", async () => {
    const queue = aQueue();
    await queue.enqueue("work");
    queue.close();
    queue.close();
    await expect(queue.enqueue("work")).rejects.toMatchObject({ code: "closed" });
    const unused = aQueue();
    unused.close();
    await expect(unused.stats()).rejects.toMatchObject({ code: "closed" });
    expect(existsSync(unused.dbPath)).toBe(false);
  });
});

describe("DESIGN 9.4: tasks", () => {
  it("enqueue their calls with the types of their function", async () => {
    const queue = aQueue();
    const resize = queue.task("resize", (path: string, width = 100) => Promise.resolve(`${path}@${width}`));
    expectTypeOf(resize).toExtend<Task<[path: string, width?: number | undefined], string>>();
    expectTypeOf(resize.enqueue.bind(resize)).parameter(0).toEqualTypeOf<string>();
    const plain = await resize.enqueue("a.png");
    const urgent = await resize.enqueueWith({ priority: 9 }, "b.png", 50);
    expect(await queue.job(plain)).toMatchObject({ task: "resize", args: ["a.png"], priority: 0, state: "pending" });
    expect(await queue.job(urgent)).toMatchObject({ args: ["b.png", 50], priority: 9 });
    expect(await resize.run("c.png", 7)).toBe("c.png@7");
  });

  it("have one name each", () => {
    const queue = aQueue();
    const work = queue.task("work", () => 1);
    expect(() => queue.task("work", () => 2)).toThrow(expect.objectContaining({ code: "invalid-option" }));
    expect(() => queue.task("", () => 2)).toThrow(/task name/);
    expect(() => queue.task("other", 5 as never)).toThrow(/a function/);
    expect([...queue.tasks]).toEqual([["work", work]]);
  });

  it("pass options down: the call's before the task's before the queue's", async () => {
    const queue = aQueue({ maxRetries: 1, timeoutMs: 10, retryBaseMs: 5 });
    queue.task("set", () => undefined, { queue: "q", priority: 3, maxRetries: 2 });
    const ofTask = await queue.job(await queue.enqueue("set"));
    expect(ofTask).toMatchObject({ queue: "q", priority: 3, maxRetries: 2, timeoutMs: 10 });
    const ofCall = await queue.job(await queue.enqueue("set", [], { queue: "r", maxRetries: 0, timeoutMs: 20 }));
    expect(ofCall).toMatchObject({ queue: "r", priority: 3, maxRetries: 0, timeoutMs: 20 });
    const unknown = await queue.job(await queue.enqueue("declared elsewhere"));
    expect(unknown).toMatchObject({ task: "declared elsewhere", queue: "default", maxRetries: 1, timeoutMs: 10 });
  });

  it("may be named by the task itself", async () => {
    const queue = aQueue();
    const work = queue.task("work", (n: number) => n);
    const ids = await queue.enqueueMany([{ task: work, args: [1] }, { task: "work", args: [2] }, { task: work }]);
    const jobs = await queue.jobs();
    expect(jobs.map(({ id }) => id)).toEqual(ids);
    expect(jobs.map(({ args }) => args)).toEqual([[1], [2], []]);
  });
});

describe("DESIGN 9.4: delay", () => {
  it("is a span or a moment, not both", async () => {
    const queue = aQueue();
    const before = Date.now();
    const delayed = await queue.job(await queue.enqueue("work", [], { delayMs: 60_000 }));
    expect(delayed?.state).toBe("scheduled");
    expect(delayed?.runAtMs).toBeGreaterThanOrEqual(before + 60_000);
    const moment = new Date(Date.now() + 3_600_000);
    expect(await queue.job(await queue.enqueue("work", [], { runAt: moment }))).toMatchObject({
      state: "scheduled",
      runAtMs: moment.getTime(),
    });
    expect((await queue.job(await queue.enqueue("work", [], { runAt: before - 5 })))?.state).toBe("pending");
    expect((await queue.job(await queue.enqueue("work", [], { delayMs: 0 })))?.state).toBe("pending");
    await expect(queue.enqueue("work", [], { delayMs: 1, runAt: moment })).rejects.toThrow(/not both/);
  });
});

describe("DESIGN 12: options out of range", () => {
  it.each<[Record<string, unknown>, string]>([
    [{ workers: 0 }, "workers"],
    [{ workers: 1.5 }, "workers"],
    [{ workers: "4" }, "workers"],
    [{ durability: "max" }, "durability"],
    [{ busyTimeoutMs: -1 }, "busyTimeoutMs"],
    [{ leaseMs: 10 }, "leaseMs"],
    [{ retention: { completedSec: -1 } }, "retention.completedSec"],
    [{ retention: { deadSec: Number.NaN } }, "retention.deadSec"],
    [{ retention: { completeSec: 1 } }, "completeSec"],
    [{ allowNetworkFilesystem: "yes" }, "allowNetworkFilesystem"],
    [{ maxRetries: -1 }, "maxRetries"],
    [{ timeoutMs: 0 }, "timeoutMs"],
    [{ retryBaseMs: Number.POSITIVE_INFINITY }, "retryBaseMs"],
    [{ dbPath: "" }, "dbPath"],
    [{ dbPath: ":memory:" }, "dbPath"],
    [{ dbPath: "a\0b" }, "dbPath"],
    // What Node makes of a byte that is no UTF-8: two names that differ in it would be one file.
    [{ dbPath: "a\uFFFDb" }, "dbPath"],
    [{ dbPath: "a\uD800b" }, "dbPath"],
    [{ db: "x" }, "dbPath"],
  ])("of a queue are refused by name: %o", (options, name) => {
    expect(() => new Queue(options as QueueOptions)).toThrow(
      expect.objectContaining({ code: "invalid-option", message: expect.stringContaining(name) as string }),
    );
  });

  it.each<[Record<string, unknown>, string]>([
    [{ priority: 1.5 }, "priority"],
    [{ queue: "" }, "queue"],
    [{ delayMs: -1 }, "delayMs"],
    [{ runAt: new Date("nonsense") }, "runAt"],
    [{ runAt: "tomorrow" }, "runAt"],
    [{ uniqueKey: 7 }, "uniqueKey"],
    [{ prioirty: 1 }, "prioirty"],
  ])("of a call are refused by name, and nothing is stored: %o", async (options, name) => {
    const queue = aQueue();
    await expect(queue.enqueue("work", [], options)).rejects.toMatchObject({
      code: "invalid-option",
      message: expect.stringContaining(name) as string,
    });
    await expect(queue.enqueueMany([{ task: "work" }, { task: "work", options }])).rejects.toMatchObject({
      code: "invalid-option",
    });
    expect(await queue.jobs()).toEqual([]);
  });

  it.each<[string, (queue: Queue) => Promise<unknown>]>([
    ["an option beside the task", (queue) => queue.enqueueMany([{ task: "work", maxRetries: 0 } as never])],
    ["a misspelt time to wait", (queue) => queue.result(1, { timeout: 5 } as never)],
    ["an unknown state", (queue) => queue.jobs({ state: "waiting" as never })],
    ["a limit of 0", (queue) => queue.jobs({ limit: 0 })],
    ["a purge of what is not finished", (queue) => queue.purge({ state: "pending" as never })],
    ["a purge of everything", (queue) => queue.purge({} as never)],
    ["a job of no task", (queue) => queue.enqueue(undefined as never)],
    ["a job of a task without a name", (queue) => queue.enqueue({} as never)],
    ["arguments that are no list", (queue) => queue.enqueue("t", "abc" as never)],
    ["a job id that is text", (queue) => queue.cancel("1" as never)],
    ["a job id of 0", (queue) => queue.retry(0)],
    ["no queue to pause", (queue) => queue.pause(undefined as never)],
    ["an unknown filter", (queue) => queue.retry({ state: "dead" } as never)],
  ])("are refused for %s", async (_, ask) => {
    await expect(ask(aQueue())).rejects.toMatchObject({ code: "invalid-option" });
  });
});

describe("DESIGN 9.4: another copy of the package", () => {
  it("recognises a queue", () => {
    expect(Queue.isQueue(aQueue())).toBe(true);
    expect(Queue.isQueue({ [Symbol.for("flexiq.queue")]: true })).toBe(true);
    for (const other of [null, undefined, {}, "queue", Queue]) expect(Queue.isQueue(other)).toBe(false);
  });
});

describe("DESIGN 9.8: jobs in people's hands", () => {
  it("are listed, cancelled, retried, purged and held through the queue", async () => {
    const queue = aQueue();
    const [first = 0, second = 0] = await queue.enqueueMany([{ task: "a" }, { task: "b", options: { queue: "q" } }]);
    expect(await queue.cancel(first)).toBe("cancelled");
    expect(await queue.deadLetters()).toEqual([]);
    expect(await queue.retry(second)).toBe(0);
    await queue.pause("q");
    expect(await queue.load()).toMatchObject({ pending: 0 });
    await queue.resume("q");
    expect(await queue.load(["q"])).toMatchObject({ pending: 1 });
    expect(await queue.stats("q")).toMatchObject({ pending: 1, cancelled: 0 });
    expect(await queue.purge({ state: "cancelled" })).toBe(1);
    expect((await queue.queues()).map(({ name }) => name)).toEqual(["q"]);
  });
});

describe("DESIGN 9.4: moments far away", () => {
  const LAST = 8.64e15;

  it("are kept, shown and counted up to the last one a Date can hold, in both directions", async () => {
    const queue = new Queue({ dbPath: join(tempDir(), "q.db") });
    const late = await queue.enqueue("t", [], { runAt: LAST });
    const early = await queue.enqueue("t", [], { runAt: new Date(-LAST) });
    expect(await queue.jobs()).toMatchObject([
      { id: late, state: "scheduled", runAtMs: LAST },
      { id: early, state: "pending", runAtMs: -LAST },
    ]);
    expect(await queue.stats()).toMatchObject({ scheduled: 1, pending: 1 });
    queue.close();
  });

  // SQLite would take them, and no reader of the file could read their rows again.
  it.each([{ runAt: LAST + 1 }, { runAt: -LAST - 1 }, { delayMs: LAST }, { delayMs: Number.MAX_SAFE_INTEGER }])(
    "beyond that are refused: %j",
    async (options) => {
      const queue = new Queue({ dbPath: join(tempDir(), "q.db") });
      await expect(queue.enqueue("t", [], options)).rejects.toMatchObject({ code: "invalid-option" });
      queue.close();
    },
  );
});

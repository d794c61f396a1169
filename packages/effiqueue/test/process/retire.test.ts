import { describe, expect, it } from "vitest";
import { FakeDirectory } from "../support/fake-directory.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { openTestPool, type TestPool } from "../support/pool.ts";
import { isAlive } from "../support/processes.ts";
import { waitFor } from "../support/wait-for.ts";

interface Setup extends TestPool {
  readonly directory: FakeDirectory;
  readonly clock: ManualClock;
}

/** Serving workers with so many jobs each, started one second apart. */
async function serving(...busy: readonly number[]): Promise<Setup> {
  const directory = new FakeDirectory();
  const clock = new ManualClock();
  const test = openTestPool({ directory, clock, drainTimeoutMs: 10_000 });
  for (const jobs of busy) {
    test.pool.spawn();
    const worker = test.pool.snapshot().at(-1);
    if (worker !== undefined) directory.register(worker, jobs);
    clock.advance(1_000);
  }
  await test.pool.refresh();
  return { ...test, directory, clock };
}

const stateOf = ({ pool }: TestPool, pid: number): string =>
  pool.snapshot().find(({ identity }) => identity.pid === pid)?.state ?? "gone";

describe("DESIGN 4.3: starting and serving", () => {
  it("serves from the moment the directory lists the very process, not one that had its pid", async () => {
    const directory = new FakeDirectory();
    const { pool } = openTestPool({ directory });
    pool.spawn();
    const [worker] = pool.snapshot();
    if (worker === undefined) throw new Error("no worker");
    expect(await pool.refresh()).toEqual([]);
    expect(pool.counts()).toEqual({ starting: 1, serving: 0, draining: 0 });
    directory.register({ ...worker, identity: { ...worker.identity, startTime: "1" } }, 0);
    await pool.refresh();
    expect(pool.counts().starting).toBe(1);
    directory.register(worker, 0);
    expect(await pool.refresh()).toHaveLength(1);
    expect(pool.counts()).toEqual({ starting: 0, serving: 1, draining: 0 });
  });

  it("says once of a worker that does not serve 30 s after its start, unless the queue cannot be asked", async () => {
    const directory = new FakeDirectory();
    const clock = new ManualClock();
    const { pool, events, pids } = openTestPool({ directory, clock });
    await pool.resize(2);
    const [first] = pool.snapshot();
    if (first === undefined) throw new Error("no worker");
    clock.advance(29_999);
    await pool.refresh();
    directory.register(first, 0);
    clock.advance(1);
    directory.trouble = new Error("the file is locked");
    await pool.refresh();
    expect(events.of("act.worker.not_serving")).toEqual([]);
    directory.trouble = undefined;
    for (let i = 0; i < 3; i++) await pool.refresh();
    expect(events.of("act.worker.not_serving")).toEqual([{ program: "test", pid: pids()[1], age_ms: 30_000 }]);
    expect(pool.counts()).toMatchObject({ starting: 1, serving: 1 });
  });
});

describe("DESIGN 4.4: victims", () => {
  it("stops the idle worker although a busy one is older", async () => {
    const test = await serving(1, 0, 1);
    const [oldest, idle, youngest] = test.pids() as [number, number, number];
    await test.pool.resize(2);
    expect(test.directory.asked).toEqual([`cordonIfIdle ${idle}`]);
    await waitFor(() => stateOf(test, idle) === "gone");
    expect([stateOf(test, oldest), stateOf(test, youngest)]).toEqual(["serving", "serving"]);
    expect(test.events.of("act.worker.stop_signalled").map(({ pid }) => pid)).toEqual([idle]);
  });

  it("takes another idle one when a job came in between", async () => {
    const test = await serving(1, 0, 0);
    const [, second, third] = test.pids() as [number, number, number];
    test.directory.jobsInBetween.set(second, 1);
    await test.pool.resize(2);
    expect(test.directory.asked).toEqual([`cordonIfIdle ${second}`, `cordonIfIdle ${third}`]);
    expect(stateOf(test, second)).toBe("serving");
    expect(test.events.of("act.worker.stop_signalled").map(({ pid }) => pid)).toEqual([third]);
  });

  it("lets the oldest of busy workers retire, and signals it as soon as it is idle", async () => {
    const test = await serving(2, 1);
    const [oldest] = test.pids() as [number];
    await test.pool.resize(1);
    expect(test.directory.asked).toEqual([`cordon ${oldest}`]);
    expect(stateOf(test, oldest)).toBe("retiring");
    expect(test.pool.counts()).toEqual({ starting: 0, serving: 1, draining: 1 });
    await test.pool.refresh();
    expect(test.events.names("act.worker.").slice(2)).toEqual(["act.worker.retired"]);
    expect(isAlive(oldest)).toBe(true);
    test.directory.set(oldest, { busy: 0 });
    await test.pool.refresh();
    await waitFor(() => stateOf(test, oldest) === "gone");
    expect(test.pool.reap()).toMatchObject([{ pid: oldest, kind: "stopped" }]);
  });

  it("signals a retiring worker that is still busy when the drain timeout has passed once", async () => {
    const test = await serving(1);
    const [pid] = test.pids() as [number];
    await test.pool.resize(0);
    test.clock.advance(9_999);
    await test.pool.refresh();
    expect(stateOf(test, pid)).toBe("retiring");
    test.clock.advance(1);
    test.directory.trouble = new Error("the queue is away");
    await test.pool.refresh();
    await waitFor(() => stateOf(test, pid) === "gone");
    expect(test.events.of("act.worker.stop_signalled")).toHaveLength(1);
  });

  it("calls a retiring worker back when load returns, before it spawns", async () => {
    const test = await serving(1, 1);
    const before = test.pids();
    await test.pool.resize(0);
    expect(test.pool.counts().draining).toBe(2);
    await test.pool.resize(1);
    expect(test.pool.counts()).toEqual({ starting: 0, serving: 1, draining: 1 });
    await test.pool.resize(3);
    expect(test.pool.counts()).toEqual({ starting: 1, serving: 2, draining: 0 });
    expect(test.pids().slice(0, 2)).toEqual(before);
    expect(test.events.of("act.worker.recalled").map(({ pid }) => pid)).toEqual([...before].reverse());
    expect(test.events.of("act.worker.stop_signalled")).toEqual([]);
  });

  it("goes on without a directory that fails: says so once, drains the oldest, spawns instead of recalling", async () => {
    const test = await serving(1, 1, 1);
    const [first, second] = test.pids() as [number, number];
    await test.pool.resize(2);
    expect(stateOf(test, first)).toBe("retiring");

    test.directory.trouble = new Error("the queue is away");
    expect(await test.pool.refresh()).toBeNull();
    await test.pool.refresh();
    await test.pool.resize(3);
    expect(stateOf(test, first)).toBe("retiring");
    expect(test.events.of("act.worker.spawned")).toHaveLength(4);
    expect(test.events.of("act.directory.unreadable")).toEqual([{ program: "test", error: "the queue is away" }]);

    await test.pool.resize(1);
    expect(test.events.of("act.worker.stop_signalled").map(({ pid }) => pid)).toEqual([expect.any(Number), second]);

    test.directory.trouble = undefined;
    await test.pool.refresh();
    test.directory.trouble = new Error("the queue is away");
    await test.pool.refresh();
    expect(test.events.of("act.directory.unreadable")).toHaveLength(2);
  });

  it.each([
    ["rejects", () => Promise.reject(new Error("the queue is away"))],
    ["never answers", () => new Promise<never>(() => undefined)],
  ])(
    "asks no more, and signals nobody it knows nothing of, when the directory %s in the middle",
    async (_, question) => {
      const test = await serving(1, 1, 1, 0, 0);
      let asked = 0;
      const ask = (): Promise<never> => {
        asked += 1;
        return question();
      };
      Object.assign(test.directory, { cordonIfIdle: ask, cordon: ask, uncordon: ask });
      const answered = async (work: Promise<void>): Promise<void> => {
        let done = false;
        void work.then(() => {
          done = true;
        });
        await waitFor(() => {
          test.clock.advance(1_000);
          return done;
        });
      };
      await answered(test.pool.resize(1));
      expect(asked).toBe(1);
      expect(test.pool.counts().serving).toBe(5);
      expect(test.events.of("act.worker.stop_signalled")).toEqual([]);

      // A busy one that cannot be cordoned is not signalled either, and one that cannot be recalled has a new one in its place.
      Object.assign(test.directory, { cordonIfIdle: FakeDirectory.prototype.cordonIfIdle.bind(test.directory) });
      for (const pid of test.pids()) test.directory.set(pid, { busy: 1 });
      await test.pool.refresh();
      await answered(test.pool.resize(4));
      expect(asked).toBe(2);
      expect(test.events.of("act.worker.stop_signalled")).toEqual([]);
      Object.assign(test.directory, { cordon: FakeDirectory.prototype.cordon.bind(test.directory) });
      await test.pool.refresh();
      await test.pool.resize(3);
      expect(test.pool.counts()).toEqual({ starting: 0, serving: 3, draining: 2 });
      await answered(test.pool.resize(5));
      expect(asked).toBe(3);
      expect(test.pool.counts()).toMatchObject({ starting: 2, serving: 3 });
    },
  );

  it("does not hang with a directory that never answers", async () => {
    const test = await serving(1);
    test.directory.workers = () => new Promise(() => undefined);
    const refreshed = test.pool.refresh();
    const resized = test.pool.resize(2);
    await waitFor(() => {
      test.clock.advance(1_000);
      return test.events.of("act.directory.unreadable").length === 1;
    });
    expect(await refreshed).toBeNull();
    await resized;
    expect(test.pool.counts().starting).toBe(1);
  });

  it("does not count a worker as serving whose cordon nobody remembers", async () => {
    const test = await serving(0, 1);
    const [forgotten] = test.pids() as [number];
    test.directory.set(forgotten, { cordoned: true, busy: 1 });
    await test.pool.refresh();
    expect(stateOf(test, forgotten)).toBe("retiring");
    await test.pool.resize(2);
    expect(stateOf(test, forgotten)).toBe("serving");
  });

  it("drains retiring workers with all others at shutdown", async () => {
    const test = await serving(1, 0);
    await test.pool.resize(1);
    await test.pool.resize(0);
    await test.pool.shutdown();
    expect(test.pool.snapshot()).toEqual([]);
  });
});

describe("DESIGN 4.10: a worker that is replaced for its own sake", () => {
  it("is stopped at once when it is idle, and no job gets to it", async () => {
    const setup = await serving(0, 0);
    const [first = 0] = setup.pids();
    expect(await setup.pool.recycle(first)).toBe(true);
    expect(setup.directory.asked).toEqual([`cordonIfIdle ${first}`]);
    await waitFor(() => !setup.pids().includes(first), { what: "its end" });
    expect(setup.pool.reap()).toMatchObject([{ pid: first, kind: "stopped" }]);
  });

  it("finishes what it has when it is busy, and is not called back for load that returns", async () => {
    const setup = await serving(2, 0);
    const [first = 0] = setup.pids();
    expect(await setup.pool.recycle(first)).toBe(true);
    expect(stateOf(setup, first)).toBe("retiring");
    await setup.pool.resize(2);
    expect(stateOf(setup, first)).toBe("retiring");
    expect(setup.pool.counts()).toEqual({ starting: 1, serving: 1, draining: 1 });
    setup.directory.set(first, { busy: 0 });
    await setup.pool.refresh();
    await waitFor(() => !isAlive(first), { what: "its end" });
  });

  it("goes by its stop signal alone where nobody knows what it does", async () => {
    const { pool, pids } = openTestPool();
    await pool.resize(1);
    const [first = 0] = pids();
    expect(await pool.recycle(first)).toBe(true);
    expect(await pool.recycle(first), "twice").toBe(false);
    expect(await pool.recycle(1), "a stranger").toBe(false);
    await waitFor(() => !isAlive(first), { what: "its end" });
  });
});

import { ControlLoop, type ControlLoopOptions, type ProgramOptions } from "effiqueue";
import { describe, expect, it } from "vitest";
import {
  EventLog,
  FakeClock,
  FakeMemory,
  FakePolicy,
  FakePool,
  FakeSource,
  Records,
  readable,
  settle,
  unreadable,
} from "./fakes.ts";

interface Fakes extends ProgramOptions {
  readonly source: FakeSource;
  readonly pool: FakePool;
  readonly policy: FakePolicy;
}

const fakes = (program: string, firstPid: number, options: Partial<ProgramOptions> = {}): Fakes =>
  ({
    program,
    source: new FakeSource(),
    pool: new FakePool(firstPid),
    policy: new FakePolicy(1),
    ...options,
  }) as Fakes;

function setup(options: Partial<ControlLoopOptions> = {}) {
  const clock = new FakeClock();
  const reporter = new EventLog();
  const records = new Records();
  const a = fakes("a", 100);
  const b = fakes("b", 200);
  const loop = new ControlLoop({
    programs: [a, b],
    clock,
    reporter,
    pollIntervalMs: 5_000,
    listener: records,
    ...options,
  });
  return { clock, reporter, records, a, b, loop };
}

const never = <T>(): Promise<T> => new Promise(() => undefined);

describe("DESIGN 7.7: several programs on one loop", () => {
  it("polls all of them on one grid", async () => {
    const { loop, clock, a, b } = setup();
    void loop.run();
    await clock.advance(12_000);
    expect([a, b].map(({ policy }) => policy.observations.map(({ dtSec }) => dtSec))).toEqual([
      [0, 5, 5],
      [0, 5, 5],
    ]);
    await loop.stop();
    expect(clock.pendingTimers).toBe(0);
  });

  it("lets nobody wait for a queue that hangs, and decides about that one when its read has timed out", async () => {
    const { loop, clock, a, b } = setup({ pollIntervalMs: 1_000 });
    a.source.answer = never;
    void loop.run();
    await clock.advance(999);
    expect([a.pool.resized, b.pool.resized]).toEqual([[], [1]]);
    await clock.advance(9_001);
    expect(b.policy.observations.map(({ dtSec }) => dtSec)).toEqual([0, ...Array.from({ length: 10 }, () => 1)]);
    expect(a.source.reads, "no read is piled up on the one that hangs").toBe(1);
    expect(a.policy.observations.length).toBeGreaterThan(5);
    expect(a.policy.observations.every(({ queue }) => queue === null)).toBe(true);
    await loop.stop();
  });

  it("wakes at an exit the program whose worker it was, and no other", async () => {
    const { loop, clock, a, b } = setup();
    void loop.run();
    await clock.advance(2_000);
    a.pool.die(a.pool.workers[0]?.identity.pid ?? 0);
    await settle();
    expect(a.pool.workers).toHaveLength(1);
    expect([a, b].map(({ source }) => source.reads)).toEqual([2, 1]);
    await loop.stop();
  });

  it("goes on with the others when one throws", async () => {
    const { loop, clock, reporter, a, b } = setup();
    a.policy.step = () => {
      throw new Error("no such case");
    };
    void loop.run();
    await clock.advance(5_000);
    expect(reporter.of("loop.tick.failed").map(({ program }) => program)).toEqual(["a", "a"]);
    expect(b.pool.resized).toEqual([1, 1]);
    await loop.stop();
  });

  it("ticks one alone when it is asked to, and says which there are when it is none of them", async () => {
    const { loop, a, b } = setup();
    await loop.tick("b");
    expect([a, b].map(({ source }) => source.reads)).toEqual([0, 1]);
    await expect(loop.tick("c")).rejects.toThrow("expected one of a, b, got c");
    expect(() => setup({ programs: [fakes("x", 1), fakes("x", 2)] })).toThrow("got x twice");
  });

  it("drops one whose pool is somebody else's by now: the others go on, and with the last of them the loop ends", async () => {
    const { loop, clock, a, b } = setup();
    const running = loop.run();
    await clock.advance(1_000);
    loop.drop("a");
    loop.drop("a");
    await clock.advance(5_000);
    expect([a, b].map(({ source }) => source.reads)).toEqual([1, 2]);
    await expect(loop.tick("a")).rejects.toThrow(RangeError);
    loop.drop("b");
    await running;
    expect(clock.pendingTimers).toBe(0);
    expect(a.pool.subscribers + b.pool.subscribers).toBe(0);
  });

  it("stops only when the ticks in flight of all have ended", async () => {
    const { loop, a, b } = setup();
    let release: () => void = () => undefined;
    a.source.answer = () =>
      new Promise<void>((resolve) => {
        release = resolve;
      }).then(() => readable({ ready: 0, unacked: 0 }));
    void loop.run();
    await settle();
    let stopped = false;
    const stop = loop.stop().then(() => {
      stopped = true;
    });
    await settle();
    expect([stopped, b.pool.resized]).toEqual([false, [1]]);
    release();
    await stop;
    expect(a.pool.resized).toEqual([1]);
  });
});

describe("DESIGN 7.7: one look at the memory", () => {
  it("is shared by all that tick together, and names every worker of every pool", async () => {
    const memory = new FakeMemory();
    const { loop, clock, a, b } = setup({ memory });
    a.pool.add();
    a.pool.add("draining");
    b.pool.add();
    memory.workerBytes = (pid) => (pid === 101 ? 700 : pid === 100 ? 300 : 50);
    const cpus = { count: 1.5, busyShare: 0.5, limitedBy: "/g" };
    memory.machine = { ...memory.machine, cpus };
    void loop.run();
    await settle();
    expect(memory.asked).toEqual([[100, 101, 200]]);
    expect(b.policy.observations[0]?.cpus).toEqual(cpus);
    expect(a.policy.observations[0]?.memory).toEqual({
      totalBytes: 64 * 1024 ** 3,
      usedBytes: 8 * 1024 ** 3,
      poolBytes: 1_000,
      largestWorkerBytes: 700,
      workers: [
        { pid: 100, ageSec: 1_000, bytes: 300 },
        { pid: 101, ageSec: 1_000, bytes: 700 },
      ],
      swapUsedBytes: 0,
      swapTotalBytes: 0,
      pressure: undefined,
      limitedBy: "host",
    });
    expect(b.policy.observations[0]?.memory).toMatchObject({ poolBytes: 50, largestWorkerBytes: 50 });
    await clock.advance(5_000);
    expect(memory.asked).toHaveLength(2);
    await loop.stop();
  });

  it("is taken anew for a program that is woken a second later, and shared by those woken together", async () => {
    const memory = new FakeMemory();
    const { loop, clock, a, b } = setup({ memory });
    void loop.run();
    await clock.advance(999);
    a.pool.wake();
    await settle();
    expect(memory.asked).toHaveLength(1);
    await clock.advance(1_000);
    a.pool.wake();
    b.pool.wake();
    await settle();
    expect(memory.asked).toHaveLength(2);
    await loop.stop();
  });

  it("counts a worker that has ended since the look with the pool that it was part of", async () => {
    const memory = new FakeMemory();
    const { loop, a } = setup({ memory });
    const pid = a.pool.add();
    a.source.answer = async () => {
      await settle();
      a.pool.die(pid);
      return readable({ ready: 0, unacked: 0 });
    };
    await loop.tick("a");
    expect(a.policy.observations[0]).toMatchObject({
      workers: { serving: 0 },
      memory: { poolBytes: 512 * 1024 ** 2 },
    });
  });

  it.each([
    { how: "rejects", answering: () => Promise.reject(new Error("no /proc")) },
    { how: "hangs", answering: () => new Promise<void>(() => undefined) },
  ])("is unknown when it $how, and stops nobody", async ({ answering }) => {
    const memory = new FakeMemory();
    memory.answering = answering;
    const { loop, clock, a } = setup({ memory });
    const tick = loop.tick("a");
    await clock.advance(5_000);
    expect((await tick).observation.memory).toBeNull();
    expect(a.pool.resized).toEqual([1]);
  });

  it("takes a group that could not be read for one that takes nothing", async () => {
    const memory = new FakeMemory();
    const { loop, a } = setup({ memory });
    a.pool.add();
    a.pool.add();
    memory.workerBytes = (pid) => (pid === 100 ? undefined : 40);
    const { observation } = await loop.tick("a");
    expect(observation.memory).toMatchObject({ poolBytes: 40, largestWorkerBytes: 40 });
  });

  it("is absent where nobody looks", async () => {
    const { loop } = setup();
    const { observation } = await loop.tick("a");
    expect("memory" in observation || "budgetBytes" in observation).toBe(false);
  });
});

describe("DESIGN 7.7: interference", () => {
  const exit = { processNum: 0, exitCode: 0, signal: null, uptimeMs: 9 };

  it.each([
    { kind: "exited", disturbed: true },
    { kind: "crashed", disturbed: true },
    { kind: "stopped", disturbed: false },
    { kind: "killed", disturbed: false },
  ] as const)("is $disturbed of a worker that was $kind", async ({ kind, disturbed }) => {
    const { loop, a } = setup();
    await loop.tick("a");
    a.pool.reap = () => [{ ...exit, pid: 1, kind }];
    expect((await loop.tick("a")).observation.interference).toBe(disturbed);
  });

  it("is a number of workers that the last resize did not leave", async () => {
    const { loop, a } = setup();
    await loop.tick("a");
    expect((await loop.tick("a")).observation.interference).toBe(false);
    a.pool.add();
    expect((await loop.tick("a")).observation.interference).toBe(true);
    expect((await loop.tick("a")).observation.interference).toBe(false);
  });

  it("is none when a back-off leaves the pool smaller than was wished", async () => {
    const { loop, a } = setup();
    a.policy.desired = 5;
    a.pool.resize = () => Promise.resolve();
    await loop.tick("a");
    expect((await loop.tick("a")).observation.interference).toBe(false);
  });

  it("is none at the first tick, whatever has happened before", async () => {
    const { loop, a } = setup();
    a.pool.die(a.pool.add());
    expect((await loop.tick("a")).observation.interference).toBe(false);
  });
});

describe("DESIGN 6.4: the record of a tick", () => {
  it("holds what was seen, decided and done, and how long it took", async () => {
    const { loop, clock, records, a } = setup();
    a.pool.backoffSec = 4;
    a.source.answer = async () => {
      clock.nowMs += 250;
      return readable({ ready: 7, unacked: 3 });
    };
    const { observation } = await loop.tick("a");
    expect(records.of("a")).toEqual([
      {
        program: "a",
        spans: [],
        at: clock.nowMs,
        tookSec: 0.25,
        observation,
        unreadable: null,
        decision: expect.objectContaining({ desired: 1, needed: null, muSource: 0 }) as unknown,
        counts: { starting: 0, serving: 1, draining: 0 },
        budgetBytes: null,
        backoffSec: 4,
      },
    ]);
  });

  it("says why the queue could not be read, by the code of the error where it has one", async () => {
    const { loop, clock, records, a } = setup({ pollIntervalMs: 1_000 });
    a.source.answer = () => unreadable("gone");
    await loop.tick("a");
    a.source.answer = () => Promise.reject(Object.assign(new Error("no"), { code: "unauthorised" }));
    await loop.tick("a");
    a.source.answer = never;
    const tick = loop.tick("a");
    await clock.advance(1_000);
    await tick;
    expect(records.of("a").map(({ unreadable: why }) => why)).toEqual([
      { code: "other", message: "gone" },
      { code: "unauthorised", message: "no" },
      { code: "timeout", message: "no answer within 1000 ms" },
    ]);
  });
});

/** Workers that are replaced for their own sake: who, when, and that it is one at a time. */
import { ControlLoop, monotonicMs, type PoolCounts, type WorkerSnapshot, type WorkerView } from "effiqueue";
import { describe, expect, it } from "vitest";
import { overdueWorker, type PoolNow } from "../../src/loop/recycling.ts";
import type { RecycleLimits } from "../../src/model/recycling.ts";
import { EventLog, FakeClock, FakeMemory, FakePolicy, FakePool, FakeSource } from "./fakes.ts";

const MIB = 1024 ** 2;

const worker = (pid: number, ageSec: number): WorkerSnapshot => ({
  identity: { pid, startTime: `t${pid}`, bootId: "boot", pidNamespace: "ns" },
  processNum: pid,
  state: "serving",
  startedAt: monotonicMs(1_000_000 - ageSec * 1_000),
  adopted: false,
});

const finished = (pid: number, jobs: number): WorkerView => ({
  pid,
  startTime: `t${pid}`,
  slots: 1,
  busy: 0,
  finished: jobs,
});

/** Three workers, 100, 200 and 300 s old. */
const pool = (more: Partial<PoolNow> = {}): PoolNow => ({
  now: monotonicMs(1_000_000),
  workers: [worker(1, 100), worker(2, 200), worker(3, 300)],
  counts: { starting: 0, serving: 3, draining: 0 },
  starting: 0,
  desired: 3,
  backoffSec: 0,
  groupBytes: new Map([
    [1, 10 * MIB],
    [2, 30 * MIB],
  ]),
  views: [finished(1, 500), finished(2, 5)],
  restarting: new Set(),
  growth: undefined,
  ...more,
});

const limits = (some: Partial<RecycleLimits>): RecycleLimits => ({ minAgeSec: 10, ...some });
const counts = (some: Partial<PoolCounts>): PoolCounts => ({ starting: 0, serving: 3, draining: 0, ...some });

describe("DESIGN 4.10: who is replaced", () => {
  it.each([
    ["nobody without limits", {}, null],
    ["nobody below the limit", { maxAgeSec: 301 }, null],
    ["the oldest of those at the limit", { maxAgeSec: 200 }, { pid: 3, why: "age", value: 300, limit: 200 }],
    ["the largest", { maxBytes: 30 * MIB }, { pid: 2, why: "memory", value: 30 * MIB, limit: 30 * MIB }],
    ["who has done enough", { maxJobs: 500 }, { pid: 1, why: "jobs", value: 500, limit: 500 }],
    ["who is furthest above", { maxAgeSec: 150, maxJobs: 100 }, { pid: 1, why: "jobs", value: 500, limit: 100 }],
    ["nobody too young", { maxBytes: 1, maxAgeSec: 1, maxJobs: 1, minAgeSec: 301 }, null],
  ] as const)("%s", (_, some, expected) => {
    expect(overdueWorker(limits(some), pool())).toEqual(expected);
  });

  it.each([
    ["one is missing", { counts: counts({ serving: 2 }) }],
    ["one is too many", { desired: 2 }],
    ["one drains", { counts: counts({ draining: 1 }) }],
    ["one has not begun", { starting: 1 }],
    ["new workers crash", { backoffSec: 4 }],
  ])("nobody while %s", (_, more) => {
    expect(overdueWorker(limits({ maxAgeSec: 1 }), pool(more))).toBeNull();
  });

  it("who is to be restarted, however young", () => {
    const restarting = new Set([2]);
    const expected = { pid: 2, why: "restart", value: null, limit: null };
    expect(overdueWorker(limits({ minAgeSec: 250 }), pool({ restarting }))).toEqual(expected);
  });

  it("who grows for ever, of those the decision knows", () => {
    const growth = { grownBytes: 8 * MIB, limitBytes: 10 * MIB };
    const worst = { pid: 1, bytes: 12 * MIB };
    const expected = { pid: 1, why: "outgrown", value: 12 * MIB, limit: 10 * MIB };
    expect(overdueWorker(limits({}), pool({ growth: { ...growth, worst } }))).toEqual(expected);
    expect(overdueWorker(limits({}), pool({ growth: { ...growth, worst: null } }))).toBeNull();
    const leaving = { growth: { ...growth, worst }, counts: counts({ draining: 1 }) };
    expect(overdueWorker(limits({}), pool(leaving))).toBeNull();
  });

  it("nobody for what is not known of anybody", () => {
    const blind = pool({ groupBytes: undefined, views: null });
    expect(overdueWorker(limits({ maxBytes: 1, maxJobs: 1 }), blind)).toBeNull();
    const another = pool({ views: [{ ...finished(1, 500), startTime: "other" }] });
    expect(overdueWorker(limits({ maxJobs: 1 }), another)).toBeNull();
  });
});

/** A loop with two workers that are 100 s old. */
function setup(recycle?: RecycleLimits) {
  const clock = new FakeClock();
  const fakePool = new FakePool();
  fakePool.clock = clock;
  const pids = [fakePool.add("serving", clock.nowMs - 100_000), fakePool.add("serving", clock.nowMs - 100_000)];
  const policy = new FakePolicy(2);
  const reporter = new EventLog();
  const memory = new FakeMemory();
  const program = {
    program: "p",
    source: new FakeSource(),
    pool: fakePool,
    policy,
    ...(recycle === undefined ? {} : { recycle }),
  };
  const loop = new ControlLoop({ programs: [program], pollIntervalMs: 5_000, clock, reporter, memory });
  return { pool: fakePool, pids, policy, memory, reporter, clock, loop, tick: () => loop.tick("p") };
}

describe("DESIGN 7.13: a restart", () => {
  it("replaces those who are there, one after the other, and nobody who came since", async () => {
    const { pool, pids, reporter, loop, tick } = setup();
    const [first = 0, second = 0] = pids;
    await tick();
    expect(loop.restart("p")).toBe(2);
    await tick();
    expect(pool.recycled).toEqual([first]);
    await tick();
    expect(pool.counts()).toEqual({ starting: 0, serving: 2, draining: 1 });
    expect(pool.recycled).toEqual([first]);
    pool.leave(first);
    await tick();
    expect(pool.recycled).toEqual([first, second]);
    expect(reporter.of("act.worker.recycled").map(({ why, limit }) => [why, limit])).toEqual([
      ["restart", null],
      ["restart", null],
    ]);
    pool.leave(second);
    await tick();
    await tick();
    expect(pool.recycled).toEqual([first, second]);
    expect(reporter.of("loop.restart.started")).toEqual([{ program: "p", workers: 2 }]);
    expect(reporter.of("loop.restart.ended")).toEqual([{ program: "p", why: "done" }]);
  });

  it("is over when those that are left have died by themselves, or is taken back", async () => {
    const { pool, pids, reporter, loop, tick } = setup();
    loop.restart("p");
    for (const pid of pids) pool.die(pid);
    await tick();
    expect(pool.recycled).toEqual([]);
    expect(loop.restart("p")).toBe(2);
    expect(loop.resume("p")).toBe(true);
    await tick();
    expect(pool.recycled).toEqual([]);
    expect(reporter.of("loop.restart.ended").map(({ why }) => why)).toEqual(["done", "resumed"]);
    expect(loop.resume("p")).toBe(false);
  });
});

describe("DESIGN 4.10: replacing", () => {
  it("goes one worker after the other, each replaced as a lost one is", async () => {
    const { pool, pids, policy, reporter, tick } = setup({ maxAgeSec: 60, minAgeSec: 10 });
    const [first = 0, second = 0] = pids;
    await tick();
    expect(pool.recycled).toEqual([first]);
    expect(reporter.of("act.worker.recycled")).toEqual([
      { program: "p", pid: first, why: "age", value: 100, limit: 60 },
    ]);
    // The next tick finds one missing and puts another in its place, and waits for the old one to leave.
    await tick();
    expect(policy.observations.at(-1)).toMatchObject({ interference: true, workers: { serving: 1, draining: 1 } });
    await tick();
    expect(pool.counts()).toEqual({ starting: 0, serving: 2, draining: 1 });
    expect(pool.recycled).toEqual([first]);
    pool.leave(first);
    await tick();
    expect(pool.recycled).toEqual([first, second]);
    pool.leave(second);
    await tick();
    // Those in their place are young.
    await tick();
    expect(pool.recycled).toEqual([first, second]);
    expect(pool.counts()).toEqual({ starting: 0, serving: 2, draining: 0 });
  });

  it("says again that one is missing when it has left, where there was no room before", async () => {
    const { pool, pids, policy, tick } = setup({ maxAgeSec: 60, minAgeSec: 10 });
    const [first = 0] = pids;
    await tick();
    policy.desired = 1;
    await tick();
    expect(policy.observations.at(-1)?.interference).toBe(true);
    await tick();
    expect(policy.observations.at(-1)?.interference).toBe(false);
    pool.leave(first);
    await tick();
    expect(policy.observations.at(-1)?.interference).toBe(true);
  });

  it("reads the memory of each worker's group", async () => {
    const { pool, pids, memory, reporter, tick } = setup({ maxBytes: 100 * MIB, minAgeSec: 10 });
    const [, second = 0] = pids;
    memory.workerBytes = (pid) => (pid === second ? 200 * MIB : 50 * MIB);
    await tick();
    expect(pool.recycled).toEqual([second]);
    expect(reporter.of("act.worker.recycled")).toMatchObject([{ why: "memory", value: 200 * MIB }]);
  });
});

/** A worker is replaced by one that is there before it goes, where memory has room for both. */
import { ControlLoop, type ProgramOptions } from "effiqueue";
import { programConfig, programPolicy } from "effiqueue/decide";
import { describe, expect, it } from "vitest";
import { EventLog, FakeClock, FakeMemory, FakePool, FakeSource } from "./fakes.ts";

const GIB = 1024 ** 3;

/** Two workers of 1 GiB that were started with another command than now, and as many as the budget holds at most. */
function setup(budgetGiB: number, more: Partial<ProgramOptions> = {}) {
  const clock = new FakeClock();
  const pool = new FakePool();
  pool.clock = clock;
  const old = [pool.add(), pool.add()] as const;
  pool.workers = pool.workers.map((worker) => ({ ...worker, outdated: true }));
  const memory = new FakeMemory();
  memory.workerBytes = () => GIB;
  const policy = programPolicy(
    programConfig({
      command: "w",
      queueConnection: "amqp://h",
      queueName: "q",
      sloDrainTime: 30,
      minWorkers: 2,
      maxWorkers: 4,
      ramBudget: budgetGiB * GIB,
    }),
  );
  const reporter = new EventLog();
  const program = { program: "p", source: new FakeSource(), pool, policy, ...more };
  const loop = new ControlLoop({ programs: [program], pollIntervalMs: 5_000, clock, reporter, memory });
  const tick = async () => {
    clock.nowMs += 5_000;
    return loop.tick("p");
  };
  const states = () => pool.workers.map(({ state }) => state);
  return { pool, old, reporter, tick, states };
}

describe("DESIGN 4.10: the new worker first", () => {
  it("lets the old one work until the new one does, one after the other", async () => {
    const { pool, old, reporter, tick, states } = setup(3);
    await tick();
    expect(states()).toEqual(["relieved", "serving", "starting"]);
    await tick();
    expect(pool.recycled, "the new one has not begun").toEqual([]);
    const successor = pool.workers[2]?.identity.pid ?? 0;
    pool.become(successor, "serving");
    await tick();
    expect(states()).toEqual(["draining", "serving", "serving"]);
    expect(reporter.of("act.worker.recycled")).toEqual([
      { program: "p", pid: old[0], why: "changed", value: null, limit: null },
    ]);
    await tick();
    expect(states(), "nobody else while one drains").toEqual(["draining", "serving", "serving"]);
    pool.leave(old[0]);
    await tick();
    expect(states()).toEqual(["relieved", "serving", "starting"]);
    expect(pool.workers[0]?.identity.pid).toBe(old[1]);
  });

  it("lets the old one work until the new one has shown that it does not crash", async () => {
    const { pool, tick } = setup(3, { recycle: { minAgeSec: 12 } });
    await tick();
    pool.become(pool.workers[2]?.identity.pid ?? 0, "serving");
    await tick();
    await tick();
    expect(pool.recycled, "it is 10 s old").toEqual([]);
    await tick();
    expect(pool.recycled).toHaveLength(1);
  });

  it("says of the ticks in which both work that the workers are not those of the last decision", async () => {
    const { pool, tick } = setup(3);
    await tick();
    expect((await tick()).observation.interference).toBe(true);
    pool.become(pool.workers[2]?.identity.pid ?? 0, "serving");
    await tick();
    expect((await tick()).observation.interference).toBe(false);
  });

  it("begins again with one that was called back, for its successor died", async () => {
    const { pool, old, tick, states } = setup(3);
    await tick();
    pool.die(pool.workers[2]?.identity.pid ?? 0);
    pool.become(old[0], "serving");
    pool.backoffSec = 4;
    await tick();
    expect(states(), "new workers crash, so the old ones stay").toEqual(["serving", "serving"]);
    pool.backoffSec = 0;
    await tick();
    expect(states()).toEqual(["relieved", "serving", "starting"]);
    expect(pool.recycled).toEqual([]);
  });

  it("sends the old one away first where there is no room for both", async () => {
    const { pool, old, tick, states } = setup(2);
    await tick();
    expect(pool.recycled).toEqual([old[0]]);
    expect(states()).toEqual(["draining", "serving"]);
    await tick();
    expect(pool.recycled, "nobody else before it has gone").toEqual([old[0]]);
    pool.leave(old[0]);
    await tick();
    expect(pool.recycled).toEqual([...old]);
  });

  it("replaces those that are too old in the same way", async () => {
    const { pool, tick, states } = setup(3, { recycle: { maxAgeSec: 1, minAgeSec: 0 } });
    pool.workers = pool.workers.map((worker) => ({ ...worker, outdated: false }));
    await tick();
    expect(states()).toEqual(["relieved", "serving", "starting"]);
  });
});

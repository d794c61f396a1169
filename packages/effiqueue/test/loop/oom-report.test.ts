import { ControlLoop } from "effiqueue";
import { describe, expect, it } from "vitest";
import { EventLog, FakeClock, FakeMemory, FakePolicy, FakePool, FakeSource, settle } from "./fakes.ts";

describe("DESIGN 4.12: kills for want of memory in the loop", () => {
  it("are said with what the worker last took, and told the policy once", async () => {
    const clock = new FakeClock();
    const reporter = new EventLog();
    const memory = new FakeMemory();
    const pool = new FakePool();
    const policy = new FakePolicy(2);
    memory.workerBytes = (pid) => pid * 1_000;
    const loop = new ControlLoop({
      programs: [{ program: "orders", source: new FakeSource(), pool, policy }],
      clock,
      reporter,
      memory,
      pollIntervalMs: 10_000,
    });
    pool.add();
    pool.add();
    const first = pool.snapshot()[0]?.identity.pid ?? 0;
    void loop.run();
    await settle();
    pool.die(first, "oom-killed");
    await settle();
    await clock.advance(10_000);
    expect(reporter.of("act.worker.oom_killed")).toEqual([
      { program: "orders", pid: first, last_bytes: first * 1_000, workers_left: 1 },
    ]);
    const [before, after, later] = policy.observations;
    expect([before, after, later].map((each) => each?.oomKills)).toEqual([undefined, 1, undefined]);
    expect([before, after, later].map((each) => each?.interference)).toEqual([false, true, false]);
    await loop.stop();
  });
});

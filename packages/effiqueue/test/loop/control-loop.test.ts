import { ControlLoop, type ProgramOptions, type QueueReading, type Reading } from "effiqueue";
import { describe, expect, it } from "vitest";
import { EventLog, FakeClock, FakePolicy, FakePool, FakeSource, readable, settle, unreadable } from "./fakes.ts";

/** A loop of one program. */
function setup(overrides: Partial<ProgramOptions> = {}, desired = 2) {
  const parts = {
    clock: new FakeClock(),
    source: new FakeSource({ ready: 7, unacked: 3 }),
    pool: new FakePool(),
    policy: new FakePolicy(desired),
    reporter: new EventLog(),
  };
  const { clock, reporter, ...program } = parts;
  const programs = [{ program: "p", ...program, ...overrides }];
  const all = new ControlLoop({ programs, pollIntervalMs: 5_000, clock, reporter });
  const loop = { tick: () => all.tick("p"), run: () => all.run(), stop: () => all.stop() };
  return { ...parts, loop, decided: () => parts.reporter.of("loop.tick.decided") };
}

/** A call that hangs until the test lets it go. */
function hanging<T>() {
  let release: (value: T) => void = () => undefined;
  const promise = new Promise<T>((resolve) => {
    release = resolve;
  });
  return { promise, release };
}

describe("DESIGN 2.1: one tick", () => {
  it("reaps, refreshes, reads, steps, resizes and reports, in that order", async () => {
    const { loop, pool, source, policy, reporter, decided } = setup();
    source.answer = () => {
      pool.calls.push("read");
      return readable({ ready: 7, unacked: 3 });
    };
    const pid = pool.add();
    pool.die(pid);
    const { decision, observation, exits } = await loop.tick();
    expect(pool.calls).toEqual(["reap", "refresh", "read", "resize"]);
    expect(exits.map((exit) => exit.pid)).toEqual([pid]);
    expect(observation).toEqual({
      dtSec: 0,
      queue: { ready: 7, unacked: 3 },
      workers: { starting: 0, serving: 0, draining: 0 },
      interference: false,
    });
    expect(policy.observations).toEqual([observation]);
    expect(decision.desired).toBe(2);
    expect(pool.resized).toEqual([2]);
    expect(reporter.events.map(({ name }) => name)).toEqual(["loop.tick.decided"]);
    expect(decided()).toEqual([
      {
        program: "p",
        pending: 7,
        running: 3,
        current_workers: 0,
        desired_workers: 2,
        draining_workers: 0,
        reason: "depth",
        trail: "utilisation,depth",
        rationale: "wants 2",
        dt_sec: 0,
      },
    ]);
  });

  it("carries the policy's state and the real elapsed time from tick to tick, whatever the wall clock does", async () => {
    const { loop, clock, policy } = setup();
    await loop.tick();
    clock.nowMs += 1_500;
    clock.wallOffsetMs = -3_600_000;
    await loop.tick();
    clock.nowMs += 3_600_000;
    clock.wallOffsetMs = 86_400_000;
    await loop.tick();
    expect(policy.stepsSeen).toEqual([0, 1, 2]);
    expect(policy.observations.map(({ dtSec }) => dtSec)).toEqual([0, 1.5, 3_600]);
  });

  it("counts workers after the read, so that one that died during it is not current", async () => {
    const { loop, pool, source, policy } = setup();
    const pid = pool.add();
    pool.add();
    source.answer = () => {
      pool.die(pid);
      return readable({ ready: 0, unacked: 0 });
    };
    await loop.tick();
    expect(policy.observations[0]?.workers.serving).toBe(1);
  });

  it("never overlaps: ticks asked for while one runs share the one that begins right after it", async () => {
    const { loop, source } = setup();
    const read = hanging<Reading<QueueReading>>();
    source.answer = () => read.promise;
    const first = loop.tick();
    await settle();
    const second = loop.tick();
    const third = loop.tick();
    await settle();
    expect(source.reads).toBe(1);
    source.answer = () => readable({ ready: 1, unacked: 0 });
    read.release(await readable({ ready: 0, unacked: 0 }));
    const results = await Promise.all([first, second, third]);
    expect(source.reads).toBe(2);
    expect(results.map(({ observation }) => observation.queue?.ready)).toEqual([0, 1, 1]);
  });

  it("does not let a tick begin between the end of one and the start of a waiting one", async () => {
    const { loop, source } = setup();
    let inside = 0;
    let overlaps = 0;
    source.answer = async () => {
      inside += 1;
      if (inside > 1) overlaps += 1;
      await settle();
      inside -= 1;
      return readable({ ready: 0, unacked: 0 });
    };
    const chain = async () => {
      for (let i = 0; i < 20; i += 1) await loop.tick();
    };
    await Promise.all([chain(), chain(), chain()]);
    expect(overlaps).toBe(0);
  });

  it("reports a tick that throws, rejects it for who asked, and goes on", async () => {
    const { loop, policy, reporter, clock, pool } = setup();
    const step = policy.step.bind(policy);
    policy.step = () => {
      throw new Error("no such case", { cause: new Error("deep") });
    };
    await expect(loop.tick()).rejects.toThrow("no such case");
    expect(reporter.of("loop.tick.failed")).toEqual([{ program: "p", error: "no such case: deep" }]);
    void loop.run();
    await clock.advance(5_000);
    expect(reporter.of("loop.tick.failed")).toHaveLength(3);
    policy.step = step;
    await clock.advance(5_000);
    expect(pool.resized).toEqual([2]);
    await loop.stop();
  });
});

describe("DESIGN 8.6: a queue that cannot be read", () => {
  it("is unknown to the policy, never zero", async () => {
    const { loop, source, policy, decided } = setup();
    source.answer = () => unreadable("gone");
    await loop.tick();
    expect(policy.observations[0]?.queue).toBeNull();
    expect(decided()[0]).toMatchObject({ pending: null, running: null });
  });

  it("may also be a source that rejects or throws, against its contract", async () => {
    const { loop, source, policy, reporter } = setup();
    source.answer = () => Promise.reject(new Error("rejected"));
    await loop.tick();
    source.answer = () => {
      throw new Error("thrown");
    };
    await loop.tick();
    expect(policy.observations.map(({ queue }) => queue)).toEqual([null, null]);
    expect(reporter.of("observe.queue.unreadable").map(({ error }) => error)).toEqual(["rejected", "thrown"]);
  });

  it("is said at first, on a change of cause, once a minute, and when it ends", async () => {
    const { loop, source, clock, reporter } = setup();
    const during = async (answer: FakeSource["answer"], ms: number) => {
      source.answer = answer;
      await clock.advance(ms);
    };
    source.answer = () => unreadable("locked");
    void loop.run();
    await during(() => unreadable("locked"), 30_000);
    await during(() => unreadable("disk full"), 130_000);
    await during(() => readable({ ready: 0, unacked: 0 }), 20_000);
    await loop.stop();
    expect(reporter.of("observe.queue.unreadable")).toEqual([
      { program: "p", error: "locked", for_sec: 0 },
      { program: "p", error: "disk full", for_sec: 35 },
      { program: "p", error: "disk full", for_sec: 95 },
      { program: "p", error: "disk full", for_sec: 155 },
    ]);
    expect(reporter.of("observe.queue.recovered")).toEqual([{ program: "p", after_sec: 165 }]);
  });

  it("hangs no longer than the read timeout, and while the read hangs dead workers are replaced at once", async () => {
    const { loop, source, clock, pool, reporter, policy } = setup({ readTimeoutMs: 2_000 });
    const read = hanging<Reading<QueueReading>>();
    source.answer = () => read.promise;
    void loop.run();
    await clock.advance(1_999);
    expect(pool.resized).toEqual([]);
    await clock.advance(1);
    expect(pool.resized).toEqual([2]);
    expect(reporter.of("observe.queue.unreadable")[0]?.error).toBe("no answer within 2000 ms");

    for (let deaths = 0; deaths < 3; deaths += 1) {
      pool.die(pool.workers[0]?.identity.pid ?? 0);
      await settle();
      expect(pool.workers).toHaveLength(2);
    }
    expect(source.reads, "no read is piled up on the one that hangs").toBe(1);

    source.answer = () => readable({ ready: 9, unacked: 0 });
    read.release(await readable({ ready: 1, unacked: 0 }));
    await clock.advance(5_000);
    expect(policy.observations.at(-1)?.queue?.ready, "the late answer is stale").toBe(9);
    expect(source.reads).toBe(2);
    await loop.stop();
  });

  it("goes on without the directory while that hangs", async () => {
    const { loop, clock, pool } = setup({ readTimeoutMs: 2_000 });
    pool.refreshing = () => new Promise(() => undefined);
    const tick = loop.tick();
    await clock.advance(2_000);
    expect((await tick).decision.desired).toBe(2);
    expect((await loop.tick()).decision.desired).toBe(2);
  });
});

describe("DESIGN 2.7: wake and stop", () => {
  it("ticks at once, then at every poll", async () => {
    const { loop, clock, source } = setup();
    void loop.run();
    await settle();
    expect(source.reads).toBe(1);
    await clock.advance(4_999);
    expect(source.reads).toBe(1);
    await clock.advance(1);
    expect(source.reads).toBe(2);
    await loop.stop();
  });

  it("is woken by an exit at once, and keeps the cadence of its polls", async () => {
    const { loop, clock, pool, policy } = setup();
    void loop.run();
    await clock.advance(3_000);
    pool.die(pool.workers[0]?.identity.pid ?? 0);
    await settle();
    expect(pool.workers).toHaveLength(2);
    expect(policy.observations.map(({ dtSec }) => dtSec)).toEqual([0, 3]);
    await clock.advance(2_000);
    expect(policy.observations.map(({ dtSec }) => dtSec)).toEqual([0, 3, 2]);
    await loop.stop();
  });

  it("does not lose a wake that comes while a tick runs", async () => {
    const { loop, pool, source } = setup();
    const read = hanging<Reading<QueueReading>>();
    source.answer = () => read.promise;
    void loop.run();
    await settle();
    pool.wake();
    source.answer = () => readable({ ready: 0, unacked: 0 });
    read.release(await readable({ ready: 0, unacked: 0 }));
    await settle();
    expect(source.reads).toBe(2);
    await loop.stop();
  });

  it("does not make up for polls that were missed while the machine was suspended", async () => {
    const { loop, clock, source, policy } = setup();
    void loop.run();
    await settle();
    clock.nowMs += 3_601_000; // asleep: no timer fired
    await clock.advance(0);
    expect(source.reads).toBe(2);
    expect(policy.observations.at(-1)?.dtSec).toBe(3_601);
    await clock.advance(3_999);
    expect(source.reads).toBe(2);
    await clock.advance(1);
    expect(source.reads, "still on the grid of the first poll").toBe(3);
    await loop.stop();
  });

  it.each([
    { due: 100, now: 40, next: 100, note: "woken early" },
    { due: 100, now: 100, next: 110, note: "polled exactly when due" },
    { due: 100, now: 104, next: 110, note: "a quick tick" },
    { due: 100, now: 110, next: 120, note: "a tick of a whole interval" },
    { due: 100, now: 137, next: 140, note: "naive: 110, at once, three times" },
  ])("polls next at $next when the poll due at $due is over at $now ($note)", async ({ due, now, next }) => {
    const { nextPoll } = await import("../../src/loop/cadence.ts");
    expect(nextPoll(due, 10, now)).toBe(next);
  });

  it("stops only when the tick in flight has ended, and then leaves no timer and no subscription", async () => {
    const { loop, clock, pool, source } = setup();
    const read = hanging<Reading<QueueReading>>();
    source.answer = () => read.promise;
    const running = loop.run();
    await settle();
    let stopped = false;
    const stop = loop.stop().then(() => {
      stopped = true;
    });
    await settle();
    expect(stopped).toBe(false);
    read.release(await readable({ ready: 0, unacked: 0 }));
    await Promise.all([stop, running]);
    expect(pool.resized).toEqual([2]);
    expect(clock.pendingTimers).toBe(0);
    expect(pool.subscribers).toBe(0);
    pool.wake();
    await clock.advance(60_000);
    expect(source.reads).toBe(1);
  });

  it("may be stopped twice, before it runs, and run again", async () => {
    const { loop, source } = setup();
    await loop.stop();
    const running = loop.run();
    expect(loop.run()).toBe(running);
    await Promise.all([loop.stop(), loop.stop(), running]);
    await loop.stop();
    const again = loop.run();
    await settle();
    await loop.stop();
    await again;
    expect(source.reads).toBe(2);
  });

  it("stands a storm of starts, stops, wakes and ticks: never overlaps, always ends", async () => {
    const { loop, clock, pool, source } = setup();
    let inside = 0;
    let overlaps = 0;
    source.answer = async () => {
      inside += 1;
      overlaps += inside > 1 ? 1 : 0;
      await settle();
      inside -= 1;
      return readable({ ready: 0, unacked: 0 });
    };
    const hammer = async (seed: number) => {
      for (let i = 0; i < 50; i += 1) {
        const act = (seed * 7 + i * 3) % 5;
        if (act === 0) void loop.run();
        else if (act === 1) await loop.stop();
        else if (act === 2) pool.wake();
        else if (act === 3) await loop.tick();
        else await settle();
      }
    };
    const moving = { on: true };
    const time = (async () => {
      while (moving.on) await clock.advance(1_000);
    })();
    await Promise.all(Array.from({ length: 10 }, (_, seed) => hammer(seed)));
    await loop.stop();
    moving.on = false;
    await time;
    expect(overlaps).toBe(0);
    expect(pool.subscribers).toBe(0);
    expect(clock.pendingTimers).toBe(0);
  });
});

describe("DESIGN 8.1: slots that workers publish", () => {
  const view = (pid: number, slots: number) => ({ pid, startTime: `t${pid}`, slots, busy: 0 });

  it.each([
    { states: ["serving", "serving"], published: [8, 8], configured: 4, slots: 16, mismatch: 8, note: "all differ" },
    {
      states: ["serving", "starting"],
      published: [8],
      configured: 4,
      slots: 16,
      mismatch: 8,
      note: "one still starts",
    },
    {
      states: ["serving", "serving", "starting"],
      published: [1, 2],
      configured: undefined,
      slots: 5,
      mismatch: null,
      note: "whole",
    },
    {
      states: ["serving", "serving"],
      published: [4, 4],
      configured: 4,
      slots: 8,
      mismatch: null,
      note: "as configured",
    },
    {
      states: ["serving", "draining"],
      published: [4, 8],
      configured: 4,
      slots: 4,
      mismatch: null,
      note: "draining is not current",
    },
    {
      states: ["serving", "serving"],
      published: [2, 6],
      configured: 4,
      slots: 8,
      mismatch: 4,
      note: "naive: the mean matches",
    },
    { states: ["starting"], published: [], configured: 4, slots: undefined, mismatch: null, note: "nobody published" },
  ] as const)("makes $slots of $states with $published published and $configured configured ($note)", async (row) => {
    const { loop, pool, reporter } = setup(
      row.configured === undefined ? {} : { slotsPerWorker: row.configured },
      row.states.length,
    );
    const pids = row.states.map((state) => pool.add(state));
    pool.views = [...row.published.map((slots, i) => view(pids[i] ?? 0, slots)), view(9_999, 50)];
    const { observation } = await loop.tick();
    expect(observation.workers.slots).toBe(row.slots);
    expect(reporter.of("observe.slots.mismatched").map((each) => each.measured_slots)).toEqual(
      row.mismatch === null ? [] : [row.mismatch],
    );
  });

  it("does not believe a view whose pid has another start time", async () => {
    const { loop, pool } = setup({ slotsPerWorker: 4 });
    const pid = pool.add();
    pool.views = [{ pid, startTime: "earlier", slots: 9, busy: 0 }];
    expect((await loop.tick()).observation.workers.slots).toBeUndefined();
  });

  it("says a mismatch once, and again when it has changed or come back", async () => {
    const { loop, pool, reporter } = setup({ slotsPerWorker: 4 }, 1);
    const pid = pool.add();
    for (const slots of [8, 8, 8, 6, 6, 4, 4, 6]) {
      pool.views = [view(pid, slots)];
      await loop.tick();
    }
    expect(reporter.of("observe.slots.mismatched").map((each) => each.measured_slots)).toEqual([8, 6, 6]);
  });
});

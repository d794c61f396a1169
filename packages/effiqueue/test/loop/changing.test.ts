/** Programs that come, go and change while the loop runs. */
import { ControlLoop, type ProgramOptions } from "effiqueue";
import { sharedBudget } from "effiqueue/decide";
import { describe, expect, it } from "vitest";
import type { Learned } from "../../src/model/learned.ts";
import { EventLog, FakeClock, FakeMemory, FakePolicy, FakePool, FakeSource, Records, unreadable } from "./fakes.ts";

const fakes = (program: string, firstPid: number) => ({
  program,
  source: new FakeSource(),
  pool: new FakePool(firstPid),
  policy: new FakePolicy(1),
});

function setup(more: Pick<ProgramOptions, "limits" | "calendar"> = {}) {
  const clock = new FakeClock();
  const reporter = new EventLog();
  const records = new Records();
  const a = { ...fakes("a", 100), ...more };
  const loop = new ControlLoop({
    programs: [a],
    clock,
    reporter,
    pollIntervalMs: 5_000,
    listener: records,
    memory: new FakeMemory(),
    budget: sharedBudget({ headroomBytes: 0 }),
  });
  return { clock, reporter, records, a, loop };
}

const GIB = 1024 ** 3;
const limits = { minWorkers: 0, maxWorkers: 9, sloDrainTime: 30 };

describe("DESIGN 7.15: a loop whose programs change", () => {
  it("ticks a program that joins at once, and then on the grid of the others", async () => {
    const { clock, loop, records } = setup();
    void loop.run();
    await clock.advance(12_000);
    const b = fakes("b", 200);
    loop.add(b);
    await clock.advance(9_000);
    const grid = records.of("a").map(({ at }) => at);
    expect(records.of("b").map(({ at }) => at - (grid[0] ?? 0))).toEqual([12_000, 15_000, 20_000]);
    expect(() => loop.add(b)).toThrow(RangeError);
    await loop.stop();
    expect([clock.pendingTimers, b.pool.subscribers]).toEqual([0, 0]);
  });

  it("ends with the last program, whoever came and went before", async () => {
    const { clock, loop } = setup();
    const ended = loop.run();
    loop.add(fakes("b", 200));
    loop.drop("a");
    await clock.advance(6_000);
    await expect(Promise.race([ended, Promise.resolve("runs")])).resolves.toBe("runs");
    loop.drop("b");
    await ended;
  });

  it("has no tick for who joins when it stops", async () => {
    const { clock, loop, records } = setup();
    void loop.run();
    await clock.advance(1_000);
    const stopped = loop.stop();
    loop.add(fakes("b", 200));
    await stopped;
    await clock.advance(20_000);
    expect(records.of("b")).toEqual([]);
  });

  it("gives a program its new options for a tick of now, with what it has learned", async () => {
    const { clock, loop, a } = setup();
    void loop.run();
    await clock.advance(7_000);
    expect(a.policy.stepsSeen).toEqual([0, 1]);
    const policy = new FakePolicy(3);
    await loop.change({ ...a, policy });
    expect(policy.stepsSeen).toEqual([2]);
    expect(policy.observations[0]?.dtSec).toBe(2);
    expect(a.pool.counts().serving).toBe(3);
    await loop.stop();
  });

  it("begins anew with another queue, and asks the one before no more", async () => {
    const { clock, loop, a } = setup();
    void loop.run();
    await clock.advance(7_000);
    const [reads, source] = [a.source.reads, new FakeSource({ ready: 7, unacked: 0 })];
    await loop.change({ ...a, source });
    expect(a.policy.stepsSeen.at(-1)).toBe(0);
    expect(a.policy.observations.at(-1)).toMatchObject({ dtSec: 0, queue: { ready: 7 } });
    await clock.advance(20_000);
    expect(a.source.reads).toBe(reads);
    await loop.stop();
  });

  it("waits for the tick in flight, which keeps the options it began with", async () => {
    const { clock, loop, a } = setup();
    let answer: () => void = () => undefined;
    a.source.answer = () =>
      new Promise((resolve) => {
        answer = () => void unreadable("late").then(resolve);
      });
    void loop.run();
    await clock.advance(100);
    const policy = new FakePolicy(2);
    const changed = loop.change({ ...a, source: new FakeSource(), policy });
    await clock.advance(100);
    expect(policy.observations).toEqual([]);
    answer();
    await changed;
    expect([a.policy.observations.length, policy.observations.length]).toEqual([1, 1]);
    await loop.stop();
  });

  it("says what ends with a change: a schedule, an outage, a gap", async () => {
    const span = { name: "night", minWorkers: 2, maxWorkers: undefined, until: 1e12 } as never;
    const { loop, a, reporter } = setup({ limits, calendar: { at: () => [span] } });
    a.source.answer = () => unreadable("the broker is away");
    await loop.tick("a");
    expect(reporter.of("loop.schedule.started")).toHaveLength(1);
    await loop.change({ ...a, calendar: undefined, source: new FakeSource() });
    expect(reporter.of("loop.schedule.ended")).toEqual([{ program: "a", schedule: "night" }]);
    expect(reporter.of("observe.queue.recovered")).toHaveLength(1);
  });

  it("shares another budget from the next tick on", async () => {
    const { loop, a } = setup({ limits });
    await loop.tick("a");
    expect(a.policy.observations.at(-1)?.budgetBytes).toBeGreaterThan(3 * GIB);
    loop.share(sharedBudget({ ramBudgetBytes: 3 * GIB }));
    await loop.tick("a");
    expect(a.policy.observations.at(-1)?.budgetBytes).toBe(3 * GIB);
  });

  it("refuses a change of a program that it does not have", async () => {
    await expect(setup().loop.change(fakes("b", 200))).rejects.toThrow(RangeError);
  });
});

describe("DESIGN 7.18: what a loop keeps for the next one", () => {
  it("keeps what was learned once a minute and at the end, and nothing where nothing was learned", async () => {
    const kept: Learned[] = [];
    let learned: Learned = { mu: null, lambda: null, workerBytes: null, grownBytes: null };
    const policy = Object.assign(new FakePolicy(1), { learned: () => learned });
    const clock = new FakeClock();
    const program = { ...fakes("a", 100), policy, keep: (each: Learned) => void kept.push(each) };
    const loop = new ControlLoop({ programs: [program], clock, reporter: new EventLog(), pollIntervalMs: 5_000 });
    void loop.run();
    await clock.advance(119_000);
    expect(kept).toEqual([]);
    learned = { ...learned, workerBytes: GIB };
    await clock.advance(121_000);
    expect(kept).toEqual([learned, learned, learned]);
    await loop.stop();
    expect(kept).toHaveLength(4);
  });

  it("keeps the first mu at once, which took longest to learn, and from then on once a minute", async () => {
    const kept: Learned[] = [];
    let learned: Learned = { mu: null, lambda: null, workerBytes: GIB, grownBytes: null };
    const policy = Object.assign(new FakePolicy(1), { learned: () => learned });
    const clock = new FakeClock();
    const program = { ...fakes("a", 100), policy, keep: (each: Learned) => void kept.push(each) };
    const loop = new ControlLoop({ programs: [program], clock, reporter: new EventLog(), pollIntervalMs: 5_000 });
    void loop.run();
    await clock.advance(20_000);
    expect(kept).toEqual([]);
    learned = { ...learned, mu: { value: 8, interval: null, source: 1 } };
    await clock.advance(5_000);
    expect(kept).toEqual([learned]);
    await clock.advance(55_000);
    expect(kept).toHaveLength(1);
    await clock.advance(5_000);
    expect(kept).toHaveLength(2);
    await loop.stop();
  });
});

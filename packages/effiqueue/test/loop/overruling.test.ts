/** What an operator told a program, as time goes by. */
import { describe, expect, it, onTestFinished } from "vitest";
import { limitsUnder } from "../../src/loop/overruling.ts";
import { settle } from "./fakes.ts";
import { GB, loopOf, MB, type SloProgram, saturated, sloProgram } from "./slo-programs.ts";

const POLL_MS = 10_000;

/** Nothing to do, so every program goes to its floor of 2 as fast as it may. */
const idle = (name = "p", firstPid = 100): SloProgram =>
  sloProgram(name, { mode: "threshold", minWorkers: 2, maxWorkers: 10, cooldownTicks: 0 }, firstPid);

async function running(...programs: SloProgram[]) {
  const parts = loopOf(programs, { ramBudgetBytes: 64 * GB });
  const ended = parts.loop.run();
  onTestFinished(async () => {
    await parts.loop.stop();
    await ended;
  });
  await settle();
  return parts;
}

const live = ({ pool }: SloProgram): number => pool.counts().starting + pool.counts().serving;

describe("DESIGN 7.13: an override", () => {
  it("holds at once, and ends when it is taken back", async () => {
    const program = idle();
    const { loop, reporter, clock, records } = await running(program);
    expect(live(program)).toBe(2);
    loop.override("p", { kind: "scale", workers: 3 });
    await settle();
    expect(live(program)).toBe(3);
    expect(records.all.at(-1)?.observation.override).toEqual({ kind: "scale", atLeast: 3, atMost: 3 });
    await clock.advance(5 * POLL_MS);
    expect(live(program)).toBe(3);
    expect(loop.resume("p")).toBe(true);
    await settle();
    expect(live(program)).toBe(2);
    expect(reporter.of("loop.override.started")).toEqual([
      { program: "p", override: "scale", workers: 3, until: null },
    ]);
    expect(reporter.of("loop.override.ended")).toEqual([{ program: "p", override: "scale", why: "resumed" }]);
  });

  it("ends by the monotonic clock, at its moment and not at the next poll", async () => {
    const program = idle();
    const { loop, reporter, clock } = await running(program);
    const until = new Date(clock.wallMs() + 3_000).toISOString();
    loop.override("p", { kind: "drain", workers: 0, forMs: 3_000 });
    await settle();
    expect(live(program)).toBe(0);
    clock.wallOffsetMs = 24 * 3_600_000;
    await clock.advance(2_999);
    expect(live(program)).toBe(0);
    await clock.advance(1);
    expect(live(program)).toBe(2);
    expect(reporter.of("loop.override.started")).toMatchObject([{ override: "drain", until }]);
    expect(reporter.of("loop.override.ended")).toEqual([{ program: "p", override: "drain", why: "expired" }]);
  });

  it("asks nobody any more when its time is over after the loop", async () => {
    const program = idle();
    const { loop, clock } = await running(program);
    loop.override("p", { kind: "drain", workers: 0, forMs: 3_000 });
    await settle();
    await loop.stop();
    const { reads } = program.source;
    await clock.advance(POLL_MS);
    expect(program.source.reads).toBe(reads);
    expect(live(program)).toBe(0);
  });

  it("is replaced by the next, whose time is its own", async () => {
    const program = idle();
    const { loop, reporter, clock } = await running(program);
    loop.override("p", { kind: "scale", workers: 3, forMs: 1_000 });
    await settle();
    loop.override("p", { kind: "pause", forMs: 60_000 });
    await clock.advance(30_000);
    expect(live(program)).toBe(3);
    expect(reporter.of("loop.override.ended")).toEqual([{ program: "p", override: "scale", why: "replaced" }]);
  });

  it("pauses at what the pool is meant to be, so that the dead are replaced", async () => {
    const program = idle();
    const { loop, reporter, clock } = await running(program);
    const [first = 0] = program.pool.snapshot().map(({ identity }) => identity.pid);
    // Nobody has noticed yet that one is missing.
    program.pool.workers = program.pool.workers.filter(({ identity }) => identity.pid !== first);
    loop.override("p", { kind: "pause" });
    expect(reporter.of("loop.override.started")).toMatchObject([{ workers: 2 }]);
    await settle();
    expect(live(program)).toBe(2);
    program.source.answer = () =>
      Promise.resolve({ kind: "ok", value: { ready: 500, unacked: 2 }, at: clock.monotonicMs() });
    await clock.advance(5 * POLL_MS);
    expect(live(program)).toBe(2);
  });

  it("lets the pool go one way, and not come back", async () => {
    const program = idle();
    const { loop, clock } = await running(program);
    const queue = (ready: number): void => {
      program.source.answer = () =>
        Promise.resolve({ kind: "ok", value: { ready, unacked: 0 }, at: clock.monotonicMs() });
    };
    loop.override("p", { kind: "pause-in" });
    queue(500);
    await clock.advance(3 * POLL_MS);
    const grown = live(program);
    expect(grown).toBeGreaterThan(3);
    queue(0);
    await clock.advance(10 * POLL_MS);
    expect(live(program)).toBe(grown);

    loop.override("p", { kind: "pause-out" });
    await clock.advance(POLL_MS);
    const shrunk = live(program);
    expect(shrunk).toBeLessThan(grown);
    queue(500);
    await clock.advance(10 * POLL_MS);
    expect(live(program)).toBe(shrunk);
    loop.resume("p");
    await clock.advance(5 * POLL_MS);
    expect(live(program)).toBeGreaterThan(shrunk);
  });

  it("is for one program, and an unknown one is refused", async () => {
    const [one, two] = [idle("one"), idle("two", 200)];
    const { loop } = await running(one, two);
    loop.override("one", { kind: "scale", workers: 3 });
    await settle();
    expect([live(one), live(two)]).toEqual([3, 2]);
    for (const tell of [
      () => loop.override("three", { kind: "pause" }),
      () => loop.resume("three"),
      () => loop.restart("three"),
    ]) {
      expect(tell).toThrow("program: expected one of one, two, got three");
    }
  });
});

describe("DESIGN 7.13: an override in a shared budget", () => {
  it.each([
    ["nothing", undefined, { minWorkers: 2, maxWorkers: 10, floor: 2 }],
    ["a number", { kind: "scale", atLeast: 6, atMost: 6 }, { minWorkers: 6, maxWorkers: 6, floor: 2 }],
    ["a number below the floor", { kind: "scale", atLeast: 1, atMost: 1 }, { minWorkers: 1, maxWorkers: 1, floor: 1 }],
    [
      "a number above the ceiling of a schedule",
      { kind: "scale", atLeast: 12, atMost: 12 },
      { minWorkers: 10, maxWorkers: 10, floor: 2 },
    ],
    ["a drain", { kind: "drain", atLeast: 0, atMost: 0 }, { minWorkers: 0, maxWorkers: 0, floor: 0 }],
    ["no scaling in", { kind: "pause-in", atLeast: 5, atMost: null }, { minWorkers: 5, maxWorkers: 10, floor: 2 }],
    ["no scaling out", { kind: "pause-out", atLeast: 0, atMost: 5 }, { minWorkers: 2, maxWorkers: 5, floor: 2 }],
  ] as const)("wants and has by %s", (_, override, expected) => {
    expect(limitsUnder(override, { minWorkers: 2, maxWorkers: 10 })).toEqual(expected);
  });

  it("leaves to the others what a drained program held", async () => {
    const [one, two] = [sloProgram("one", {}), sloProgram("two", {}, 1_000)];
    for (const each of [one, two]) {
      each.source.answer = () => {
        const value = saturated(each, { mu: 1, lambda: 500, backlog: 50_000 });
        return Promise.resolve({ kind: "ok" as const, value, at: clock.monotonicMs() });
      };
    }
    const { loop, clock, memory } = loopOf([one, two], { ramBudgetBytes: 10_000 * MB });
    memory.workerBytes = () => 1_000 * MB;
    const ended = loop.run();
    await clock.advance(60 * POLL_MS);
    expect([live(one), live(two)]).toEqual([5, 5]);
    loop.override("one", { kind: "drain", workers: 0 });
    await clock.advance(60 * POLL_MS);
    expect([live(one), live(two)]).toEqual([0, 10]);
    await loop.stop();
    await ended;
  });
});

import { describe, expect, it } from "vitest";
import { readable, settle } from "./fakes.ts";
import { GB, loopOf, MB, type SloProgram, saturated, sloProgram } from "./slo-programs.ts";

/** Two programs whose backlog no machine holds workers for; the larger workers take 200 MB. */
function hungry(optionsOfB: object = {}) {
  const a = sloProgram("a", { ramBudget: "1GB" }, 100);
  const b = sloProgram("b", { ramBudget: "1GB", ...optionsOfB }, 1_000);
  const all = loopOf([a, b], { ramBudgetBytes: GB });
  all.memory.workerBytes = (pid) => (pid >= 1_000 ? 200 * MB : 100 * MB);
  const load = { mu: 5, lambda: 100, backlog: 90_000 };
  const feed = (program: SloProgram, backlog = load.backlog, lambda = backlog > 0 ? load.lambda : 0) => {
    program.source.answer = () => readable(saturated(program, { ...load, backlog, lambda }));
  };
  feed(a);
  feed(b);
  const live = () => [a, b].map(({ pool }) => pool.counts().serving);
  const reserved = () => a.pool.counts().serving * 100 * MB + b.pool.counts().serving * 200 * MB;
  /** Polls, the programs in turn; whoever grew left the reservations within the budget. */
  const polls = async (count: number, names = ["a", "b"]) => {
    for (let i = 0; i < count; i += 1) {
      for (const name of names) {
        const { decision } = await all.loop.tick(name);
        // The first worker of an empty pool starts in any case.
        if (decision.action === "grow" && decision.desired > 1) expect(reserved()).toBeLessThanOrEqual(GB);
      }
      all.clock.nowMs += 10_000;
    }
  };
  return { ...all, a, b, feed, live, reserved, polls };
}

/** Small and large workers that halve the budget as far as whole workers can. */
const HALVES = [
  [4, 3],
  [5, 2],
  [6, 2],
];

describe("DESIGN 7.8: two hungry programs on one loop", () => {
  it("take half each of the budget, whoever decides first, and stay there", async () => {
    for (const order of [
      ["a", "b"],
      ["b", "a"],
    ]) {
      const { polls, live } = hungry();
      await polls(15, order);
      const [small = 0, large = 0] = live();
      // 400 to 600 each of 1,024 MB: as near as whole workers come.
      expect(HALVES).toContainEqual([small, large]);
      await polls(20, order);
      expect(live()).toEqual([small, large]);
    }
  });

  it("a late one gets its share back from one that has it all, and returns it when it has nothing to do", async () => {
    const { b, feed, polls, live } = hungry();
    feed(b, 0);
    await polls(15);
    expect(live()).toEqual([10, 0]);
    feed(b);
    await polls(20);
    expect(HALVES).toContainEqual(live());
    feed(b, 0);
    await polls(60);
    expect(live()[0]).toBe(10);
  });

  it("one that comes first gets what it needs, and what the other holds above its floor", async () => {
    const { b, feed, polls, live } = hungry({ priority: 1 });
    feed(b, 0);
    await polls(15);
    expect(live()).toEqual([10, 0]);
    feed(b, 4_000);
    await polls(40);
    // All that is left beside one worker of the other: 4 x 200 and 2 x 100 of 1,024 MB.
    expect(live()).toEqual([2, 4]);
    const settled = live();
    await polls(20);
    expect(live()).toEqual(settled);
    feed(b, 0);
    await polls(60);
    expect(live()[0]).toBe(10);
  });

  it("of two that come at once the one with three times the work gets more workers", async () => {
    const { a, b, feed, polls, live } = hungry();
    feed(a, 90_000, 1);
    feed(b, 270_000, 1);
    await polls(60);
    // Half of the bytes each would be five small ones and two large ones.
    expect(live()).toEqual([2, 4]);
    await polls(20);
    expect(live()).toEqual([2, 4]);
  });

  it("does not keep memory free for a command that crashes", async () => {
    const { b, polls, live } = hungry();
    b.pool.backoffSec = 30;
    b.pool.resize = () => Promise.resolve();
    await polls(15);
    expect(live()).toEqual([10, 0]);
  });

  it("reserves nothing for a program that was dropped", async () => {
    const { loop, clock, polls, live } = hungry();
    await polls(15);
    expect(HALVES).toContainEqual(live());
    loop.drop("b");
    for (let i = 0; i < 10; i += 1) {
      await loop.tick("a");
      clock.nowMs += 10_000;
    }
    expect(live()[0]).toBe(10);
  });

  it("reserves what has been ordered and is not there yet", async () => {
    const { a, b, loop, records, polls, feed } = hungry();
    feed(b, 0);
    await polls(1);
    feed(b);
    let release: () => void = () => undefined;
    const resize = a.pool.resize.bind(a.pool);
    a.pool.resize = async (desired) => {
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      return resize(desired);
    };
    const before = a.pool.counts().serving;
    const tick = loop.tick("a");
    await settle();
    await loop.tick("b");
    release();
    const { decision } = await tick;
    expect(decision.desired).toBeGreaterThan(before);
    expect(records.of("b").at(-1)?.budgetBytes).toBeLessThanOrEqual(GB - decision.desired * 100 * MB);
  });

  it("shares what the machine has, where the budget is derived", async () => {
    const a = sloProgram("a", { ramHeadroom: "2GB" }, 100);
    const b = sloProgram("b", { ramHeadroom: "2GB" }, 1_000);
    const { loop, clock, memory } = loopOf([a, b], { headroomBytes: 2 * GB });
    memory.workerBytes = () => 256 * MB;
    for (const each of [a, b])
      each.source.answer = () => readable(saturated(each, { mu: 5, lambda: 99, backlog: 9e4 }));
    for (let i = 0; i < 20; i += 1) {
      for (const name of ["a", "b"]) {
        const workers = a.pool.counts().serving + b.pool.counts().serving;
        memory.machine = { ...memory.machine, totalBytes: 8 * GB, usedBytes: 2 * GB + workers * 256 * MB };
        await loop.tick(name);
      }
      clock.nowMs += 10_000;
    }
    // 8 GB less 2 in use by others less 2 of headroom are 4 GB, sixteen workers.
    expect([a, b].map(({ pool }) => pool.counts().serving)).toEqual([8, 8]);
  });
});

describe("DESIGN 2.5: an empty pool may start", () => {
  it("on a machine that swaps beyond the cap, with a backlog waiting, and then grows no further", async () => {
    const a = sloProgram("a", {});
    const { loop, clock, records, memory } = loopOf([a], { headroomBytes: 2 * GB });
    memory.machine = { ...memory.machine, swapUsedBytes: 9 * GB, swapTotalBytes: 10 * GB };
    a.source.answer = () => readable({ ready: 5_000, unacked: 0 });
    for (let i = 0; i < 5; i += 1) {
      await loop.tick("a");
      clock.nowMs += 10_000;
    }
    expect(a.pool.counts().serving).toBe(1);
    expect(records.all.at(-1)?.decision).toMatchObject({ capacity: 1, boundBy: "swap" });
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bytesBeyond, workerMark } from "../../src/decide/shared/worker-mark.ts";
import { Driver, MB } from "./slo/drive.ts";

const seen = (...sizes: number[]) => ({
  poolBytes: 0,
  largestWorkerBytes: Math.max(0, ...sizes),
  workers: sizes.map((bytes, i) => ({ pid: 100 + i, ageSec: 0, bytes })),
});
const reading = (...sizes: number[]) => ({
  totalBytes: null,
  usedBytes: null,
  swapUsedBytes: null,
  swapTotalBytes: null,
  ...seen(...sizes),
});
const markOf = (sizes: readonly number[], remembered: number | null = null, dtSec = 0, maxBytes?: number) =>
  workerMark(reading(...sizes), remembered, { dtSec, maxBytes });

describe("DESIGN 2.10: what a worker takes", () => {
  it.each<{ sizes: number[]; before?: number; mark: number | null; note: string }>([
    { sizes: [], mark: null, note: "nobody was measured" },
    { sizes: [20], mark: 20, note: "one worker is all that is known" },
    { sizes: [40], before: 20, mark: 40, note: "it has grown" },
    { sizes: [20, 90], mark: 90, note: "two are no rule, so the larger counts" },
    { sizes: [100, 90, 20], mark: 90, note: "two are as large; naive: the mean, 70" },
    { sizes: [100, 1000, 90], mark: 100, note: "one is odd; naive: the largest, 1000" },
    { sizes: [1000, 100, 1000], mark: 1000, note: "two are a rule" },
    { sizes: [1000, 90], before: 100, mark: 100, note: "one is odd beside what is remembered" },
    { sizes: [1000], before: 100, mark: 1000, note: "who is alone is the rule" },
    { sizes: [20, 20, 20], before: 100, mark: 100, note: "all were replaced, and have not grown yet" },
    { sizes: [], before: 100, mark: 100, note: "nobody is left to measure" },
  ])("is $mark of $sizes after $before: $note", ({ sizes, before = null, mark }) => {
    expect(markOf(sizes, before)).toBe(mark);
  });

  it("follows workers that have become smaller by half in ten minutes, however many ticks those are", () => {
    expect(markOf([20, 20, 20], 1_000_000, 600)).toBe(500_000);
    let mark: number | null = 1_000_000;
    for (let tick = 0; tick < 60; tick += 1) mark = markOf([20, 20, 20], mark, 10);
    expect(mark).toBeGreaterThanOrEqual(500_000);
    expect(mark).toBeLessThan(500_100);
  });

  it("does not fade while there is nobody to measure", () => {
    expect(markOf([], 100, 86_400)).toBe(100);
  });

  it("is no more than a worker may take", () => {
    expect(markOf([400, 500, 600], null, 0, 300)).toBe(300);
  });

  it("takes the largest where a reading does not tell of each", () => {
    const { workers: _, ...rest } = reading(70, 20, 20);
    expect(workerMark(rest, null, { dtSec: 0 })).toBe(70);
  });

  it("leaves to a worker what it takes beyond the mark", () => {
    expect(bytesBeyond(reading(100, 1000, 90), 100)).toBe(900);
    expect(bytesBeyond(reading(100, 90), 100)).toBe(0);
  });

  it("never makes more of what there is: what is reserved covers what every worker has", () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 5_000 }), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(sizes, fc.option(fc.integer({ min: 1, max: 5_000 })), fc.nat(3_000), (all, before, dtSec) => {
        const mark = markOf(all, before, dtSec) ?? 0;
        const reserved = all.length * mark + bytesBeyond(reading(...all), mark);
        expect(reserved).toBeGreaterThanOrEqual(all.reduce((sum, each) => sum + each, 0));
        expect(mark).toBeLessThanOrEqual(Math.max(...all, before ?? 0));
      }),
    );
  });
});

describe("DESIGN 2.10: the capacity of a pool of unlike workers", () => {
  const ten = (odd: number) => ({ serving: 10, memory: seen(odd, ...Array.from({ length: 9 }, () => 100 * MB)) });

  it("is not halved by one that is odd, but lacks what that one takes", () => {
    const driver = new Driver({ maxWorkers: 100, ramBudget: "2000MB" });
    expect(driver.tick(ten(100 * MB)).capacity).toBe(20);
    // Naive: 2000 / 1000, 2.
    expect(driver.tick(ten(1000 * MB))).toMatchObject({ capacity: 11, boundBy: "ram", workerBytes: 100 * MB });
    expect(driver.tick(ten(100 * MB)).capacity).toBe(20);
  });

  it("does not collapse under workers that leak, where those are replaced", () => {
    const leastOf = (options: object) => {
      const driver = new Driver({ maxWorkers: 100, ramBudget: "4000MB", ...options });
      // Eight of different ages leak; each is replaced some time after it has passed 500 MB.
      const sizes = (tick: number) => Array.from({ length: 8 }, (_, i) => (100 + 40 * ((tick + 7 * i) % 20)) * MB);
      const capacities = Array.from(
        { length: 100 },
        (_, tick) => driver.tick({ serving: 8, memory: seen(...sizes(tick)) }).capacity,
      );
      return Math.min(...capacities);
    };
    expect(leastOf({ maxWorkerMemory: "500MB" })).toBe(5);
    expect(leastOf({})).toBe(4);
  });
});

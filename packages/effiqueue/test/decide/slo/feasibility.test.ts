import { describe, expect, it } from "vitest";
import { busy, Driver, GB, MB } from "./drive.ts";

const seen = { n: 24, mu: 8, lambda: 200, ready: 49_976 };
const workers = { memory: { poolBytes: 24 * 512 * MB, largestWorkerBytes: 512 * MB } };

describe("DESIGN 3.3: the worked example, to the digit", () => {
  it("78 needed, 24 fit, 54 are missing, which is 27 GiB, and the queue never drains", () => {
    const driver = new Driver({ sloDrainTime: "2m", maxWorkers: 100, ramBudget: "12GB" });
    expect(driver.tick({ ...busy(seen), ...workers })).toMatchObject({
      mu: 8,
      lambda: 200,
      muSource: 1,
      needed: 78,
      capacity: 24,
      boundBy: "ram",
      gap: { workers: 54, bytes: 27 * GB, bestDrainSec: Number.POSITIVE_INFINITY },
      desired: 24,
      reason: "ram",
    });
  });
});

describe("DESIGN 3.1: an SLO that cannot be kept", () => {
  it("pins the pool to what the machine can hold", () => {
    const driver = new Driver({ sloDrainTime: 120, maxWorkers: 100, ramBudget: "12GB" });
    expect(driver.ticks(20, (tick) => ({ ...busy(seen, tick), ...workers })).desired).toBe(24);
  });

  it("names the ceiling when that is what binds, and counts the memory that more workers would take", () => {
    const driver = new Driver({ sloDrainTime: 120, maxWorkers: 30 });
    const decision = driver.tick({ ...busy({ ...seen, n: 30, ready: 49_970 }), ...workers });
    expect(decision).toMatchObject({ needed: 78, capacity: 30, boundBy: "max_workers", reason: "max-workers" });
    expect(decision.gap).toEqual({ workers: 48, bytes: 24 * GB, bestDrainSec: 50_000 / (8 * 30 - 200) });
  });

  it("is no gap when the capacity is exactly enough", () => {
    const driver = new Driver({ sloDrainTime: 120, maxWorkers: 78 });
    const decision = driver.tick({ ...busy({ ...seen, n: 78, ready: 49_922 }), ...workers });
    expect(decision).toMatchObject({ needed: 78, capacity: 78, gap: null });
  });

  it("does not know the memory that is missing before a worker was measured", () => {
    const driver = new Driver({ sloDrainTime: 120, maxWorkers: 30 });
    expect(driver.tick(busy({ ...seen, n: 30, ready: 49_970 })).gap).toMatchObject({ workers: 48, bytes: null });
  });

  it("is unknown, not absent of trouble, while the queue cannot be read", () => {
    const driver = new Driver({ sloDrainTime: 120, maxWorkers: 30 });
    driver.tick(busy({ ...seen, n: 30, ready: 49_970 }));
    expect(driver.tick({ queue: null, serving: 30 })).toMatchObject({ needed: null, gap: null, desired: 30 });
  });
});

describe("DESIGN 2.6: a queue that others work on as well", () => {
  const load = { n: 8, mu: 4, lambda: 20, ready: 600 };
  /** Four of ours and as many strangers, all of them busy. */
  const shared = (tick: number, consumers = 8) => {
    const seen = busy(load, tick);
    return { ...seen, serving: 4, queue: { ...seen.queue, consumers } };
  };

  it("leaves to them what they do, once they have stayed for twelve looks", () => {
    const driver = new Driver({ maxWorkers: 4 });
    // (608 + 20 x 60) / (4 x 60) is 8.
    expect(driver.ticks(11, shared)).toMatchObject({ needed: 8, gap: { workers: 4 } });
    expect(driver.ticks(1, () => shared(11))).toMatchObject({ needed: 4, gap: null });
  });

  it("needs workers in their place at the first look without them", () => {
    const driver = new Driver({ maxWorkers: 4 });
    driver.ticks(12, shared);
    expect(driver.tick(shared(12, 6))).toMatchObject({ needed: 6, gap: { workers: 2 } });
  });

  it("leaves nothing to consumers that a broker is late to count out", () => {
    const driver = new Driver({ maxWorkers: 4 });
    const late = (tick: number) => shared(tick, tick % 5 === 0 ? 4 : 8);
    expect(driver.ticks(40, late)).toMatchObject({ needed: 8 });
  });

  it("is the seed's need with max_step = 1", () => {
    const driver = new Driver({ maxWorkers: 4, maxStep: 1 });
    expect(driver.ticks(20, shared)).toMatchObject({ needed: 8 });
  });
});

describe("DESIGN 3.2: the best drain time", () => {
  it.each([
    [0.1, 3, 0.3, "exactly as much arrives; doubles say that 3 x 0.1 is more"],
    [4, 3, 12, "exactly as much arrives"],
    [4, 3, 12.5, "more arrives"],
  ])("is never, when a worker does %d/s, %d fit and %d/s arrive (%s)", (mu, maxWorkers, lambda) => {
    const driver = new Driver({ maxWorkers });
    const decision = driver.ticks(3, (tick) => busy({ n: maxWorkers, mu, lambda, ready: 5_000 }, tick));
    expect(decision.gap?.bestDrainSec).toBe(Number.POSITIVE_INFINITY);
  });

  it("is finite as soon as less arrives", () => {
    const driver = new Driver({ maxWorkers: 3 });
    const decision = driver.ticks(3, (tick) => busy({ n: 3, mu: 4, lambda: 11.5, ready: 4_997 }, tick));
    expect(decision.gap?.bestDrainSec).toBe(5_000 / 0.5);
  });
});

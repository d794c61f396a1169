import { describe, expect, it } from "vitest";
import { Driver, GB, MB, type Seen } from "./drive.ts";

const capacityOf = (options: object, seen: Seen) => {
  const { capacity, boundBy } = new Driver({ maxWorkers: 100, ...options }).tick(seen);
  return { capacity, boundBy };
};

describe("DESIGN 2.5: what the machine can hold", () => {
  it("is the budget over the largest live worker", () => {
    const memory = { largestWorkerBytes: 512 * MB };
    expect(capacityOf({ ramBudget: "12GB" }, { serving: 3, memory })).toEqual({ capacity: 24, boundBy: "ram" });
  });

  it("without a budget is what the machine has, less what is not ours, less the headroom", () => {
    const memory = { totalBytes: 16 * GB, usedBytes: 7 * GB, poolBytes: 2 * GB, largestWorkerBytes: GB };
    expect(capacityOf({}, { serving: 2, memory })).toEqual({ capacity: 9, boundBy: "ram" });
    expect(capacityOf({ ramHeadroom: "4GB" }, { serving: 2, memory })).toEqual({ capacity: 7, boundBy: "ram" });
  });

  it("is not above the ceiling, which then binds", () => {
    const seen = { serving: 1, memory: { largestWorkerBytes: MB } };
    expect(capacityOf({ maxWorkers: 7 }, seen)).toEqual({ capacity: 7, boundBy: "max_workers" });
  });

  it("keeps the memory of draining workers for them", () => {
    const seen = { serving: 2, draining: 3, memory: { largestWorkerBytes: 512 * MB } };
    expect(capacityOf({ ramBudget: "4GB" }, seen)).toEqual({ capacity: 5, boundBy: "ram" });
  });

  it("is what the other programs leave of a shared budget", () => {
    const seen = { serving: 2, memory: { largestWorkerBytes: 512 * MB }, budgetBytes: 3 * GB };
    expect(capacityOf({ ramBudget: "12GB" }, seen)).toEqual({ capacity: 6, boundBy: "ram" });
    expect(capacityOf({ ramBudget: "1GB" }, seen)).toEqual({ capacity: 2, boundBy: "ram" });
  });

  it("reckons with the size that workers had before they were replaced", () => {
    const driver = new Driver({ maxWorkers: 100, ramBudget: "12GB" });
    driver.tick({ serving: 10, memory: { largestWorkerBytes: GB } });
    expect(driver.tick({ serving: 10, memory: { largestWorkerBytes: 64 * MB } }).capacity).toBe(12);
    expect(driver.ticks(300, { serving: 10, memory: { largestWorkerBytes: 64 * MB } }).capacity).toBeGreaterThan(90);
  });

  it("remembers the size while there is no worker to measure", () => {
    const driver = new Driver({ maxWorkers: 100, ramBudget: "12GB" });
    driver.tick({ serving: 1, memory: { largestWorkerBytes: GB } });
    expect(driver.ticks(500, { memory: { largestWorkerBytes: 0 } }).capacity).toBe(12);
  });

  it.each([[Number.NaN], [-1], [null], [undefined], [Number.POSITIVE_INFINITY]])(
    "does not take a size of %s for one",
    (nonsense) => {
      const seen = { serving: 2, memory: { largestWorkerBytes: nonsense, usedBytes: nonsense, totalBytes: nonsense } };
      expect(capacityOf({}, seen)).toEqual({ capacity: 100, boundBy: "max_workers" });
    },
  );

  it("is one at least, however small the machine", () => {
    const seen = { memory: { largestWorkerBytes: 8 * GB } };
    expect(capacityOf({ ramBudget: "1GB" }, seen).capacity).toBe(1);
  });
});

describe("DESIGN 2.11: the swap brake", () => {
  const swapping = { swapUsedBytes: 30, swapTotalBytes: 100 };
  const waiting = { ready: 500 };

  it("allows no growth while the machine pages", () => {
    const driver = new Driver();
    const decision = driver.ticks(5, { serving: 3, queue: waiting, memory: swapping });
    expect(decision).toMatchObject({ desired: 3, capacity: 3, boundBy: "swap", reason: "swap" });
  });

  it("lets the first worker start: an empty pool cannot be what presses", () => {
    const driver = new Driver();
    const seen = { queue: waiting, memory: swapping };
    expect(driver.tick(seen)).toMatchObject({ current: 0, desired: 1, capacity: 1, boundBy: "swap" });
  });

  it.each<[number, number | null, string]>([
    [20, 100, "exactly the ratio"],
    [0, 0, "no swap at all"],
    [5, null, "a size that is unknown"],
  ])("is off at %s of %s (%s)", (swapUsedBytes, swapTotalBytes) => {
    const seen = { serving: 3, memory: { swapUsedBytes, swapTotalBytes } };
    expect(capacityOf({}, seen)).toEqual({ capacity: 100, boundBy: "max_workers" });
  });

  it("is turned off by a cap of 1", () => {
    const seen = { serving: 3, memory: { swapUsedBytes: 100, swapTotalBytes: 100 } };
    expect(capacityOf({ swapRatioCap: 1 }, seen).boundBy).toBe("max_workers");
  });
});

describe("DESIGN 2.11: the pressure brake", () => {
  const waiting = { ready: 500 };
  const at = (pressure: number | null, serving = 3) => ({ serving, queue: waiting, memory: { pressure } });

  it("allows no growth above the cap, and says so", () => {
    const decision = new Driver().ticks(5, at(0.11));
    expect(decision).toMatchObject({ desired: 3, capacity: 3, boundBy: "pressure", reason: "pressure" });
    expect(decision.rationale).toContain("memory pressure allows 3");
  });

  it("goes on above the cap and off below half of it, not between", () => {
    const driver = new Driver();
    const isOn = (pressure: number | null) => driver.tick(at(pressure)).boundBy === "pressure";
    expect([0.1, 0.11, 0.09, 0.06, 0.05, 0.09].map(isOn)).toEqual([false, true, true, true, false, false]);
    expect([0.2, null].map(isOn)).toEqual([true, false]);
  });

  it("lets the first worker start", () => {
    expect(new Driver().tick(at(0.9, 0))).toMatchObject({ desired: 1, capacity: 1, boundBy: "pressure" });
  });

  it("has a ceiling of one's own, and none at 1", () => {
    expect(capacityOf({ memoryPressureCap: 0.5 }, at(0.4)).boundBy).toBe("max_workers");
    expect(capacityOf({ memoryPressureCap: 1 }, at(1)).boundBy).toBe("max_workers");
  });

  it("leaves floor, shrinking and spare capacity alone", () => {
    expect(new Driver({ minWorkers: 5 }).tick(at(0.5)).desired).toBe(5);
    expect(
      new Driver().follow(6, 20, () => ({ queue: { ready: 0, unacked: 0 }, memory: { pressure: 0.5 } })).desired,
    ).toBe(0);
  });
});

describe("DESIGN 2.5: a machine that has become too small", () => {
  it("gives workers up at once, one by one while the rate is unknown", () => {
    const driver = new Driver({ ramBudget: "2GB" });
    const seen = { queue: { ready: 500, unacked: 8 }, memory: { largestWorkerBytes: 512 * MB } };
    expect(driver.tick({ ...seen, serving: 8 })).toMatchObject({ desired: 7, capacity: 4, boundBy: "ram" });
    expect(driver.tick({ ...seen, serving: 7 }).desired).toBe(6);
  });

  it("gives no worker up while the queue cannot be read", () => {
    const driver = new Driver({ ramBudget: "2GB" });
    const seen = { queue: null, serving: 8, memory: { largestWorkerBytes: 512 * MB } };
    expect(driver.tick(seen).desired).toBe(8);
  });
});

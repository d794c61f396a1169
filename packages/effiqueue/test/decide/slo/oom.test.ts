import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Driver, GB, MB, type Seen } from "./drive.ts";

const full = { totalBytes: 8 * GB, usedBytes: 7.9 * GB, largestWorkerBytes: 100 * MB };
const at = (serving: number, seen: Seen = {}): Seen => ({ serving, queue: { ready: 500 }, memory: full, ...seen });
const killed = (left: number, seen: Seen = {}): Seen => at(left, { oomKills: 1, interference: true, ...seen });

/** A pool that may have 20, and had ten. */
const ofTen = (options: object = {}) => {
  const driver = new Driver({ ramBudget: "8GB", ...options });
  driver.ticks(3, at(10));
  return driver;
};

describe("DESIGN 2.11: after a kill for want of memory", () => {
  it("what is left is what fits: nobody takes the place of the killed one", () => {
    const driver = ofTen();
    expect(driver.tick(killed(9))).toMatchObject({ desired: 9, capacity: 9, boundBy: "oom", reason: "oom" });
    expect(driver.ticks(5, at(9))).toMatchObject({ desired: 9, capacity: 9 });
    expect(driver.tick(killed(7)).capacity).toBe(7);
  });

  it("one more is tried every ten minutes, until the ceiling is reached", () => {
    const driver = ofTen({ maxWorkers: 11 });
    driver.tick(killed(9));
    expect(driver.ticks(59, at(9)).capacity).toBe(9);
    expect(driver.tick(at(9)).capacity).toBe(10);
    expect(driver.ticks(59, at(10)).capacity).toBe(10);
    expect(driver.tick(at(10))).toMatchObject({ capacity: 11, boundBy: "max_workers" });
  });

  it("says nothing of the others if the killed one left room for two of them", () => {
    const roomy = { ...full, usedBytes: 4 * GB };
    expect(ofTen().tick(killed(9, { memory: roomy }))).toMatchObject({ boundBy: "max_workers", capacity: 20 });
  });

  it("leaves one, though the last was killed", () => {
    expect(ofTen().tick(killed(0))).toMatchObject({ capacity: 1, desired: 1 });
  });

  it("takes a number that is none for no kill", () => {
    for (const oomKills of [Number.NaN, -1, 0.5]) {
      expect(ofTen().tick(killed(9, { oomKills })).boundBy).toBe("max_workers");
    }
  });

  it("never lets the pool grow beyond what was left, within ten minutes", () => {
    const ticks = fc.array(
      fc.record({ dtSec: fc.integer({ min: 0, max: 30 }), ready: fc.integer({ min: 0, max: 5_000 }) }),
      { maxLength: 19 },
    );
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 12 }), fc.integer({ min: 0, max: 3 }), ticks, (left, minWorkers, rest) => {
        const driver = ofTen({ minWorkers });
        let { desired } = driver.tick(killed(left));
        for (const { dtSec, ready } of rest) {
          expect(desired).toBeLessThanOrEqual(Math.max(1, left, minWorkers));
          ({ desired } = driver.tick(at(desired, { dtSec, queue: { ready }, interference: ready % 2 === 0 })));
        }
      }),
    );
  });
});

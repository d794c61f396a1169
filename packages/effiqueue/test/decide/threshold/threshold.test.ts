import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Driver, type Seen } from "../slo/drive.ts";

const threshold = (options: object = {}) =>
  new Driver({ mode: "threshold", sloDrainTime: undefined, maxWorkers: 6, ...options });
const full = { totalBytes: 1000, usedBytes: 900 };
const waiting = { ready: 30, unacked: 11 };

describe("DESIGN 2.6: threshold mode", () => {
  it.each<[number, number | null, number, string]>([
    [30, 10, 2, "as many as the threshold"],
    [30, 11, 3, "one more"],
    [0, 41, 3, "handed out counts as well"],
    [41, null, 3, "only the ready ones are seen"],
    [1, 0, 2, "some"],
    [0, 0, 1, "none"],
  ])("%s ready and %s handed out make 2 workers %d (%s)", (ready, unacked, desired) => {
    expect(threshold().tick({ serving: 2, queue: { ready, unacked } }).desired).toBe(desired);
  });

  it("moves one worker at a time, with the cooldown between", () => {
    const driver = threshold();
    const sizes: number[] = [];
    let serving = 0;
    for (let i = 0; i < 7; i += 1) {
      serving = driver.tick({ serving, queue: waiting }).desired;
      sizes.push(serving);
    }
    expect(sizes).toEqual([1, 1, 2, 2, 3, 3, 4]);
    expect(driver.tick({ serving, queue: {} })).toMatchObject({ desired: 4, reason: "cooldown" });
    expect(driver.tick({ serving, queue: {} })).toMatchObject({ desired: 3, reason: "threshold" });
  });

  it("does not grow while the memory is as full as it may be", () => {
    const seen: Seen = { serving: 2, queue: waiting };
    expect(threshold().tick({ ...seen, memory: full })).toMatchObject({
      desired: 2,
      capacity: 2,
      boundBy: "ram",
      reason: "ram",
    });
    expect(threshold().tick({ ...seen, memory: { ...full, usedBytes: 899 } }).desired).toBe(3);
    expect(threshold({ ramRatioCap: 0.95 }).tick({ ...seen, memory: full }).desired).toBe(3);
    expect(threshold().tick({ ...seen, memory: { totalBytes: null, usedBytes: null } }).desired).toBe(3);
  });

  it("shrinks however full the memory is", () => {
    expect(threshold().tick({ serving: 2, queue: {}, memory: full }).desired).toBe(1);
  });

  it("keeps floor and ceiling, and holds an unreadable queue within them", () => {
    const options = { minWorkers: 2, maxWorkers: 4 };
    expect(threshold(options).tick({ serving: 0, queue: null })).toMatchObject({ desired: 2, reason: "min-workers" });
    expect(threshold(options).tick({ serving: 9, queue: null })).toMatchObject({ desired: 4, reason: "max-workers" });
    expect(threshold(options).tick({ serving: 3, queue: null })).toMatchObject({ desired: 3, reason: "unreadable" });
    expect(threshold(options).ticks(9, { serving: 2, queue: {} }).desired).toBe(2);
    expect(threshold(options).ticks(9, { serving: 4, queue: waiting }).desired).toBe(4);
  });

  it("does not drop the last worker at one zero where messages in hand cannot be seen", () => {
    const blind = { serving: 1, queue: { ready: 0, unacked: null } };
    expect(threshold().tick(blind)).toMatchObject({ desired: 1, reason: "last-worker" });
    expect(threshold().ticks(5, blind).desired).toBe(0);
    expect(threshold().tick({ serving: 1, queue: {} }).desired).toBe(0);
  });

  it("never leaves floor and ceiling, moves by more than one, or shrinks a pool it cannot read for", () => {
    const seen = fc.record({
      serving: fc.integer({ min: 0, max: 8 }),
      queue: fc.option(fc.record({ ready: fc.integer({ min: -1, max: 90 }), unacked: fc.constantFrom(null, 0, 3) })),
      memory: fc.record({ usedBytes: fc.integer({ min: 0, max: 1000 }), totalBytes: fc.constant(1000) }),
    });
    fc.assert(
      fc.property(
        fc.array(seen, { minLength: 1, maxLength: 20 }),
        fc.integer({ min: 0, max: 6 }),
        (all, minWorkers) => {
          const driver = threshold({ minWorkers });
          for (const each of all) {
            const { desired } = driver.tick(each);
            const from = Math.min(Math.max(each.serving, minWorkers), 6);
            expect(desired).toBeGreaterThanOrEqual(minWorkers);
            expect(desired).toBeLessThanOrEqual(6);
            expect(Math.abs(desired - from)).toBeLessThanOrEqual(1);
            if (each.queue === null || each.queue.ready < 0) expect(desired).toBe(from);
          }
        },
      ),
    );
  });
});

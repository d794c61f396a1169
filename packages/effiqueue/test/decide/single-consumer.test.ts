/** A queue that serves one consumer at a time, whatever the number of workers: DESIGN 2.5. */
import { describe, expect, it } from "vitest";
import { Driver } from "./slo/drive.ts";

/** One worker does five messages a second, and eight arrive. */
const overload = (tick: number) => ({
  ready: 2_000 + 30 * tick,
  unacked: 1,
  ackedTotal: 50 * tick,
  publishedTotal: 80 * tick,
  ackRate: 5,
  publishRate: 8,
  singleConsumer: true,
});

const MODES = [
  ["slo", {}],
  ["slo", { maxStep: 1 }],
  ["hpa", { mode: "hpa", sloDrainTime: undefined }],
  ["threshold", { mode: "threshold", sloDrainTime: undefined }],
] as const;

describe("DESIGN 2.5: a queue that serves one consumer at a time", () => {
  it.each(MODES)("has one worker in mode %s %o, and names the reason", (_, mode) => {
    const pool = new Driver({ maxWorkers: 20, minWorkers: 1, ...mode });
    const decision = pool.follow(1, 30, (tick, consumers) => ({ queue: { ...overload(tick), consumers } }));
    expect(decision).toMatchObject({ desired: 1, capacity: 1, boundBy: "single-consumer", reason: "single-consumer" });
    expect(decision.rationale).toContain("the queue serves one consumer at a time");
  });

  it.each(MODES)("shrinks a pool that is larger in mode %s %o", (_, mode) => {
    const pool = new Driver({ maxWorkers: 20, minWorkers: 1, ...mode });
    const decision = pool.follow(6, 30, (tick, consumers) => ({ queue: { ...overload(tick), consumers } }));
    expect(decision.desired).toBe(1);
  });

  it("is what a gap is said to come of, also where max_workers is one", () => {
    const pool = new Driver({ maxWorkers: 1, sloDrainTime: 10 });
    const decision = pool.follow(1, 30, (tick, consumers) => ({ queue: { ...overload(tick), consumers } }));
    expect(decision).toMatchObject({ boundBy: "single-consumer", gap: { bytes: null, bestDrainSec: Infinity } });
  });

  it("keeps those that are to stand by, and measures a worker by the one that is served", () => {
    const pool = new Driver({ maxWorkers: 20, minWorkers: 3 });
    const decision = pool.follow(3, 30, (tick) => ({ queue: { ...overload(tick), consumers: 4 } }));
    expect(decision).toMatchObject({ desired: 3, capacity: 1 });
    expect(decision.mu).toBeCloseTo(5, 1);
  });
});

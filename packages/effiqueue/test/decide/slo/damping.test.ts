import { describe, expect, it } from "vitest";
import { busy, Driver, type Seen } from "./drive.ts";

/**
 * A driver that knows mu = 5 and lambda = 30, its change before long past; at an SLO of 60 s, 30/s alone need 6. `max_step` is a number:
 * `auto` has a law of its own where rates are measured (2.13).
 */
function informed(options: object = {}): Driver {
  const driver = new Driver({ alphaLambda: 1, alphaMu: 1, maxStep: 50, ...options });
  driver.ticks(5, (tick) => busy({ n: 6, mu: 5, lambda: 30, ready: 294 }, tick));
  return driver;
}

/** What `serving` workers see when `needed` are needed, at the rates above: 300 messages a worker and 60 s. */
const needing = (needed: number, at: number, serving = 6): Seen =>
  busy({ n: serving, mu: 5, lambda: 30, ready: (needed - 6) * 300 - serving }, at);

describe("DESIGN 2.6: the dead zone", () => {
  it("does not flap when one more than there are is needed", () => {
    const driver = informed();
    const decision = driver.ticks(30, (tick) => needing(9, 10 + tick, 8));
    expect(decision).toMatchObject({ needed: 9, desired: 8, reason: "hysteresis" });
  });

  it("ends two away", () => {
    const driver = informed({ maxStep: 1 });
    expect(driver.tick(needing(8, 10))).toMatchObject({ needed: 8, desired: 7 });
  });

  it("is as wide as it is set", () => {
    expect(informed({ hysteresis: 0 }).tick(needing(7, 10)).desired).toBe(7);
    expect(informed({ hysteresis: 3 }).tick(needing(9, 10)).desired).toBe(6);
  });

  it("does not keep a worker too many for ever", () => {
    const driver = informed();
    const idle = (tick: number): Seen => {
      const { queue } = busy({ n: 6, mu: 5, lambda: 26, ready: 0 }, 10 + tick);
      return { queue: { ...queue, ready: 0, unacked: 0, ackRate: 26 } };
    };
    const decisions = Array.from({ length: 20 }, (_, tick) => driver.tick({ ...idle(tick), serving: 7 }));
    expect(decisions[3]).toMatchObject({ needed: 6, desired: 7, reason: "hysteresis" });
    expect(Math.min(...decisions.map(({ desired }) => desired))).toBe(6);
  });

  it("does not keep a pool one below its limit when many more are needed", () => {
    const driver = informed({ maxWorkers: 7 });
    expect(driver.tick(needing(20, 10))).toMatchObject({ needed: 20, desired: 7 });
  });
});

describe("DESIGN 2.6: the cooldown", () => {
  it("lets one change settle before the next", () => {
    const driver = informed({ maxStep: 1, cooldownTicks: 3, spikeBacklog: 100_000 });
    const sizes: number[] = [];
    let serving = 6;
    for (let tick = 10; tick < 18; tick += 1) {
      serving = driver.tick(needing(20, tick, serving)).desired;
      sizes.push(serving);
    }
    expect(sizes).toEqual([7, 7, 7, 8, 8, 8, 9, 9]);
  });

  it("does not hold growth back above the spike backlog", () => {
    const driver = informed({ maxStep: 1, cooldownTicks: 3, spikeBacklog: 1_000 });
    const decision = driver.follow(6, 5, (tick, serving) => needing(20, 10 + tick, serving));
    expect(decision.desired).toBe(11);
  });

  it("holds shrinking back whatever the backlog", () => {
    const driver = informed({ maxStep: 1, cooldownTicks: 3, spikeBacklog: 0 });
    const decision = driver.follow(20, 5, (tick, serving) => needing(8, 10 + tick, serving));
    expect(decision.desired).toBe(18);
  });

  it("keeps to the last order while a pool has not come to it", () => {
    const driver = informed({ maxStep: 1, cooldownTicks: 3, spikeBacklog: 100_000 });
    expect(driver.tick(needing(20, 10)).desired).toBe(7);
    expect(driver.tick(needing(20, 11))).toMatchObject({ desired: 7, reason: "cooldown" });
  });

  it("does not hold back the first worker", () => {
    const driver = new Driver({ cooldownTicks: 50 });
    driver.ticks(2, { serving: 1, queue: { ready: 0, unacked: 0, ackRate: 0, publishRate: 0 } });
    expect(driver.tick({ queue: { ready: 1, unacked: 0 } })).toMatchObject({ current: 0, desired: 1 });
  });
});

describe("DESIGN 2.6: the step", () => {
  it("is several workers at once while the broker measures", () => {
    const decision = informed({ maxStep: "auto" }).tick(needing(20, 10));
    expect(decision).toMatchObject({ needed: 20, trail: ["slo", "late"], reason: "max-workers" });
    expect(decision.desired).toBe(20);
  });

  it("is one while the rate is unknown, or inferred", () => {
    const driver = new Driver({ sloDrainTime: 60, maxWorkers: 50, cooldownTicks: 0 });
    let serving = 0;
    let ready = 90_000;
    for (let tick = 0; tick < 40; tick += 1) {
      const { desired, muSource } = driver.tick({ serving, queue: { ready, unacked: null } });
      expect(muSource).not.toBe(1);
      expect(Math.abs(desired - serving)).toBeLessThanOrEqual(1);
      serving = desired;
      ready += (10 - 5 * serving) * 10;
    }
    expect(serving).toBeGreaterThan(30);
  });

  it("is what the operator says", () => {
    expect(informed({ maxStep: 1 }).tick(needing(20, 10)).desired).toBe(7);
    expect(informed({ maxStep: 3 }).tick(needing(20, 10)).desired).toBe(9);
  });
});

describe("DESIGN 2.6: lost workers", () => {
  it("are replaced although one less is within the dead zone", () => {
    const driver = informed();
    expect(driver.tick(needing(7, 10)).desired).toBe(6);
    expect(driver.tick({ ...needing(7, 11, 5), interference: true }).desired).toBe(6);
    // The replacement takes its time: the pool is still one short, and nobody crashed anew.
    expect(driver.tick(needing(7, 12, 5)).desired).toBe(6);
  });

  it("are replaced while the queue cannot be read", () => {
    const driver = informed();
    expect(driver.tick({ serving: 6, queue: null }).desired).toBe(6);
    expect(driver.tick({ serving: 4, queue: null, interference: true })).toMatchObject({ current: 4, desired: 6 });
  });
});

describe("DESIGN 2.6: the last worker", () => {
  it("stays while messages are handed out, though none is ready", () => {
    const driver = new Driver();
    const queue = { ready: 0, unacked: 3, ackRate: 0, publishRate: 0 };
    let serving = 3;
    for (let poll = 0; poll < 20; poll += 1) {
      serving = driver.tick({ serving, queue }).desired;
      expect(serving).toBeGreaterThanOrEqual(1);
    }
  });

  it("does not go at one reading of zero where messages in hand cannot be seen, and goes at several", () => {
    const driver = new Driver();
    driver.ticks(3, { serving: 1, queue: { ready: 5, unacked: null } });
    const empty = { serving: 1, queue: { ready: 0, unacked: null } };
    expect(driver.tick(empty).desired).toBe(1);
    expect(driver.ticks(10, empty).desired).toBe(0);
  });

  it("of a pool whose draining workers hold all there is, is no reason to start another", () => {
    const driver = new Driver();
    expect(driver.tick({ draining: 1, queue: { ready: 0, unacked: 1 } }).desired).toBe(0);
  });
});

describe("DESIGN 2.6: one small job", () => {
  it("does not fill the pool, however slow workers seem", () => {
    const driver = new Driver({ sloDrainTime: 10, maxWorkers: 50 });
    const slow = (tick: number) => ({
      serving: 1,
      queue: { ready: 1, unacked: 0, ackRate: 0.001, publishRate: 0, ackedTotal: 1 + tick, publishedTotal: 9 },
    });
    const decision = driver.ticks(3, slow);
    expect(decision.mu).toBeLessThan(0.2);
    expect(decision).toMatchObject({ needed: 1, desired: 1 });
  });
});

describe("DESIGN 2.6: the floor", () => {
  it.each([
    ["empty", { ready: 0, unacked: 0 }],
    ["unreadable", null],
  ])("is named as what asks for the first workers of a queue that is %s", (_state, queue) => {
    const driver = new Driver({ minWorkers: 2 });
    const first = driver.tick({ queue });
    expect(first.desired).toBe(2);
    expect(first.rationale).toMatch(/, floor is 2$/);
    expect(driver.tick({ queue, serving: 2 }).rationale).not.toContain("floor");
  });
});

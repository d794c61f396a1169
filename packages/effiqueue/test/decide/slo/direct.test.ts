import { describe, expect, it } from "vitest";
import { busy, Driver } from "./drive.ts";

const load = { n: 4, mu: 5, lambda: 12, ready: 300 };

describe("DESIGN 2.3: mu from the broker's own rates", () => {
  it("is known at the first look at a backlog, so that a daemon started too late need not wait", () => {
    const decision = new Driver().tick(busy(load));
    expect(decision).toMatchObject({ mu: 5, lambda: 12, muSource: 1 });
  });

  it("is within 5% after three windows, whatever it was before", () => {
    const driver = new Driver({ alphaMu: 0.7 });
    driver.ticks(5, (tick) => busy({ ...load, mu: 9 }, tick));
    const decision = driver.ticks(3, (tick) => busy(load, tick + 100));
    expect(decision.mu).toBeGreaterThan(4.75);
    expect(decision.mu).toBeLessThan(5.25);
  });

  it("does not decay towards lambda / n on a queue that is kept empty", () => {
    const driver = new Driver();
    driver.tick(busy(load));
    const idle = (tick: number) => ({
      queue: {
        ready: 0,
        unacked: 1,
        ackRate: 2,
        publishRate: 2,
        ackedTotal: 50_000 + 20 * tick,
        publishedTotal: 50_000 + 20 * tick,
      },
    });
    const decision = driver.follow(4, 60, idle);
    expect(decision).toMatchObject({ mu: 5, muSource: 1, needed: 1, desired: 1 });
  });

  it("is not measured by the seed in a window that began or ended without work", () => {
    const driver = new Driver({ maxStep: 1 });
    driver.tick({ serving: 4, queue: { ...busy(load, 0).queue, ready: 0 } });
    expect(driver.tick({ serving: 4, queue: { ...busy(load, 1).queue, ready: 0 } }).mu).toBeNull();
    expect(driver.tick(busy(load, 2)).mu).toBeNull();
    expect(driver.tick(busy(load, 3)).mu).toBe(5);
  });

  it("is raised by workers that do more than they were believed to, saturated or not", () => {
    const driver = new Driver();
    driver.tick(busy({ ...load, mu: 2 }));
    const decision = driver.ticks(20, (tick) => {
      const seen = busy(load, 50 + tick);
      return { ...seen, queue: { ...seen.queue, ready: 0 } };
    });
    expect(decision.mu).toBeGreaterThan(4.9);
  });

  it("learns nothing from a total it has seen before", () => {
    const driver = new Driver();
    driver.tick(busy(load));
    const repeated = { ...busy(load), dtSec: 1 };
    driver.ticks(4, repeated);
    const changed = { ...repeated, queue: { ...repeated.queue, ackedTotal: 10_200, ackRate: 40 } };
    const once = driver.tick(changed).mu;
    expect(once).toBeGreaterThan(5);
    expect(driver.ticks(9, changed).mu).toBe(once);
  });

  it("hears of silence although no total changes: arrivals that stopped are forgotten", () => {
    const driver = new Driver();
    driver.tick(busy(load));
    const silent = { queue: { ...busy(load).queue, ready: 0, unacked: 0, ackRate: 0, publishRate: 0 } };
    const decision = driver.follow(4, 60, () => silent);
    expect(decision).toMatchObject({ lambda: 0, mu: 5, needed: 0, desired: 0 });
  });

  it("belongs to the workers of its window, not to those of now", () => {
    const driver = new Driver();
    driver.ticks(3, (tick) => busy({ ...load, n: 10 }, tick));
    // Ten more have just begun to serve; the rate is still that of ten.
    const blended = { ...busy({ ...load, n: 10 }, 3), serving: 20 };
    expect(driver.tick(blended).mu).toBe(5);
    expect(driver.tick(busy({ ...load, n: 20 }, 5)).mu).toBe(5);
  });

  it("weighs a window by how well its workers are known", () => {
    const driver = new Driver();
    driver.ticks(3, (tick) => busy({ ...load, n: 10 }, tick));
    const oneMore = driver.tick({ ...busy({ ...load, n: 10 }, 3), serving: 11 }).mu;
    expect(oneMore).toBeGreaterThan(4.9);
    expect(oneMore).toBeLessThan(5);
  });

  it("does not hold on to a first window in which the pool grew", () => {
    const driver = new Driver();
    driver.tick({ serving: 2, queue: { ready: 300, unacked: 2 } });
    driver.tick(busy({ ...load, n: 2 }));
    // The third worker came as the window began, which nobody can know: half of it is missing in what they did together.
    const grown = driver.tick(busy({ ...load, n: 3 }, 1)).mu;
    expect(grown).toBe(6);
    const decision = driver.ticks(3, (tick) => busy({ ...load, n: 3 }, tick + 2));
    expect(decision.mu).toBeGreaterThan(4.75);
    expect(decision.mu).toBeLessThan(5.25);
  });

  it("does not conclude from one count out of turn, as when a channel closes, how often the broker counts", () => {
    const driver = new Driver();
    driver.ticks(3, (tick) => busy(load, tick));
    // A worker exits 0.3 s after the tick and wakes the loop.
    const total = 50_000;
    const after = (ackedTotal: number) => {
      const { queue } = busy({ ...load, n: 2 });
      return { serving: 2, queue: { ...queue, ackedTotal } };
    };
    driver.tick({ ...after(total), dtSec: 0.3 });
    // The last count is five seconds old: of the ten seconds the total shows half, the rate all.
    expect(driver.tick({ ...after(total + 50), dtSec: 9.7 }).mu).toBe(5);
    expect(driver.tick(after(total + 150)).mu).toBe(5);
  });

  it("drops a window in which somebody else changed the workers", () => {
    const driver = new Driver();
    driver.ticks(3, (tick) => busy(load, tick));
    const crashed = { ...busy({ ...load, mu: 1 }, 3), interference: true };
    expect(driver.tick(crashed).mu).toBe(5);
  });

  it("drops a window whose total fell: the queue or the broker began anew", () => {
    const driver = new Driver();
    driver.ticks(3, (tick) => busy(load, tick));
    const reset = { serving: 4, queue: { ...busy(load).queue, ackedTotal: 40, publishedTotal: 80, ackRate: 1 } };
    expect(driver.tick(reset).mu).toBe(5);
  });

  it("drops a window that the machine slept through", () => {
    const driver = new Driver();
    driver.ticks(3, (tick) => busy(load, tick));
    expect(driver.tick({ ...busy({ ...load, mu: 1 }, 3), dtSec: 3_600 }).mu).toBe(5);
  });

  it("counts slow workers over many windows instead of waiting for a rate", () => {
    const driver = new Driver({ sloDrainTime: "1h" });
    // One worker, a message every 50 s, a look every 10 s: the broker's rate is mostly 0.
    const slow = (tick: number) => ({
      serving: 1,
      queue: {
        ready: 40,
        unacked: 1,
        ackRate: tick % 5 === 4 ? 0.1 : 0,
        publishRate: 0,
        ackedTotal: 100 + Math.floor((tick + 1) / 5),
        publishedTotal: 500,
      },
    });
    const decision = driver.ticks(200, slow);
    expect(decision.mu).toBeGreaterThan(0.02 * 0.6);
    expect(decision.mu).toBeLessThan(0.02 * 1.6);
  });

  it("is calculated from totals where there is no rate", () => {
    const driver = new Driver();
    const counted = (tick: number) => ({
      serving: 4,
      queue: { ready: 300 - 80 * tick, unacked: 4, ackedTotal: 200 * tick, publishedTotal: 120 * tick },
    });
    expect(driver.ticks(3, counted)).toMatchObject({ mu: 5, lambda: 12, muSource: 1 });
  });

  it("infers arrivals from the balance where only finished work is counted", () => {
    const driver = new Driver();
    const counted = (tick: number) => ({
      serving: 4,
      queue: { ready: 300 - 80 * tick, unacked: 4, ackedTotal: 200 * tick, ackRate: 20 },
    });
    expect(driver.ticks(3, counted)).toMatchObject({ mu: 5, lambda: 12, muSource: 1 });
  });
});

describe("DESIGN 2.3: rates that are none", () => {
  it.each([[undefined], [null], [Number.NaN], [-3], [Number.POSITIVE_INFINITY]])(
    "%s is unknown, not zero: with a backlog the pool grows step by step",
    (rate) => {
      const driver = new Driver();
      const queue = { ready: 50, unacked: 1, ackRate: rate, publishRate: rate, ackedTotal: rate, publishedTotal: rate };
      const decision = driver.tick({ serving: 1, queue });
      expect(decision).toMatchObject({ mu: null, lambda: null, muSource: 0, needed: null, desired: 2 });
      expect(decision.reason).toBe("bootstrap");
    },
  );

  it("more than the counter allows is impossible, so unknown", () => {
    const driver = new Driver();
    const queue = { ready: 300, unacked: 4, ackRate: 9_000, publishRate: 12, ackedTotal: 40, publishedTotal: 400 };
    expect(driver.ticks(2, (tick) => ({ serving: 4, queue: { ...queue, publishedTotal: 400 + tick } })).mu).toBeNull();
  });

  it("absent on an idle queue they leave what is known, and the pool goes to nothing", () => {
    const driver = new Driver();
    driver.ticks(3, (tick) => busy(load, tick));
    const quiet = { queue: { ready: 0, unacked: 0 } };
    expect(driver.follow(4, 300, () => quiet)).toMatchObject({ mu: 5, desired: 0 });
  });
});

describe("DESIGN 2.3: who drains", () => {
  it("counts consumers that are not ours: two of four do half of the work", () => {
    const decision = new Driver().tick({ ...busy(load), serving: 2, queue: { ...busy(load).queue, consumers: 4 } });
    expect(decision.mu).toBe(5);
  });

  it("learns how many consumers a worker has when the number of workers changes", () => {
    const driver = new Driver();
    const threaded = (n: number, tick: number) => {
      const seen = busy({ ...load, n }, tick);
      return { ...seen, queue: { ...seen.queue, consumers: 8 * n } };
    };
    driver.ticks(3, (tick) => threaded(2, tick));
    const decision = driver.ticks(40, (tick) => threaded(3, tick + 10));
    expect(decision.mu).toBeGreaterThan(4.9);
    expect(decision.mu).toBeLessThan(5.1);
  });

  it("does not take pollers, which show no consumer at all, for nobody", () => {
    const decision = new Driver().tick({ ...busy(load), queue: { ...busy(load).queue, consumers: 0 } });
    expect(decision.mu).toBe(5);
  });
});

describe("DESIGN 2.3: estimates age", () => {
  it("outlives a short outage, and is forgotten in a long one", () => {
    const driver = new Driver();
    driver.ticks(3, (tick) => busy(load, tick));
    expect(driver.ticks(10, { queue: null, serving: 4 })).toMatchObject({ mu: 5, desired: 4 });
    expect(driver.ticks(30, { queue: null, serving: 4 })).toMatchObject({ mu: null, muSource: 0, desired: 4 });
    expect(driver.ticks(2, (tick) => busy(load, tick + 50)).mu).toBe(5);
  });

  it("is replaced by an inferred one when the rates stay away and work waits", () => {
    const driver = new Driver({ maxWorkers: 20 });
    driver.ticks(3, (tick) => busy(load, tick));
    let serving = 4;
    let ready = 2_000;
    let source = 1;
    for (let i = 0; i < 60 && source === 1; i += 1) {
      const decision = driver.tick({ serving, queue: { ready, unacked: null } });
      source = decision.muSource;
      serving = decision.desired;
      ready = Math.max(0, ready + (30 - 5 * serving) * 10);
    }
    expect(source).not.toBe(1);
  });

  it("is back as soon as the rates are", () => {
    const driver = new Driver();
    driver.ticks(3, (tick) => busy(load, tick));
    driver.ticks(40, { serving: 4, queue: { ready: 300, unacked: null } });
    expect(driver.ticks(3, (tick) => busy(load, tick + 90))).toMatchObject({ mu: 5, muSource: 1 });
  });
});

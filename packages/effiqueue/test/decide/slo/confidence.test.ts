import { describe, expect, it } from "vitest";
import type { Interval, ProgramDecision } from "../../../src/decide/index.ts";
import { RandomPlant } from "../../support/random-plant.ts";
import { busy, chance, Driver } from "./drive.ts";

const load = { n: 4, mu: 5, lambda: 12, ready: 30_000 };

const widthOf = (interval: Interval | null | undefined): number =>
  interval ? interval.high - interval.low : Number.POSITIVE_INFINITY;

const LAW = {
  lambda: 40,
  burst: 1,
  mu: 10,
  serviceCv: 0.5,
  ackBatch: 1,
  prefetch: 1,
  statsSec: 5,
  noise: 0,
  backlog: 60_000,
};

/** A pool of five that the policy looks at every five seconds. */
class Watched {
  readonly plant: RandomPlant;
  readonly driver: Driver;
  last: ProgramDecision | null = null;

  constructor(law: Partial<typeof LAW> = {}, options: object = {}) {
    this.plant = new RandomPlant({ ...LAW, ...law }, chance(7));
    this.driver = new Driver({ maxWorkers: 40, ...options });
    this.plant.workers = 5;
    this.plant.advance(10);
  }

  windows(count: number, reading?: { rates: boolean }): ProgramDecision {
    const look = () => this.driver.tick({ dtSec: 5, serving: this.plant.serving, queue: this.plant.reading(reading) });
    this.last ??= look();
    for (let i = 1; i <= count; i += 1) {
      this.plant.advance(5);
      this.last = look();
    }
    return this.last;
  }
}

describe("DESIGN 2.9: intervals", () => {
  it("are unknown while what they are of is", () => {
    const decision = new Driver().tick({ serving: 1, queue: { ready: 50, unacked: 1 } });
    expect(decision).toMatchObject({ mu: null, muInterval: null, lambda: null, lambdaInterval: null });
  });

  it("hold the estimate, and narrow while windows agree", () => {
    const driver = new Driver();
    const early = driver.ticks(2, (tick) => busy(load, tick));
    const late = driver.ticks(20, (tick) => busy(load, 50 + tick));
    for (const { mu, muInterval, lambda, lambdaInterval } of [early, late]) {
      expect(muInterval?.low).toBeLessThan(mu ?? 0);
      expect(muInterval?.high).toBeGreaterThan(mu ?? Number.POSITIVE_INFINITY);
      expect(lambdaInterval?.low).toBeLessThan(lambda ?? 0);
      expect(lambdaInterval?.high).toBeGreaterThan(lambda ?? Number.POSITIVE_INFINITY);
    }
    expect(widthOf(late.muInterval)).toBeLessThan(widthOf(early.muInterval) / 2);
  });

  it("are wider of work that is acknowledged in lumps, and of arrivals in bursts", () => {
    const even = new Watched().windows(20);
    const lumpy = new Watched({ ackBatch: 20 }).windows(20);
    const bursting = new Watched({ burst: 20 }).windows(20);
    expect(widthOf(lumpy.muInterval)).toBeGreaterThan(1.5 * widthOf(even.muInterval));
    expect(widthOf(bursting.lambdaInterval)).toBeGreaterThan(1.5 * widthOf(even.lambdaInterval));
  });

  it("leave it open how little arrives when next to nothing does", () => {
    const driver = new Driver();
    driver.tick(busy(load));
    const silent = { queue: { ...busy(load).queue, ready: 0, unacked: 0, ackRate: 0, publishRate: 0 } };
    const decision = driver.follow(4, 60, () => silent);
    expect(decision).toMatchObject({ lambda: 0, lambdaInterval: { low: 0 } });
    expect(decision.lambdaInterval?.high).toBeGreaterThan(0);
  });
});

describe("DESIGN 2.9: another load", () => {
  it.each([3, 1 / 3])("of which mu is %f times what it was is known to a tenth in three windows", (factor) => {
    const watched = new Watched();
    watched.windows(20);
    watched.plant.mu = LAW.mu * factor;
    expect((watched.windows(3).mu ?? 0) / (LAW.mu * factor)).toBeGreaterThan(0.9);
    expect((watched.windows(1).mu ?? 0) / (LAW.mu * factor)).toBeLessThan(1.1);
  });

  it.each([3, 1 / 3])("of which lambda is %f times what it was is known to a fifth in three windows", (factor) => {
    const watched = new Watched();
    watched.windows(20);
    watched.plant.lambda = LAW.lambda * factor;
    const { lambda } = watched.windows(3);
    expect((lambda ?? 0) / (LAW.lambda * factor)).toBeGreaterThan(0.8);
    expect((lambda ?? 0) / (LAW.lambda * factor)).toBeLessThan(1.2);
  });

  it("is not seen in one window: chance has those too", () => {
    const driver = new Driver();
    driver.ticks(20, (tick) => busy(load, tick));
    driver.tick(busy({ ...load, lambda: 60 }, 30));
    expect(driver.tick(busy(load, 31)).lambda).toBeLessThan(30);
  });

  it("is smoothed as ever with the step of the seed", () => {
    const driver = new Driver({ maxStep: 1 });
    driver.ticks(20, (tick) => busy(load, tick));
    const decision = driver.ticks(2, (tick) => busy({ ...load, lambda: 112 }, 30 + tick));
    expect(decision.lambda).toBeCloseTo(12 + 100 * (1 - 0.7 ** 2), 6);
  });
});

describe("DESIGN 2.3: what was measured and what is inferred", () => {
  it("go together when the rates stay away: the rate of a worker that was measured tells what arrives now", () => {
    const watched = new Watched();
    watched.windows(20);
    watched.plant.lambda = 120;
    const decision = watched.windows(20, { rates: false });
    expect(decision.muSource).toBe(1);
    expect((decision.lambda ?? 0) / 120).toBeGreaterThan(0.85);
    expect((decision.lambda ?? 0) / 120).toBeLessThan(1.15);
  });

  it("are heard as far as each is sure of itself: what moves tells more than what was", () => {
    const watched = new Watched();
    const before = watched.windows(20);
    let decision = before;
    for (let n = 1; n <= 28; n += 1) {
      watched.plant.workers = n;
      decision = watched.windows(1, { rates: false });
    }
    expect(Math.abs((decision.mu ?? 0) / LAW.mu - 1)).toBeLessThan(0.05);
    expect(widthOf(decision.muInterval)).toBeLessThan(2 * widthOf(before.muInterval));
  });

  it("are one of two things after a jump of the backlog: what was measured may be so no more", () => {
    const watched = new Watched();
    watched.windows(20);
    watched.windows(12, { rates: false });
    watched.plant.mu = LAW.mu / 3;
    const { mu, muInterval } = watched.windows(4, { rates: false });
    expect(mu).toBeGreaterThan(0.9 * LAW.mu);
    expect(muInterval?.low).toBeLessThan(LAW.mu / 3);
    expect(muInterval?.high).toBeGreaterThan(LAW.mu);
  });

  it("are not mixed where they contradict one another: the later one counts", () => {
    const watched = new Watched();
    watched.windows(20);
    watched.plant.mu = LAW.mu / 3;
    let decision: ProgramDecision | null = null;
    for (let n = 1; n <= 25; n += 1) {
      watched.plant.workers = n;
      decision = watched.windows(1, { rates: false });
    }
    expect(decision?.muSource).toBe(2);
    expect(Math.abs((decision?.mu ?? 0) / (LAW.mu / 3) - 1)).toBeLessThan(0.1);
  });
});

describe("DESIGN 2.4: a load that jumps", () => {
  it("moves lambda and leaves mu, which the pool had shown", () => {
    const driver = new Driver({ maxWorkers: 12, sloDrainTime: 120 });
    const plant = new RandomPlant({ ...LAW, lambda: 60, backlog: 200_000 }, chance(3));
    let decision: ProgramDecision | null = null;
    for (let tick = 0; tick < 60; tick += 1) {
      decision = driver.tick({
        serving: plant.serving,
        draining: plant.draining,
        queue: plant.reading({ rates: false }),
      });
      plant.workers = decision.desired;
      if (tick === 40) plant.lambda = 180;
      plant.advance(10);
    }
    expect(Math.abs((decision?.mu ?? 0) / LAW.mu - 1)).toBeLessThan(0.1);
    expect(Math.abs((decision?.lambda ?? 0) / 180 - 1)).toBeLessThan(0.1);
  });
});

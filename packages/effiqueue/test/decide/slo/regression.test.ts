import { describe, expect, it } from "vitest";
import type { ProgramDecision } from "../../../src/decide/index.ts";
import { chance, Driver } from "./drive.ts";

interface Plant {
  readonly mu: number;
  readonly lambda: number;
  readonly backlog: number;
  /** Arrivals of a window vary by this share to either side. */
  readonly jitter?: number;
  readonly seed?: number;
}

/** A queue that shows nothing but what is ready, and a pool that is what the policy asks for, or what `workers` says. */
function run(options: object, plant: Plant, ticks: number, workers?: (tick: number) => number): ProgramDecision[] {
  const driver = new Driver(options);
  const random = chance(plant.seed ?? 1);
  let { backlog } = plant;
  let serving = workers?.(0) ?? 0;
  return Array.from({ length: ticks }, (_, tick) => {
    const decision = driver.tick({
      dtSec: tick === 0 ? 0 : 10,
      serving,
      queue: { ready: Math.round(backlog), unacked: null },
    });
    serving = workers?.(tick + 1) ?? decision.desired;
    const arriving = plant.lambda * (1 + (plant.jitter ?? 0) * (2 * random() - 1));
    backlog = Math.max(0, backlog + (arriving - plant.mu * serving) * 10);
    return decision;
  });
}

const lastKnown = (decisions: ProgramDecision[]) => decisions.filter(({ mu }) => mu !== null).at(-1);
const first = (decisions: ProgramDecision[]) => decisions.findIndex(({ muSource }) => muSource === 2);

describe("DESIGN 2.3: mu and lambda from the backlog alone, starting from nothing", () => {
  it.each([
    ["growing", { mu: 2, lambda: 60, backlog: 500 }, 100],
    ["steady", { mu: 4, lambda: 40, backlog: 300 }, 30],
    ["draining", { mu: 8, lambda: 20, backlog: 40_000 }, 40],
  ])("knows both within a percent in ten windows: %s", (_regime, plant, ticks) => {
    const decisions = run({ sloDrainTime: 120, maxWorkers: 30 }, plant, ticks);
    expect(first(decisions)).toBeLessThanOrEqual(10);
    const { mu, lambda, muSource } = decisions.at(-1) ?? {};
    expect(muSource).toBe(2);
    expect(Math.abs((mu ?? 0) / plant.mu - 1)).toBeLessThan(0.01);
    expect(Math.abs((lambda ?? 0) / plant.lambda - 1)).toBeLessThan(0.01);
  });

  it("knows both within 10% when arrivals jump by 50% from window to window", () => {
    // The pool goes up and down by blocks: how well bursts average out depends on how far the counts spread.
    const blocks = (tick: number) => (Math.floor(tick / 6) % 2 === 0 ? 1 : 19);
    const errors = [1, 2, 3, 4, 5].map((seed) => {
      const plant = { mu: 4, lambda: 40, backlog: 5_000, jitter: 0.5, seed };
      const { mu, lambda } = run({ sloDrainTime: 120, maxWorkers: 20 }, plant, 180, blocks).at(-1) ?? {};
      return { mu: Math.abs((mu ?? 0) / 4 - 1), lambda: Math.abs((lambda ?? 0) / 40 - 1) };
    });
    for (const error of errors) {
      expect(error.mu).toBeLessThan(0.1);
      expect(error.lambda).toBeLessThan(0.1);
    }
  });

  it("is within 30% in bursts with a pool that only moves as it has to", () => {
    for (const seed of [1, 2, 3, 4, 5]) {
      const plant = { mu: 4, lambda: 40, backlog: 2_000, jitter: 0.5, seed };
      const { mu, muSource } = run({ sloDrainTime: 120, maxWorkers: 30 }, plant, 120).at(-1) ?? {};
      expect(muSource).toBe(2);
      expect(Math.abs((mu ?? 0) / 4 - 1)).toBeLessThan(0.3);
    }
  });

  it("is not led astray by workers that take a third of a window to start, where every growing window held one", () => {
    const driver = new Driver({ maxWorkers: 4, sloDrainTime: 120, cooldownTicks: 1 });
    let serving = 0;
    let ready = 5_000;
    let mu: number | null = null;
    for (let tick = 0; tick < 40; tick += 1) {
      const decision = driver.tick({ serving, queue: { ready, unacked: null } });
      mu = decision.mu;
      const late = Math.max(0, decision.desired - serving) / 3;
      serving = decision.desired;
      ready -= Math.round(2 * (serving - late) * 10);
    }
    expect(mu).toBeGreaterThan(1.95);
    expect(mu).toBeLessThan(2.05);
  });

  it("counts a window for as much as it is long: over one that an exit cut short chance weighs more", () => {
    const driver = new Driver({ maxWorkers: 4, sloDrainTime: 120 });
    let ready = 5_000;
    let mu: number | null = null;
    for (let tick = 0; tick < 40; tick += 1) {
      const serving = tick % 4 < 2 ? 3 : 2;
      ready -= 20 * serving;
      driver.tick({ dtSec: 9.9, serving, queue: { ready, unacked: null } });
      // A tenth of a second later nothing was finished yet.
      ({ mu } = driver.tick({ dtSec: 0.1, serving, queue: { ready, unacked: null } }));
    }
    expect(mu).toBeGreaterThan(1.9);
    expect(mu).toBeLessThan(2.1);
  });

  it("learns nothing across a reading that failed", () => {
    const driver = new Driver();
    const seen = (ready: number, serving: number) => ({ serving, queue: { ready, unacked: null } });
    for (let i = 0; i < 40; i += 1) {
      driver.tick(seen(1_000 + 7 * (i % 5), 1 + (i % 3)));
      driver.tick({ queue: null, serving: 2 });
    }
    expect(driver.tick(seen(1_000, 2))).toMatchObject({ mu: null, spread: 0 });
  });

  it("learns nothing from windows that ran out of work", () => {
    const sweep = (tick: number) => 1 + (tick % 5);
    const decisions = run({ maxWorkers: 20 }, { mu: 4, lambda: 2, backlog: 0 }, 60, sweep);
    expect(decisions.at(-1)).toMatchObject({ mu: null, spread: 0 });
  });

  it("learns nothing from windows in which somebody else changed the workers", () => {
    const driver = new Driver();
    for (let i = 0; i < 40; i += 1) {
      driver.tick({ serving: 1 + (i % 3), interference: true, queue: { ready: 1_000 - i, unacked: null } });
    }
    expect(driver.tick({ serving: 2, queue: { ready: 900, unacked: null } }).mu).toBeNull();
  });
});

describe("DESIGN 2.4: what cannot be told is unknown", () => {
  it("stays unknown while the number of workers does not change", () => {
    const decisions = run({ maxWorkers: 20 }, { mu: 4, lambda: 40, backlog: 1_000, jitter: 0.5 }, 100, () => 5);
    expect(decisions.every(({ mu, muSource }) => mu === null && muSource === 0)).toBe(true);
  });

  it("stays unknown with fewer samples than it takes, however far they spread", () => {
    const decisions = run({ maxWorkers: 20 }, { mu: 4, lambda: 40, backlog: 1_000 }, 8, (tick) => 1 + tick);
    expect(decisions.every(({ mu }) => mu === null)).toBe(true);
    expect(decisions.at(-1)?.spread).toBeGreaterThan(2);
  });

  it("never makes a negative rate out of noise", () => {
    for (let seed = 1; seed <= 20; seed += 1) {
      // Workers that do next to nothing in a storm of arrivals: the slope is noise of either sign.
      const plant = { mu: 0.001, lambda: 50, backlog: 5_000, jitter: 1, seed };
      const decisions = run({ maxWorkers: 20 }, plant, 60, (tick) => 1 + Math.abs((tick % 6) - 3));
      expect(decisions.every(({ mu, lambda }) => (mu ?? 1) > 0 && (lambda ?? 0) >= 0)).toBe(true);
    }
  });

  it("does not give up what it knows for the worse fit of a pool that stands still", () => {
    const plant = { mu: 8, lambda: 200, backlog: 50_000, jitter: 0.5, seed: 4 };
    const decisions = run({ sloDrainTime: 120, maxWorkers: 24 }, plant, 400);
    expect(Math.abs((lastKnown(decisions)?.mu ?? 0) / 8 - 1)).toBeLessThan(0.3);
  });
});

describe("DESIGN 2.4: probing", () => {
  const hungry = { mu: 2, lambda: 60, backlog: 5_000 };

  it("opens the gate at a pinned ceiling by one worker less for a while, and then fills the pool again", () => {
    const driver = new Driver({ maxWorkers: 8, sloDrainTime: 120 });
    let serving = 8;
    let backlog = 5_000;
    let fewest = 8;
    let probes = 0;
    let decision: ProgramDecision | null = null;
    for (let i = 0; i < 60; i += 1) {
      decision = driver.tick({ serving, queue: { ready: backlog, unacked: null } });
      if (decision.reason === "probe") {
        probes += 1;
        expect(decision.probing).toBe(true);
      }
      serving = decision.desired;
      fewest = Math.min(fewest, serving);
      backlog += (60 - 2 * serving) * 10;
    }
    expect(decision).toMatchObject({ mu: 2, muSource: 2, desired: 8, probing: false });
    expect(fewest).toBe(7);
    expect(probes).toBeLessThanOrEqual(3);
  });

  it("lasts for its cooldown, however much waits and whoever exits meanwhile, or it would teach nothing", () => {
    const driver = new Driver({ maxWorkers: 8, sloDrainTime: 120, cooldownTicks: 2, spikeBacklog: 1_000 });
    let ready = 5_000;
    const tick = (dtSec: number, serving: number) => {
      ready += Math.round((60 - 2 * serving) * dtSec);
      return driver.tick({ dtSec, serving, queue: { ready, unacked: null } });
    };
    let decision = tick(10, 8);
    for (let i = 0; i < 20 && decision.reason !== "probe"; i += 1) decision = tick(10, 8);
    expect(decision.desired).toBe(7);
    // The stopped worker's exit wakes the loop.
    expect(tick(0.2, 7)).toMatchObject({ desired: 7, reason: "cooldown", probing: true });
    expect(tick(9.8, 7).desired).toBe(7);
    expect(tick(10, 7).desired).toBe(8);
  });

  it.each([
    ["at a ceiling of one there is nothing to learn", { maxWorkers: 1 }, 1],
    ["the floor is enforced ahead of it", { minWorkers: 4, maxWorkers: 4 }, 4],
  ])("never happens where %s", (_why, options, ceiling) => {
    const decisions = run(options, hungry, 60);
    expect(decisions.some(({ probing }) => probing)).toBe(false);
    expect(decisions.at(-1)?.desired).toBe(ceiling);
  });

  it("never goes below one worker", () => {
    const decisions = run({ maxWorkers: 2 }, hungry, 100);
    expect(decisions.some(({ probing }) => probing)).toBe(true);
    expect(Math.min(...decisions.slice(1).map(({ desired }) => desired))).toBe(1);
  });

  it.each([
    ["a worker starts, which would be the one to go", { serving: 7, starting: 1 }, {}],
    [
      "the broker counts what arrives, and will count what is finished",
      { serving: 8 },
      { publishedTotal: 600, publishRate: 0 },
    ],
  ])("does not happen while %s", (_why, workers, counts) => {
    const probes = (seen: object, queue: object): number => {
      const driver = new Driver({ maxWorkers: 8, sloDrainTime: 120 });
      for (let i = 0; i < 20; i += 1) driver.tick({ serving: 8, queue: { ready: 5_000, unacked: 8, ...queue } });
      const decisions = Array.from({ length: 20 }, () =>
        driver.tick({ ...seen, queue: { ready: 5_000, unacked: 8, ...queue } }),
      );
      return decisions.filter(({ reason }) => reason === "probe").length;
    };
    expect(probes({ serving: 8 }, {})).toBeGreaterThan(0);
    expect(probes(workers, counts)).toBe(0);
  });

  it("does not happen without a backlog", () => {
    const decisions = run({ maxWorkers: 8 }, { mu: 2, lambda: 1, backlog: 0 }, 60, () => 8);
    expect(decisions.some(({ probing }) => probing)).toBe(false);
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Interval, initialState, type ProgramDecision, step } from "../../../src/decide/index.ts";
import { type PlantLaw, RandomPlant } from "../../support/random-plant.ts";
import { between, over } from "../../support/spread.ts";
import { chance, observation, program } from "./drive.ts";

/** What is claimed of chance holds for nearly all plants, not for all that there are: these thousand are the same at every run. */
const PLANTS = 1_000;
const SEED = 20_261_130;

/** A hundred million messages take a while where others compute too. */
const PATIENCE_MS = 300_000;

interface Case {
  readonly law: PlantLaw;
  readonly pollSec: number;
  readonly workers: number;
  /** Share of looks at which the queue cannot be read. */
  readonly misses: number;
  readonly seed: number;
}

const seed = fc.nat({ max: 2 ** 30 });

/** A pool of fixed size that never runs out of work, polled until the broker has said `news` new things. */
function measured({ law, pollSec, workers, misses, seed: luck }: Case, news: number): ProgramDecision[] {
  const random = chance(luck);
  const plant = new RandomPlant(law, random);
  const config = program({ pollInterval: pollSec, maxWorkers: 40 });
  plant.workers = workers;
  plant.advance(6);
  let state = initialState(config);
  let total = -1;
  const said: ProgramDecision[] = [];
  for (let tick = 0; tick < 60 * news && said.length < news; tick += 1) {
    const queue = misses > 0 && random() < misses ? null : plant.reading();
    const { state: next, decision } = step(
      config,
      state,
      observation({ dtSec: tick === 0 ? 0 : pollSec, queue, serving: plant.serving, draining: plant.draining }),
    );
    state = next;
    if (queue !== null && queue.ackedTotal !== total) said.push(decision);
    total = queue?.ackedTotal ?? total;
    plant.advance(pollSec);
  }
  return said;
}

/** A pool that is what the policy asks for, from nobody on, over a queue that shows nothing but what waits. */
function inferred({ law, pollSec, workers: maxWorkers, seed: luck }: Case, windows: number): ProgramDecision[] {
  const plant = new RandomPlant(law, chance(luck));
  const config = program({ pollInterval: pollSec, maxWorkers, sloDrainTime: 12 * pollSec });
  let state = initialState(config);
  return Array.from({ length: windows + 1 }, (_, tick) => {
    const { state: next, decision } = step(
      config,
      state,
      observation({
        dtSec: tick === 0 ? 0 : pollSec,
        queue: plant.reading({ rates: false }),
        serving: plant.serving,
        draining: plant.draining,
      }),
    );
    state = next;
    plant.workers = decision.desired;
    plant.advance(pollSec);
    return decision;
  });
}

const errorOf = (value: number | null, truth: number) => Math.abs((value ?? Number.POSITIVE_INFINITY) / truth - 1);
const holds = (interval: Interval | null, truth: number) =>
  interval !== null && interval.low <= truth && truth <= interval.high;

function expectHonest(seen: readonly { readonly plant: Case; readonly decision: ProgramDecision | undefined }[]): void {
  const known = seen.flatMap(({ plant: { law }, decision }) => (decision?.mu == null ? [] : [{ law, decision }]));
  expect(known.length).toBeGreaterThan(0.95 * seen.length);
  const mu = known.filter(({ law, decision }) => holds(decision.muInterval, law.mu)).length;
  const lambda = known.filter(({ law, decision }) => holds(decision.lambdaInterval, law.lambda)).length;
  for (const share of [mu / known.length, lambda / known.length]) {
    expect(share).toBeGreaterThan(0.9);
    expect(share).toBeLessThan(0.99);
  }
}

const evenly = { burst: fc.constant(1), ackBatch: fc.constant(1), noise: fc.constant(0) };

/** So busy that chance leaves a standard error of a hundredth: where few messages come, nobody can know more than they tell. */
const busyPlants: fc.Arbitrary<Case> = fc
  .record({
    mu: over(70, 250),
    perSec: between(700, 900),
    load: between(0.8, 1.3),
    serviceCv: fc.constantFrom(0, 0.3, 0.5, 1),
    prefetch: fc.constantFrom(1, 20),
    ...evenly,
    timing: fc.constantFrom(
      { pollSec: 2, statsSec: 5 },
      { pollSec: 5, statsSec: 5 },
      { pollSec: 10, statsSec: 5 },
      { pollSec: 5, statsSec: 0 },
    ),
    seed,
  })
  .map(({ perSec, load, timing: { pollSec, statsSec }, seed: luck, ...law }) => {
    const workers = Math.max(1, Math.round(perSec / law.mu));
    const lambda = perSec * load;
    return { law: { ...law, statsSec, lambda, backlog: 60_000 }, workers, pollSec, misses: 0, seed: luck };
  });

const plants: fc.Arbitrary<Case> = fc
  .record({
    mu: over(0.3, 20),
    workers: fc.integer({ min: 1, max: 12 }),
    load: between(0.3, 1.5),
    burst: fc.constantFrom(1, 1, 3, 10),
    serviceCv: fc.constantFrom(0, 0.5, 1, 2),
    ackBatch: fc.constantFrom(1, 1, 1, 10),
    prefetch: fc.constantFrom(1, 10),
    statsSec: fc.constantFrom(0, 5, 5),
    noise: fc.constantFrom(0, 0, 0.05),
    misses: fc.constantFrom(0, 0, 0.1),
    pollSec: fc.constantFrom(2, 5, 10),
    seed,
  })
  .map(({ workers, load, pollSec, misses, seed: luck, ...law }) => {
    const perSec = law.mu * workers;
    return {
      law: { ...law, lambda: perSec * load, backlog: Math.round(400 * perSec + 10 * workers + 100) },
      workers,
      pollSec,
      misses,
      seed: luck,
    };
  });

const quietPlants: fc.Arbitrary<Case> = fc
  .record({
    mu: over(8, 16),
    workers: fc.integer({ min: 16, max: 24 }),
    load: between(0.5, 0.9),
    serviceCv: fc.constantFrom(0, 0.5),
    prefetch: fc.constant(1),
    statsSec: fc.constant(0),
    ...evenly,
    seed,
  })
  .map(({ workers, load, seed: luck, ...law }) => {
    const lambda = law.mu * workers * load;
    return { law: { ...law, lambda, backlog: Math.round(lambda * 600) }, workers, pollSec: 10, misses: 0, seed: luck };
  });

describe("DESIGN 2.9: mu and lambda of a thousand random plants", { timeout: PATIENCE_MS }, () => {
  it("are within 5% after three saturated windows with rates", () => {
    fc.assert(
      fc.property(busyPlants, (plant) => {
        const last = measured(plant, 4).at(-1);
        expect(last?.muSource).toBe(1);
        expect(errorOf(last?.mu ?? null, plant.law.mu)).toBeLessThan(0.05);
        expect(errorOf(last?.lambda ?? null, plant.law.lambda)).toBeLessThan(0.05);
      }),
      { numRuns: PLANTS, seed: SEED },
    );
  });

  it("lie within their 95% intervals in 90 to 99 of 100 cases, with rates", () => {
    const seen = fc.sample(plants, { numRuns: PLANTS, seed: SEED }).flatMap((plant) => {
      const decisions = measured(plant, 13);
      return [decisions.at(3), decisions.at(12)].map((decision) => ({ plant, decision }));
    });
    expectHonest(seen);
  });

  it.each([
    [1, [8, 12, 20]],
    [3, [3, 5, 8, 12]],
    [10, [1, 2, 3, 5, 8, 12]],
    [30, [2, 3, 5, 8, 12]],
  ])("lie within them where %i messages arrive at a time, after windows %j", (burst, windows) => {
    const bursting = plants.map(({ law, ...plant }) => ({ ...plant, law: { ...law, burst } }));
    const held = fc.sample(bursting, { numRuns: 200, seed: SEED }).flatMap((plant) => {
      const decisions = measured(plant, Math.max(...windows) + 1);
      return windows.map((window) => holds(decisions.at(window)?.lambdaInterval ?? null, plant.law.lambda));
    });
    const share = held.filter(Boolean).length / held.length;
    expect(share).toBeGreaterThan(0.9);
    expect(share).toBeLessThan(0.99);
  });

  it("are within 10% after twenty windows without rates, and as often within their intervals", () => {
    const seen = fc.sample(quietPlants, { numRuns: PLANTS, seed: SEED }).flatMap((plant) => {
      const decisions = inferred(plant, 20);
      const last = decisions.at(20);
      expect(last?.muSource, JSON.stringify(plant)).toBe(2);
      expect(errorOf(last?.mu ?? null, plant.law.mu), JSON.stringify(plant)).toBeLessThan(0.1);
      expect(errorOf(last?.lambda ?? null, plant.law.lambda), JSON.stringify(plant)).toBeLessThan(0.1);
      return [decisions.at(12), last].map((decision) => ({ plant, decision }));
    });
    expectHonest(seen);
  });
});

/** Hours of loads that stand still, at plants drawn at random: how often the pool turns. */
import { programConfig } from "effiqueue/decide";
import {
  constant,
  drawLoad,
  PLANT,
  type PlantOptions,
  programController,
  simulateController,
} from "effiqueue/simulate";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { between } from "../support/spread.ts";
import { brokerOf, service } from "./plants.ts";

/** As many hours as are simulated; more of them are asked for by hand. */
const HOURS = Number(process.env["SIMULATED_HOURS"] ?? 60);

/** What is claimed of chance holds for nearly all plants: these are the same at every run. */
const SEED = 20_261_130;

/** A quarter of an hour until it is known that the load stands still, and as much to learn how much work that is. */
const SETTLED_SEC = 1_800;
const MOST_TURNS = 6;

/** Of a thousand plants ten may see chance that looks like another load, and turn as they like for a quarter of an hour; of sixty none. */
const MISTAKEN_SHARE = 0.01;

interface Case {
  readonly limits: { readonly minWorkers: number; readonly sloDrainTime: number; readonly pollInterval: number };
  readonly plant: PlantOptions;
  readonly perSec: number;
  readonly seed: number;
}

const cases: fc.Arbitrary<Case> = fc
  .record({
    limits: fc.record({
      minWorkers: fc.constantFrom(0, 1, 2),
      sloDrainTime: fc.constantFrom(10, 30, 60, 300),
      pollInterval: fc.constantFrom(2, 5, 10),
    }),
    service,
    slots: fc.constantFrom(1, 1, 4),
    startupSec: between(0, 15),
    drainTimeoutSec: fc.constantFrom(5, 30),
    crashEverySec: fc.constantFrom(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 300),
    broker: brokerOf([3_000, 3_200]),
    workersOfWork: between(0, 12),
    seed: fc.integer({ min: 1, max: 1e6 }),
  })
  .map(({ limits, workersOfWork, seed, ...given }) => ({
    limits,
    plant: { ...PLANT, ...given, initialWorkers: 1, quietSec: 0 },
    perSec: (workersOfWork * given.slots) / given.service.meanSec,
    seed,
  }))
  // Fewer are single messages: whether a worker waits for them is the floor's to say (2.18).
  .filter(({ limits, perSec }) => perSec * limits.sloDrainTime >= 4);

/** Workers that are asked for, from decision to decision of the settled hour: who has crashed is replaced, and that is no turn. */
function ordersOf({ limits, plant, perSec, seed }: Case): number[] {
  const base = { command: "w", queueConnection: "amqp://localhost", queueName: "q", maxWorkers: 20 };
  const program = programConfig({ ...base, ...limits });
  const policy = programController(program);
  const orders: number[] = [];
  simulateController({
    controller: {
      ...policy,
      decide: (view) => {
        const answer = policy.decide(view);
        if (view.atSec >= SETTLED_SEC) orders.push(answer.desired);
        return answer;
      },
    },
    load: drawLoad(constant({ lengthSec: SETTLED_SEC + 3_600 }, { perSec }), plant.service, seed),
    plant,
    sloSec: limits.sloDrainTime,
    maxWorkers: program.maxWorkers,
    seed,
  });
  return orders;
}

function turnsOf(orders: readonly number[]): number {
  const ways = orders.flatMap((workers, i) => Math.sign(workers - (orders[i - 1] ?? workers)) || []);
  return ways.filter((way, i) => i > 0 && way !== ways[i - 1]).length;
}

describe("DESIGN 2.20: a load that stands still, at random plants", () => {
  it("turns the pool no more than six times an hour, but where chance looks like another load", {
    timeout: 120_000 + HOURS * 2_000,
  }, () => {
    const turns = fc.sample(cases, { numRuns: HOURS, seed: SEED }).map((plant) => turnsOf(ordersOf(plant)));
    expect(turns.length).toBe(HOURS);
    expect(turns.some((count) => count > 0)).toBe(true);
    expect(turns.filter((count) => count > MOST_TURNS).length).toBeLessThanOrEqual(HOURS * MISTAKEN_SHARE);
  });
});

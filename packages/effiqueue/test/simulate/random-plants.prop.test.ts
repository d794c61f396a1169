import { programConfig } from "effiqueue/decide";
import {
  bursts,
  constant,
  drawLoad,
  PLANT_MEMORY,
  type PlantOptions,
  programController,
  seeded,
  simulateController,
  type Trace,
} from "effiqueue/simulate";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { between } from "../support/spread.ts";
import { brokerOf, service } from "./plants.ts";

/** As many hours as are simulated; more of them are asked for by hand. */
const HOURS = Number(process.env["SIMULATED_HOURS"] ?? 40);

const limits = fc.record({
  minWorkers: fc.integer({ min: 0, max: 3 }),
  maxWorkers: fc.integer({ min: 3, max: 25 }),
  sloDrainTime: fc.constantFrom(10, 30, 60, 300),
  pollInterval: fc.constantFrom(2, 5, 10),
});

const plant: fc.Arbitrary<PlantOptions> = fc.record({
  service,
  slots: fc.constantFrom(1, 1, 4),
  startupSec: between(0, 15),
  startupSpread: fc.constant(0.2),
  drainTimeoutSec: fc.constantFrom(5, 30),
  crashEverySec: fc.constantFrom(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 300),
  speed: fc.constantFrom([], [{ fromSec: 1200, factor: 0.4 }]),
  knee: fc.constantFrom(null, null, { slots: 6 }, { contention: 0.03, coherence: 0.001 }),
  kneeUntilSec: fc.constantFrom(Number.POSITIVE_INFINITY, 1800),
  memory: fc.constantFrom(null, { ...PLANT_MEMORY, totalBytes: 4e9, leakBytesPerMessage: 1e5 }),
  broker: brokerOf([1000, 1200]),
  initialWorkers: fc.integer({ min: 0, max: 3 }),
  quietSec: fc.constant(120),
});

/** One hour of the program, with every answer of its policy. */
function hourOf(options: object, given: PlantOptions, trace: Trace, seed: number) {
  const program = programConfig({ command: "w", queueConnection: "amqp://localhost", queueName: "q", ...options });
  const policy = programController(program);
  const answers: { desired: number; figures: (number | null | undefined)[] }[] = [];
  const run = simulateController({
    controller: {
      ...policy,
      decide: (view) => {
        const answer = policy.decide(view);
        const { desired, needed, capacity, mu, lambda, gapWorkers } = answer;
        answers.push({ desired, figures: [needed, capacity, mu, lambda, gapWorkers] });
        return answer;
      },
    },
    load: drawLoad(trace, given.service, seed),
    plant: given,
    sloSec: program.sloDrainTime ?? 30,
    maxWorkers: program.maxWorkers,
    seed,
  });
  return { program, answers, run };
}

describe("DESIGN 13.1: hours of random plants, loads and faults", () => {
  it("a decision is a whole number within floor and ceiling, and no figure of it is NaN", {
    timeout: 60_000 + HOURS * 2_000,
  }, () => {
    const shape = fc.record({
      calmPerSec: between(0, 2),
      loudPerSec: between(0, 12),
      seed: fc.integer({ min: 1, max: 1e6 }),
    });
    fc.assert(
      fc.property(limits, plant, shape, (options, given, { calmPerSec, loudPerSec, seed }) => {
        const loud = { calmPerSec, loudPerSec, calmSec: 300, loudSec: 120 };
        const trace = bursts({ lengthSec: 3600 }, loud, seeded("shape", seed));
        const { program, answers } = hourOf(options, given, trace, seed);
        expect(answers.length).toBeGreaterThan(300);
        for (const { desired, figures } of answers) {
          expect(Number.isInteger(desired)).toBe(true);
          expect(desired).toBeGreaterThanOrEqual(program.minWorkers);
          expect(desired).toBeLessThanOrEqual(program.maxWorkers);
          for (const figure of figures) expect(figure).not.toBeNaN();
        }
      }),
      { numRuns: HOURS },
    );
  });

  it("the same seed decides the same, whatever the faults", () => {
    fc.assert(
      fc.property(limits, plant, fc.integer({ min: 1, max: 1e6 }), (options, given, seed) => {
        const trace = constant({ lengthSec: 600 }, { perSec: 2 });
        const [one, two] = [hourOf(options, given, trace, seed), hourOf(options, given, trace, seed)];
        expect(one.answers).toEqual(two.answers);
      }),
      { numRuns: 10 },
    );
  });
});

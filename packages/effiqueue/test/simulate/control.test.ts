/** What the policy promises of whole runs, each at a plant that shows it. */
import { programConfig } from "effiqueue/decide";
import {
  type Answer,
  constant,
  drawLoad,
  flood,
  PLANT,
  type PlantOptions,
  programController,
  simulate,
  simulateController,
  type Trace,
} from "effiqueue/simulate";
import { describe, expect, it } from "vitest";

const LOGNORMAL = { law: "lognormal", meanSec: 0.5, cv: 0.5 } as const;

/** Half a second a message, 5 s to start, and a broker that counts every 5 s. */
const plant = (given: Partial<PlantOptions> = {}): PlantOptions => ({
  ...PLANT,
  service: LOGNORMAL,
  startupSec: 5,
  broker: { ...PLANT.broker, counts: "sampled" },
  initialWorkers: 1,
  quietSec: 0,
  ...given,
});

const program = (options: object) =>
  programConfig({
    command: "w",
    queueConnection: "amqp://localhost",
    queueName: "q",
    sloDrainTime: 30,
    pollInterval: 2,
    minWorkers: 1,
    maxWorkers: 20,
    ...options,
  });

/** Every answer of the policy, and how the run went. */
function run(options: object, trace: Trace, given: PlantOptions) {
  const config = program(options);
  const policy = programController(config);
  const answers: (Answer & { readonly atSec: number })[] = [];
  const { score } = simulateController({
    controller: {
      ...policy,
      decide: (view) => {
        const answer = policy.decide(view);
        answers.push({ ...answer, atSec: view.atSec });
        return answer;
      },
    },
    load: drawLoad(trace, given.service, 1),
    plant: given,
    sloSec: config.sloDrainTime ?? Number.NaN,
    maxWorkers: config.maxWorkers,
    seed: 1,
  });
  return { answers, score };
}

describe("DESIGN 2.18: a load that stands still", () => {
  const SETTLED_SEC = 900;
  const turns = (perSec: number, lengthSec: number, seed: number) =>
    simulate({ program: program({}), trace: constant({ lengthSec }, { perSec }), plant: plant(), seed }).score
      .reversals;

  it.each([0.4, 1.9, 2.6, 3.4, 4.1, 7, 8, 11.8, 17, 24.2])(
    "of %d messages/s turns the pool no more than six times an hour once it has settled",
    (perSec) => {
      for (const seed of [1, 2]) {
        // The same seed is the same run as far as the shorter one goes.
        const later = turns(perSec, SETTLED_SEC + 3_600, seed) - turns(perSec, SETTLED_SEC, seed);
        expect(later).toBeLessThanOrEqual(6);
      }
    },
  );
});

describe("DESIGN 2.17: single messages without a floor", () => {
  it("teach what a worker does, and keep nobody up", () => {
    const slow = plant({ service: { law: "constant", meanSec: 4 }, initialWorkers: 0 });
    const trace = constant({ lengthSec: 3_600 }, { perSec: 1 / 90 });
    const { answers, score } = run({ minWorkers: 0, sloDrainTime: 60 }, trace, slow);
    const mu = answers.at(-1)?.mu ?? 0;
    expect(mu).toBeGreaterThan(0.25 / 2);
    expect(mu).toBeLessThan(0.25 * 2);
    expect(Math.max(...answers.map(({ desired }) => desired))).toBeLessThanOrEqual(2);
    expect(score.late).toBe(0);
    // Some 40 messages of 4 s, 5 s to start for each, and a broker that is told of the end 5 s later.
    expect(score.workerSec).toBeLessThan(1_200);
  });
});

describe("DESIGN 3.1: a load that is too much", () => {
  const FROM_SEC = 1_200;
  const UNTIL_SEC = 1_500;
  const trace = flood(
    { lengthSec: 3_600, intervalSec: 10 },
    { basePerSec: 8, messages: 52 * (UNTIL_SEC - FROM_SEC), atSec: FROM_SEC, withinSec: UNTIL_SEC - FROM_SEC },
  );
  const { answers } = run({ sloDrainTime: 60 }, trace, plant({ initialWorkers: 5 }));
  const within = (fromSec: number, untilSec: number) =>
    answers.filter(({ atSec }) => atSec >= fromSec && atSec < untilSec);

  it("pins the pool to its limit, and says what is missing until the end", () => {
    for (const { desired, needed, gapWorkers } of within(FROM_SEC + 30, UNTIL_SEC)) {
      expect(desired).toBe(20);
      expect(needed).toBeGreaterThan(20);
      expect(gapWorkers).toBeGreaterThan(0);
    }
  });

  it("is followed by what the load takes, without a swing", () => {
    const after = within(UNTIL_SEC, 3_600);
    const calm = after.findIndex(({ desired }) => desired < 20);
    const rest = after.slice(calm);
    expect(calm).toBeGreaterThan(0);
    // Four workers' worth arrives.
    for (const { desired, gapWorkers } of rest) {
      expect(desired).toBeGreaterThanOrEqual(3);
      expect(desired).toBeLessThanOrEqual(8);
      expect(gapWorkers).toBe(0);
    }
  });
});

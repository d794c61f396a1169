import { type ProgramDecision, programConfig } from "effiqueue/decide";
import {
  bursts,
  constant,
  diurnal,
  drawLoad,
  PLANT,
  type PlantOptions,
  programController,
  seeded,
  simulateController,
  type Trace,
} from "effiqueue/simulate";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { between, over } from "../support/spread.ts";

/**
 * These plants are the same at every run, but what is claimed of them holds for nearly any others (DESIGN 2.16): one seed in a hundred
 * or fewer would miss a bound. Only the last is a mean that a hundred plants are too few for: one in two hundred has a false knee.
 */
const SEED = 20_261_130;

const worker = fc
  .record({
    meanSec: over(0.1, 1),
    law: fc.constantFrom("constant" as const, "exponential" as const, "lognormal" as const),
    cv: between(0.2, 1.2),
    startupSec: between(0, 10),
    pollSec: fc.constantFrom(2, 5, 10),
    noise: fc.constantFrom(0, 0, 0.05),
    missShare: fc.constantFrom(0, 0, 0.1),
    prefetch: fc.constantFrom(0, 0, 10),
    seed: fc.integer({ min: 1, max: 1e6 }),
  })
  .map(({ meanSec, law, cv, startupSec, noise, missShare, prefetch, ...rest }) => ({
    ...rest,
    meanSec,
    plant: {
      service: law === "lognormal" ? { law, meanSec, cv } : { law, meanSec },
      startupSec,
      broker: { ...PLANT.broker, noise, missShare, prefetch },
    },
  }));

interface Look {
  readonly atSec: number;
  readonly workers: number;
  readonly finished: number;
  readonly desired: number;
  readonly boundBy: ProgramDecision["boundBy"];
}

interface Case {
  readonly plant: Partial<PlantOptions>;
  readonly trace: Trace;
  readonly maxWorkers: number;
  readonly pollSec: number;
  readonly seed: number;
}

/** Everything that the policy saw and said. */
function looksOf({ plant, trace, maxWorkers, pollSec, seed }: Case): readonly Look[] {
  const options = { command: "w", queueConnection: "amqp://localhost", queueName: "q", sloDrainTime: 60 };
  const program = programConfig({ ...options, maxWorkers, pollInterval: pollSec });
  const policy = programController(program);
  const whole = { ...PLANT, initialWorkers: 0, quietSec: 0, ...plant };
  const looks: Look[] = [];
  let finished = 0;
  simulateController({
    controller: {
      ...policy,
      decide: (view) => {
        const answer = policy.decide(view);
        const { queue, workers } = view.observation;
        finished = queue?.ackedTotal ?? finished;
        const { desired, boundBy = "max_workers" } = answer;
        looks.push({ atSec: view.atSec, workers: workers.starting + workers.serving, finished, desired, boundBy });
        return answer;
      },
    },
    load: drawLoad(trace, whole.service, seed),
    plant: whole,
    sloSec: 60,
    maxWorkers,
    seed,
  });
  return looks;
}

/** Messages/s and workers, on average, from a second on. */
function averageOf(looks: readonly Look[], fromSec: number): { readonly perSec: number; readonly workers: number } {
  const late = looks.filter(({ atSec }) => atSec >= fromSec);
  const [first, last] = [late.at(0), late.at(-1)];
  if (first === undefined || last === undefined) throw new Error("too short");
  return {
    perSec: (last.finished - first.finished) / (last.atSec - first.atSec),
    workers: late.reduce((sum, { workers }) => sum + workers, 0) / late.length,
  };
}

const isAtKnee = ({ boundBy }: Look): boolean => boundBy === "cpu" || boundBy === "downstream";
const shareOf = <T>(all: readonly T[], is: (each: T) => boolean): number => all.filter(is).length / all.length;

const HOUR = 3600;

describe("DESIGN 2.16: the knee of random plants", { timeout: 300_000 }, () => {
  const kneed = fc.sample(
    fc.record({ worker, slots: fc.integer({ min: 2, max: 15 }), more: between(1.5, 4), load: between(1.2, 2) }),
    { numRuns: 40, seed: SEED },
  );

  it("is found, with no more than a twentieth of the throughput lost", () => {
    const seen = kneed.map(({ worker: { plant, meanSec, pollSec, seed }, slots, more, load }) => {
      const full = slots / meanSec;
      const looks = looksOf({
        plant: { ...plant, knee: { slots } },
        trace: constant({ lengthSec: HOUR }, { perSec: load * full }),
        maxWorkers: Math.ceil(slots * more),
        pollSec,
        seed,
      });
      const { perSec, workers } = averageOf(looks, HOUR / 2);
      return { kept: perSec / full, workers: workers / slots, foundAt: looks.find(isAtKnee)?.atSec ?? HOUR };
    });
    expect(shareOf(seen, ({ foundAt }) => foundAt < 1600)).toBeGreaterThan(0.9);
    expect(shareOf(seen, ({ kept }) => kept > 0.95)).toBeGreaterThan(0.95);
    expect(shareOf(seen, ({ workers }) => workers < 1.3)).toBeGreaterThanOrEqual(0.9);
  });

  it("that has gone is noticed when it is asked again", () => {
    const seen = kneed.slice(0, 15).map(({ worker: { plant, meanSec, pollSec, seed }, slots }) => {
      const looks = looksOf({
        plant: { ...plant, knee: { slots }, kneeUntilSec: HOUR / 2 },
        trace: constant({ lengthSec: 1.5 * HOUR }, { perSec: (4 * slots) / meanSec }),
        maxWorkers: 3 * slots,
        pollSec,
        seed,
      });
      return averageOf(looks, 1.25 * HOUR).workers / slots;
    });
    expect(shareOf(seen, (workers) => workers > 2)).toBeGreaterThan(0.9);
  });

  it("is seen in less than one of a hundred plants that have none, whatever their load and however their speed changes", () => {
    const shapes = fc.constantFrom("overload", "wandering", "jump", "bursts", "day");
    const free = fc.sample(
      fc.record({ worker, shape: shapes, size: fc.integer({ min: 3, max: 25 }), load: between(0.4, 2) }),
      {
        numRuns: 100,
        seed: SEED,
      },
    );
    const alarms = free.filter(({ worker: { plant, meanSec, pollSec, seed }, shape, size, load }) => {
      const chance = seeded("shape", seed);
      const perSec = (load * size) / meanSec;
      const span = { lengthSec: HOUR };
      const trace =
        shape === "bursts"
          ? bursts(span, { calmPerSec: 0.3 * perSec, loudPerSec: 2 * perSec, calmSec: 300, loudSec: 120 }, chance)
          : shape === "day"
            ? diurnal(span, { lowPerSec: 0.2 * perSec, highPerSec: 1.3 * perSec, periodSec: 1800 })
            : constant(span, { perSec });
      const wandering = Array.from({ length: 40 }, (_, i) => ({
        fromSec: 90 * (i + chance.next()),
        factor: Math.exp(0.6 * (chance.next() - 0.5)),
      }));
      const jump = [{ fromSec: 300 + 2400 * chance.next(), factor: chance.next() < 0.5 ? 1 / 3 : 3 }];
      const speed = shape === "wandering" ? wandering : shape === "jump" ? jump : [];
      return looksOf({ plant: { ...plant, speed }, trace, maxWorkers: size, pollSec, seed }).some(isAtKnee);
    });
    expect(alarms.length / free.length).toBeLessThan(0.01);
  });
});

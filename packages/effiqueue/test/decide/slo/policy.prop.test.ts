import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { initialState, type Observation, programConfig, type State, step } from "../../../src/decide/index.ts";
import { frozen, observation as observe, program, type Seen } from "./drive.ts";

const settings = fc
  .record({
    minWorkers: fc.integer({ min: 0, max: 5 }),
    extra: fc.integer({ min: 0, max: 25 }),
    sloDrainTime: fc.integer({ min: 1, max: 300 }),
    hysteresis: fc.integer({ min: 0, max: 3 }),
    cooldownTicks: fc.integer({ min: 0, max: 3 }),
    spikeBacklog: fc.constantFrom(0, 100, 1000),
    maxStep: fc.constantFrom("auto" as const, 1, 3),
    ramBudget: fc.option(fc.integer({ min: 1, max: 64 }), { nil: undefined }),
  })
  .map(({ extra, ramBudget, ...rest }) => ({
    ...rest,
    maxWorkers: Math.max(1, rest.minWorkers + extra),
    ramBudget: ramBudget === undefined ? undefined : ramBudget * 1024 ** 2,
  }));

const rate = fc.option(fc.oneof(fc.integer({ min: 0, max: 400 }), fc.constantFrom(0.3, 6.3)), { nil: undefined });
const total = fc.option(fc.integer({ min: 0, max: 100_000 }), { nil: undefined });

const queue = fc.record({
  ready: fc.oneof(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 0, max: 50_000 })),
  unacked: fc.option(fc.integer({ min: 0, max: 30 }), { freq: 8 }),
  ackRate: rate,
  publishRate: rate,
  ackedTotal: total,
  publishedTotal: total,
  consumers: fc.option(fc.integer({ min: 0, max: 40 }), { nil: undefined }),
});

const unreadable = fc.constantFrom<(NonNullable<Seen["queue"]> | null)[]>(
  null,
  { ready: Number.NaN, unacked: 1 },
  { ready: -1, unacked: 0 },
);

const measuredWorker = fc.record({
  pid: fc.integer({ min: 100, max: 110 }),
  ageSec: fc.integer({ min: 0, max: 2_000 }),
  bytes: fc.integer({ min: 0, max: 4 * 1024 ** 2 }),
});

const seenOf = (reading: fc.Arbitrary<NonNullable<Seen["queue"]> | null>): fc.Arbitrary<Observation> =>
  fc
    .record({
      dtSec: fc.integer({ min: 0, max: 30 }),
      queue: reading,
      starting: fc.integer({ min: 0, max: 3 }),
      serving: fc.integer({ min: 0, max: 25 }),
      draining: fc.integer({ min: 0, max: 3 }),
      interference: fc.boolean(),
      memory: fc.record({
        largestWorkerBytes: fc.integer({ min: 0, max: 4 * 1024 ** 2 }),
        swapUsedBytes: fc.integer({ min: 0, max: 10 }),
        swapTotalBytes: fc.integer({ min: 0, max: 10 }),
        pressure: fc.option(fc.constantFrom(0, 0.04, 0.07, 0.1, 0.11, 0.9), { nil: undefined }),
        workers: fc.option(fc.array(measuredWorker, { maxLength: 6 }), { nil: undefined }),
      }),
    })
    .map(observe);

const seen = seenOf(fc.oneof({ weight: 8, arbitrary: queue }, { weight: 1, arbitrary: unreadable }));
const past = fc.array(seen, { maxLength: 25 });

function after(config: ReturnType<typeof program>, history: readonly Observation[]): State {
  return history.reduce((state, each) => step(config, state, each).state, initialState(config));
}

const currentOf = ({ workers }: Observation) => workers.starting + workers.serving;
const clampTo = (value: number, min: number, max: number) => Math.min(Math.max(value, min), max);

describe("DESIGN 2.6: whatever the load and its past", () => {
  it("the pool stays between floor and ceiling, and the capacity at one or more", () => {
    fc.assert(
      fc.property(settings, past, seen, (options, history, now) => {
        const config = program(options);
        const { desired, capacity } = step(config, after(config, history), now).decision;
        expect(Number.isInteger(desired)).toBe(true);
        expect(desired).toBeGreaterThanOrEqual(config.minWorkers);
        expect(desired).toBeLessThanOrEqual(config.maxWorkers);
        expect(capacity).toBeGreaterThanOrEqual(1);
        expect(capacity).toBeLessThanOrEqual(config.maxWorkers);
      }),
    );
  });

  it("the pool is never grown beyond what the machine can hold, except to the floor", () => {
    fc.assert(
      fc.property(settings, past, seen, (options, history, now) => {
        const config = program(options);
        const quiet = { ...now, interference: false };
        const { desired, capacity } = step(
          config,
          after(
            config,
            history.map((each) => ({ ...each, interference: false })),
          ),
          quiet,
        ).decision;
        expect(desired).toBeLessThanOrEqual(Math.max(currentOf(now), capacity, config.minWorkers));
      }),
    );
  });

  it("a step is no longer than it is set", () => {
    fc.assert(
      fc.property(settings, past, seen, fc.integer({ min: 1, max: 4 }), (options, history, now, maxStep) => {
        const config = program({ ...options, maxStep });
        // What was lost is replaced at once, and that is no step.
        const calm = (each: Observation): Observation => ({ ...each, interference: false });
        const { desired } = step(config, after(config, history.map(calm)), calm(now)).decision;
        const from = clampTo(currentOf(now), config.minWorkers, config.maxWorkers);
        expect(Math.abs(desired - from)).toBeLessThanOrEqual(maxStep);
      }),
    );
  });

  it("reason, action and sentence agree with the number", () => {
    fc.assert(
      fc.property(settings, past, seen, (options, history, now) => {
        const config = program(options);
        const { current, desired, action, rationale } = step(config, after(config, history), now).decision;
        expect(action).toBe(desired > current ? "grow" : desired < current ? "shrink" : "hold");
        expect(rationale).not.toMatch(/\n|NaN|undefined|null/);
      }),
    );
  });

  it("rates are positive or unknown, and the source says which", () => {
    fc.assert(
      fc.property(settings, past, seen, (options, history, now) => {
        const config = program(options);
        const { mu, lambda, muSource, needed } = step(config, after(config, history), now).decision;
        expect(mu ?? 1).toBeGreaterThan(0);
        expect(lambda ?? 0).toBeGreaterThanOrEqual(0);
        expect(muSource === 0).toBe(mu === null);
        if (mu === null) expect(needed).toBeNull();
      }),
    );
  });

  it("nothing is changed in place, state survives JSON, and the same twice is the same", () => {
    fc.assert(
      fc.property(settings, past, seen, (options, history, now) => {
        const config = frozen(program(options));
        const state = frozen(after(config, history.map(frozen)));
        const once = step(config, state, frozen(now));
        expect(step(config, state, now)).toEqual(once);
        const thawed = JSON.parse(JSON.stringify(state)) as State;
        expect(thawed).toEqual(state);
        expect(step(config, thawed, now)).toEqual(once);
      }),
    );
  });
});

describe("DESIGN 2.6: an unreadable queue", () => {
  it("never shrinks the pool, except to the ceiling", () => {
    fc.assert(
      fc.property(settings, past, seenOf(unreadable), (options, history, now) => {
        const config = program(options);
        const { desired } = step(config, after(config, history), now).decision;
        expect(desired).toBeGreaterThanOrEqual(clampTo(currentOf(now), config.minWorkers, config.maxWorkers));
      }),
    );
  });

  it("holds exactly what there is, when nobody was lost", () => {
    fc.assert(
      fc.property(settings, past, seenOf(unreadable), (options, history, now) => {
        const config = program(options);
        const calm = (each: Observation): Observation => ({ ...each, interference: false });
        const { desired } = step(config, after(config, history.map(calm)), calm(now)).decision;
        expect(desired).toBe(clampTo(currentOf(now), config.minWorkers, config.maxWorkers));
      }),
    );
  });
});

describe("DESIGN 2.11: the brakes, in whatever state", () => {
  it("never grow a pool beyond its floor, or its first worker, while the machine waits for memory or pages", () => {
    fc.assert(
      fc.property(settings, past, seen, fc.boolean(), (options, history, now, pages) => {
        const config = program(options);
        const pressing = pages ? { swapUsedBytes: 3, swapTotalBytes: 10 } : { pressure: 0.11 };
        const memory = { ...now.memory, ...pressing } as Observation["memory"];
        const { desired } = step(config, after(config, history), { ...now, memory }).decision;
        const current = now.workers.starting + now.workers.serving;
        expect(desired).toBeLessThanOrEqual(Math.max(current, config.minWorkers, 1));
      }),
    );
  });
});

describe("DESIGN 2.6: time has no unit", () => {
  it("decides the same when all times are longer and all rates lower by the same factor", () => {
    fc.assert(
      fc.property(settings, past, seen, fc.constantFrom(2, 4), (given, history, now, unit) => {
        // The pace law knows what chance does to counts, and how long people look on: in seconds (2.14, 2.18).
        const options = given.maxStep === "auto" ? { ...given, maxStep: 3 } : given;
        // What is remembered of the memory fades by the clock, whatever the ticks.
        const memory = { ...now.memory, workers: undefined } as Observation["memory"];
        const alike = (each: Observation): Observation => ({ ...each, memory });
        const slower = ({ queue: reading, ...each }: Observation): Observation => ({
          ...each,
          memory,
          dtSec: each.dtSec * unit,
          queue: reading && {
            ...reading,
            ackRate: typeof reading.ackRate === "number" ? reading.ackRate / unit : undefined,
            publishRate: typeof reading.publishRate === "number" ? reading.publishRate / unit : undefined,
          },
        });
        const plain = program(options);
        const stretched = program({ ...options, sloDrainTime: options.sloDrainTime * unit });
        const { decision } = step(plain, after(plain, history.map(alike)), alike(now));
        const scaled = step(stretched, after(stretched, history.map(slower)), slower(now)).decision;
        expect(scaled.desired).toBe(decision.desired);
        expect(scaled.needed).toBe(decision.needed);
        expect(scaled.muSource).toBe(decision.muSource);
      }),
    );
  });
});

describe("DESIGN 2.6: a pool that obeys", () => {
  it("ends near what the load needs, from wherever it began", () => {
    const plant = fc.record({
      mu: fc.constantFrom(1, 2, 5),
      share: fc.integer({ min: 2, max: 8 }),
      start: fc.integer({ min: 0, max: 20 }),
      backlog: fc.integer({ min: 0, max: 5_000 }),
    });
    fc.assert(
      fc.property(plant, ({ mu, share, start, backlog }) => {
        const lambda = mu * share * 0.9;
        const config = programConfig({ ...program({ sloDrainTime: 120 }), ramHeadroom: undefined, ramBudget: "1TB" });
        let state = initialState(config);
        let serving = start;
        let waiting = backlog;
        let done = 1_000;
        let arrived = 1_000;
        let did = 0;
        for (let tick = 0; tick < 300; tick += 1) {
          const ready = Math.max(0, Math.round(waiting) - serving);
          const { state: next, decision } = step(
            config,
            state,
            observe({
              serving,
              queue: {
                ready,
                unacked: Math.min(serving, Math.round(waiting)),
                ackRate: did / 10,
                publishRate: lambda,
                ackedTotal: done,
                publishedTotal: arrived,
              },
            }),
          );
          state = next;
          serving = decision.desired;
          did = Math.min(waiting + lambda * 10, mu * serving * 10);
          waiting += lambda * 10 - did;
          done += did;
          arrived += lambda * 10;
        }
        // A pool that is short of a part of a worker serves until the queue is as long as it may be, and grows then.
        expect(serving).toBeGreaterThanOrEqual(share - 1);
        // The last window with work for all may have been one in which the pool changed: mu is then known to a factor of two.
        expect(serving).toBeLessThanOrEqual(share * 2 + 1);
        expect(waiting).toBeLessThan(lambda * 120);
      }),
      { numRuns: 30 },
    );
  });
});

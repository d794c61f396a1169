import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  computeDesired,
  type HpaConfig,
  type HpaState,
  initialHpaState,
  type Observation,
  stepHpa,
} from "../../src/decide/index.ts";

const config: fc.Arbitrary<HpaConfig> = fc
  .record({
    minWorkers: fc.integer({ min: 0, max: 12 }),
    extra: fc.integer({ min: 0, max: 20 }),
    targetQueueDepthPerWorker: fc.integer({ min: 1, max: 30 }),
    targetUtilisation: fc.integer({ min: 1, max: 20 }).map((twentieths) => twentieths / 20),
    scaleUpWindowSec: fc.integer({ min: 0, max: 60 }),
    scaleDownWindowSec: fc.integer({ min: 0, max: 300 }),
    tolerance: fc.integer({ min: 0, max: 50 }).map((percent) => percent / 100),
    threadsPerWorker: fc.integer({ min: 1, max: 8 }),
  })
  .map(({ extra, ...rest }) => ({ ...rest, maxWorkers: Math.max(1, rest.minWorkers + extra) }));

const readable = fc.record({
  ready: fc.oneof(fc.integer({ min: 0, max: 50 }), fc.integer({ min: 0, max: 2000 })),
  unacked: fc.option(fc.integer({ min: 0, max: 200 }), { freq: 10 }),
  unackedByDraining: fc.integer({ min: 0, max: 40 }),
});

const nonsense = fc.constantFrom(-1, 0.5, Number.NaN, Infinity, -Infinity, 2 ** 60);

const unreadable = fc.oneof(
  fc.constant(null),
  fc.record({ ready: nonsense, unacked: fc.integer({ min: 0, max: 9 }) }),
  fc.record({ ready: fc.integer({ min: 0, max: 9 }), unacked: nonsense }),
);

const workers = fc
  .record({
    starting: fc.integer({ min: 0, max: 5 }),
    serving: fc.integer({ min: 0, max: 40 }),
    draining: fc.integer({ min: 0, max: 5 }),
    slots: fc.option(fc.integer({ min: 0, max: 300 }), { nil: undefined }),
  })
  .map(({ slots, ...counts }) => (slots === undefined ? counts : { ...counts, slots }));

const observationOf = (queue: fc.Arbitrary<Observation["queue"]>): fc.Arbitrary<Observation> =>
  fc.record({ dtSec: fc.integer({ min: 0, max: 120 }), queue, workers });

const observation = observationOf(fc.oneof({ weight: 8, arbitrary: readable }, { weight: 1, arbitrary: unreadable }));
const history = fc.array(observation, { maxLength: 12 });

function after(settings: HpaConfig, past: readonly Observation[]): HpaState {
  return past.reduce((state, seen) => stepHpa(settings, state, seen).state, initialHpaState());
}

const currentOf = ({ workers: { starting, serving } }: Observation): number => starting + serving;

describe("DESIGN 8.7: whatever the load and its past", () => {
  it("the pool stays between floor and ceiling", () => {
    fc.assert(
      fc.property(config, history, observation, (settings, past, now) => {
        const { desired } = stepHpa(settings, after(settings, past), now).decision;
        expect(Number.isInteger(desired)).toBe(true);
        expect(desired).toBeGreaterThanOrEqual(settings.minWorkers);
        expect(desired).toBeLessThanOrEqual(settings.maxWorkers);
      }),
    );
  });

  it("more pending or more running jobs never ask for fewer workers", () => {
    const jobs = fc.integer({ min: 0, max: 200 });
    const load = fc.record({ ready: jobs, unacked: jobs, unackedByDraining: jobs });
    fc.assert(
      fc.property(config, history, observation, load, jobs, jobs, (settings, past, now, queue, ready, unacked) => {
        const state = after(settings, past);
        const busier = { ...queue, ready: queue.ready + ready, unacked: queue.unacked + unacked };
        const few = stepHpa(settings, state, { ...now, queue }).decision.desired;
        expect(stepHpa(settings, state, { ...now, queue: busier }).decision.desired).toBeGreaterThanOrEqual(few);
      }),
    );
  });

  it("a pool with more running jobs than slots is asked to grow, unless the ceiling forbids it", () => {
    const pool = fc.record({ current: fc.integer({ min: 1, max: 40 }), excess: fc.integer({ min: 1, max: 20 }) });
    fc.assert(
      fc.property(config, pool, fc.boolean(), (settings, { current, excess }, measured) => {
        const slots = current * settings.threadsPerWorker;
        const { desired } = computeDesired({
          pending: 0,
          running: slots + excess,
          current,
          slots: measured ? slots : undefined,
          config: settings,
        });
        expect(desired).toBeGreaterThanOrEqual(Math.min(current + 1, settings.maxWorkers));
      }),
    );
  });

  it("reason, action and sentence agree with the number", () => {
    fc.assert(
      fc.property(config, history, observation, (settings, past, now) => {
        const { current, desired, action, rationale } = stepHpa(settings, after(settings, past), now).decision;
        expect(action).toBe(desired > current ? "grow" : desired < current ? "shrink" : "hold");
        const prefix = { grow: "scale-up: ", shrink: "scale-down: ", hold: "hold: " }[action];
        expect(rationale.startsWith(prefix)).toBe(true);
        expect(rationale).not.toMatch(/\n|NaN|undefined|null/);
      }),
    );
  });
});

describe("DESIGN 8.5: smoothing", () => {
  const unsmoothed = { scaleUpWindowSec: 0, scaleDownWindowSec: 0 };

  it("never reverses a direction: the result lies between current and what the load asks for now", () => {
    fc.assert(
      fc.property(config, history, observationOf(readable), (settings, past, now) => {
        // Without past and windows the decision is the recommendation itself. Floor and ceiling are not smoothing: the
        // count is taken as they would have it.
        const asked = stepHpa({ ...settings, ...unsmoothed }, initialHpaState(), now).decision.desired;
        const { desired } = stepHpa(settings, after(settings, past), now).decision;
        const current = Math.min(Math.max(currentOf(now), settings.minWorkers), settings.maxWorkers);
        expect(desired).toBeGreaterThanOrEqual(Math.min(asked, current));
        expect(desired).toBeLessThanOrEqual(Math.max(asked, current));
      }),
    );
  });

  it("knows no unit of time: the same in half-seconds or in four-second units", () => {
    fc.assert(
      fc.property(config, history, observation, fc.constantFrom(0.5, 4), (settings, past, now, unit) => {
        const stretched = {
          ...settings,
          scaleUpWindowSec: settings.scaleUpWindowSec * unit,
          scaleDownWindowSec: settings.scaleDownWindowSec * unit,
        };
        const slower = (seen: Observation): Observation => ({ ...seen, dtSec: seen.dtSec * unit });
        const plain = stepHpa(settings, after(settings, past), now).decision;
        const scaled = stepHpa(stretched, after(stretched, past.map(slower)), slower(now)).decision;
        expect({ ...scaled, rationale: "" }).toEqual({ ...plain, rationale: "" });
      }),
    );
  });

  it("remembers no more numbers than lie between floor and ceiling", () => {
    fc.assert(
      fc.property(config, fc.array(observation, { maxLength: 60 }), (settings, past) => {
        const entries = after(settings, past).history ?? [];
        expect(entries.length).toBeLessThanOrEqual(settings.maxWorkers - settings.minWorkers + 1);
      }),
    );
  });
});

describe("DESIGN 8.6: an unreadable queue", () => {
  it("never shrinks the pool, except to the ceiling, nor grows it, except to the floor or to what was last decided", () => {
    fc.assert(
      fc.property(config, history, observationOf(unreadable), (settings, past, now) => {
        const state = after(settings, past);
        const { desired } = stepHpa(settings, state, now).decision;
        const held = Math.max(currentOf(now), settings.minWorkers, state.target ?? 0);
        expect(desired).toBe(Math.min(held, settings.maxWorkers));
      }),
    );
  });

  it("leaves the same state whatever the pool was", () => {
    fc.assert(
      fc.property(config, history, workers, workers, (settings, past, some, others) => {
        const state = after(settings, past);
        const blind = { dtSec: 5, queue: null };
        expect(stepHpa(settings, state, { ...blind, workers: some }).state).toEqual(
          stepHpa(settings, state, { ...blind, workers: others }).state,
        );
      }),
    );
  });

  it("never shrinks a pool whose running jobs cannot be seen, except to the ceiling", () => {
    const unseen = readable.map((queue) => ({ ...queue, unacked: null }));
    fc.assert(
      fc.property(config, history, observationOf(unseen), (settings, past, now) => {
        const { desired } = stepHpa(settings, after(settings, past), now).decision;
        expect(desired).toBeGreaterThanOrEqual(Math.min(currentOf(now), settings.maxWorkers));
      }),
    );
  });
});

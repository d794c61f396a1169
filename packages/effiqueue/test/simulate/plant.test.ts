import { programConfig } from "effiqueue/decide";
import {
  bursts,
  type Controller,
  constant,
  drawLoad,
  flood,
  PLANT,
  PLANT_MEMORY,
  type PlantOptions,
  seeded,
  simulate,
  simulateController,
  type Trace,
  type View,
} from "effiqueue/simulate";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pool } from "./pools.ts";

const program = programConfig({
  command: "worker",
  queueConnection: "amqp://localhost",
  queueName: "q",
  minWorkers: 1,
  maxWorkers: 20,
  sloDrainTime: 30,
  pollInterval: 2,
});

/** One message each second, each of exactly half a second, at whole seconds. */
const beat = (seconds: number) => ({
  arrivesAt: Float64Array.from({ length: seconds }, (_, i) => i + 1),
  work: new Float64Array(seconds).fill(0.5),
  lengthSec: seconds,
});

/** Runs a policy and keeps what it saw. */
function watched(decide: Controller["decide"], load: ReturnType<typeof beat>, plant: Partial<PlantOptions> = {}) {
  const seen: View[] = [];
  const controller: Controller = {
    ...pool(0),
    pollSec: 1,
    sight: "full",
    decide: (view) => {
      seen.push(view);
      return decide(view);
    },
  };
  const whole = { ...PLANT, startupSpread: 0, ...plant };
  const run = simulateController({ controller, load, plant: whole, sloSec: 5, maxWorkers: 50, seed: 1, sampleSec: 1 });
  return { seen, ...run };
}

describe("DESIGN 13.1: a run", () => {
  it("is the same for the same seed, and another for another", () => {
    const trace = bursts({ lengthSec: 900 }, { calmPerSec: 2, loudPerSec: 15, calmSec: 100, loudSec: 50 }, seeded(7));
    const plant = { crashEverySec: 300, broker: { ...PLANT.broker, noise: 0.1, missShare: 0.1 } };
    const run = (seed: number) => simulate({ program, trace, plant, seed, sampleSec: 10 });
    expect(run(5)).toEqual(run(5));
    expect(run(5).score).not.toEqual(run(6).score);
  });

  it("gives every policy the same messages", () => {
    const trace = constant({ lengthSec: 600 }, { perSec: 5 });
    const load = drawLoad(trace, PLANT.service, 3);
    expect(drawLoad(trace, PLANT.service, 3)).toEqual(load);
    expect(drawLoad({ ...trace, spread: "exact" }, PLANT.service, 3).arrivesAt).toHaveLength(3000);
  });

  it("loses no message, and answers for every second of every worker", () => {
    const fraction = fc.double({ min: 0, max: 1, noNaN: true });
    const plants = fc.record({
      slots: fc.integer({ min: 1, max: 4 }),
      startupSec: fc.double({ min: 0, max: 20, noNaN: true }),
      drainTimeoutSec: fc.double({ min: 0, max: 5, noNaN: true }),
      crashEverySec: fc.constantFrom(Number.POSITIVE_INFINITY, 20, 200),
      knee: fc.constantFrom(null, { slots: 4 }, { contention: 0.05, coherence: 0.002 }),
      initialWorkers: fc.integer({ min: 0, max: 5 }),
    });
    fc.assert(
      fc.property(
        plants,
        fc.array(fc.integer({ min: 0, max: 12 }), { minLength: 1, maxLength: 40 }),
        fraction,
        (given, sizes, perSec) => {
          const load = drawLoad(constant({ lengthSec: 200 }, { perSec: 8 * perSec }), PLANT.service, 1);
          let turn = 0;
          const controller: Controller = {
            ...pool(0),
            pollSec: 5,
            decide: () => ({ desired: sizes[turn++ % sizes.length] ?? 0 }),
          };
          const plant = { ...PLANT, ...given, quietSec: 50 };
          const { score, moments } = simulateController({
            controller,
            load,
            plant,
            sloSec: 1,
            maxWorkers: 12,
            seed: 1,
            sampleSec: 1,
          });
          const last = moments.at(-1);
          expect(score.messages).toBe(load.arrivesAt.length);
          expect(score.left).toBeLessThanOrEqual(score.messages);
          expect(score.left).toBe(last?.waiting);
          expect(score.peakWorkers).toBeLessThanOrEqual(12);
          expect(score.workerSec).toBeLessThanOrEqual(score.started * 250);
          expect(score.utilisation).toBeLessThanOrEqual(1 + 1e-9);
          for (const { backlog, waiting, serving, starting } of moments) {
            expect(waiting).toBeGreaterThanOrEqual(0);
            expect(backlog).toBeGreaterThanOrEqual(waiting);
            expect(serving).toBeGreaterThanOrEqual(0);
            expect(starting).toBeGreaterThanOrEqual(0);
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe("DESIGN 13.2: the plant", () => {
  it("lets a new worker take its first message when it has started, and not before", () => {
    const { moments, score } = watched(() => ({ desired: 1 }), beat(20), { initialWorkers: 0, startupSec: 4 });
    expect(moments.find(({ serving }) => serving === 1)?.sec).toBe(5);
    expect(score.waitSec.longest).toBeCloseTo(3, 0);
  });

  it("lets a stopped worker finish what it holds, and puts it back when the drain timeout comes first", () => {
    const slow = { ...beat(1), work: Float64Array.of(10) };
    const stop = (view: View) => ({ desired: view.atSec < 3 ? 1 : 0 });
    const drained = watched(stop, slow, { drainTimeoutSec: 30 });
    expect(drained.score).toMatchObject({ left: 0, redelivered: 0 });
    expect(drained.moments.filter(({ draining }) => draining === 1).length).toBeGreaterThanOrEqual(7);
    expect(watched(stop, slow, { drainTimeoutSec: 2 }).score).toMatchObject({ left: 1, redelivered: 1 });
  });

  it("runs everything slower by the script, at once and exactly", () => {
    const one = { ...beat(1), work: Float64Array.of(10) };
    const { moments } = watched(() => ({ desired: 1 }), one, { speed: [{ fromSec: 6, factor: 0.5 }] });
    // 5 s of work by second 6, the other 5 at half the speed: done at 16.
    expect(moments.filter(({ backlog }) => backlog === 1).at(-1)?.sec).toBe(15);
  });

  it("does no more behind a knee, however many workers there are", () => {
    const trace = constant({ lengthSec: 600 }, { perSec: 20 });
    const done = (workers: number) => {
      const load = drawLoad(trace, PLANT.service, 1);
      const plant = { ...PLANT, knee: { slots: 4 }, initialWorkers: workers, quietSec: 0 };
      const run = simulateController({ controller: pool(workers), load, plant, sloSec: 5, maxWorkers: 50, seed: 1 });
      return run.score.messages - run.score.left;
    };
    expect(done(8) / done(4)).toBeCloseTo(1, 1);
    expect(done(4) / done(2)).toBeCloseTo(2, 1);
  });

  it("tells totals and rates as of the broker's last sample, and counts as of now", () => {
    const { seen } = watched(() => ({ desired: 1 }), beat(60));
    const totals = seen.map(({ observation }) => observation.queue?.publishedTotal ?? 0);
    expect(new Set(totals).size).toBeLessThanOrEqual(14);
    expect(Math.max(...totals)).toBeGreaterThanOrEqual(55);
    const late = seen.at(-60)?.observation.queue;
    expect(late).toMatchObject({ ackRate: expect.any(Number) as number, consumers: 1 });
  });

  it("cannot be read while the broker is away, nor at the share of looks that fail", () => {
    const unread = (broker: Partial<PlantOptions["broker"]>) =>
      watched(() => ({ desired: 1 }), beat(400), { broker: { ...PLANT.broker, ...broker } }).seen.filter(
        ({ observation }) => observation.queue === null,
      );
    expect(unread({}).length).toBe(0);
    const away = unread({ outages: [[100, 120]] });
    expect(away.length).toBeGreaterThanOrEqual(19);
    expect(away.every(({ atSec }) => atSec >= 100 && atSec < 120)).toBe(true);
    expect(unread({ missShare: 0.2 }).length / 520).toBeCloseTo(0.2, 1);
  });

  it("counts messages that were handed out beyond the slots as handed out, though nobody works on them", () => {
    const load = { ...beat(30), arrivesAt: new Float64Array(30).fill(1) };
    const { seen } = watched(() => ({ desired: 1 }), load, { broker: { ...PLANT.broker, prefetch: 10 } });
    expect(seen.find(({ atSec }) => atSec > 2)?.observation.queue).toMatchObject({ unacked: 11 });
  });

  it("says that a worker was lost, looks at once, and delivers its messages again", () => {
    const busy = { ...beat(300), work: new Float64Array(300).fill(2.5) };
    const { seen, score } = watched(() => ({ desired: 3 }), busy, { crashEverySec: 50, initialWorkers: 3 });
    const told = seen.filter(({ observation }) => observation.interference);
    expect(score.crashes).toBeGreaterThan(5);
    expect(told).toHaveLength(score.crashes);
    // Of a cadence of one second alone, the looks would all be at its beats.
    expect(told.some(({ atSec }) => atSec % 1 > 0.1)).toBe(true);
    expect(score.redelivered).toBeGreaterThan(0);
    expect(score.left).toBe(0);
  });

  it("grows workers into memory, slows down when it is full, and kills the largest when it is over", () => {
    const memory = { ...PLANT_MEMORY, totalBytes: 4e9, otherBytes: 2e9 };
    const at = (workers: number) => {
      const load = drawLoad(constant({ lengthSec: 300 }, { perSec: 4 }), PLANT.service, 1);
      const plant = { ...PLANT, memory, initialWorkers: workers };
      return simulateController({ controller: pool(workers), load, plant, sloSec: 5, maxWorkers: 50, seed: 1 }).score;
    };
    expect(at(6)).toMatchObject({ overMemorySec: 0, killedForMemory: 0 });
    expect(at(6).peakBytes).toBeCloseTo(2e9 + 6 * 250e6, -7);
    expect(at(10).overMemorySec).toBeGreaterThan(300);
    expect(at(10).killedForMemory).toBe(0);
    expect(at(20).killedForMemory).toBeGreaterThan(0);
  });

  it("a flood brings what it says", () => {
    const trace: Trace = flood({ lengthSec: 600 }, { basePerSec: 1, messages: 300, atSec: 100, withinSec: 20 });
    expect(trace.arrivals.reduce((a, b) => a + b, 0)).toBeCloseTo(900);
    expect(trace.arrivals[10]).toBeCloseTo(160);
  });
});

describe("DESIGN 13.3: the score", () => {
  /** Three at second 1, each of 10 s, for one worker that is there from the beginning. */
  const queue = { arrivesAt: Float64Array.of(1, 1, 1), work: new Float64Array(3).fill(10), lengthSec: 2 };
  const run = (quietSec: number) =>
    simulateController({
      controller: pool(1),
      load: queue,
      plant: { ...PLANT, quietSec },
      sloSec: 12,
      maxWorkers: 1,
      seed: 1,
    });

  it("late is who waited longer than the SLO before work began", () => {
    const { score, lateAt } = run(98);
    expect(score).toMatchObject({ messages: 3, late: 1, left: 0, waitSec: { mean: 10, p50: 10, longest: 20 } });
    expect(score.lateShare).toBeCloseTo(1 / 3);
    expect(score.doneLateShare).toBeCloseTo(2 / 3);
    expect(lateAt).toEqual([1]);
  });

  it("late is also who is left at the end", () => {
    expect(run(5).score).toMatchObject({ late: 2, left: 2 });
  });

  it("counts changes of the pool, and those that turn back", () => {
    const wishes = [3, 3, 5, 4, 4, 2, 3];
    let turn = 0;
    const { score } = watched(() => ({ desired: wishes[turn++] ?? 3 }), queue, { initialWorkers: 1, quietSec: 20 });
    expect(score).toMatchObject({ actions: 5, reversals: 2, looks: 22 });
  });

  it("the cost is every second of every worker, those that start and drain included", () => {
    const { score } = run(98);
    expect(score.workerSec).toBeCloseTo(100);
    expect(score.utilisation).toBeCloseTo(0.3);
    const grown = watched(() => ({ desired: 2 }), queue, { initialWorkers: 1, quietSec: 98, startupSec: 4 });
    expect(grown.score.workerSec).toBeCloseTo(200, 0);
    expect(grown.score).toMatchObject({ started: 2, actions: 1, peakWorkers: 2 });
  });
});

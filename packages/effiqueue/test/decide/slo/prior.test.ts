/** What an earlier life knew: how far it is believed, and for how long. */
import { initialState, type Observation, programConfig, programPolicy, type State, step } from "effiqueue/decide";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Learned } from "../../../src/model/learned.ts";

const program = programConfig({
  command: "w",
  queueConnection: "amqp://h",
  queueName: "q",
  sloDrainTime: 120,
  maxWorkers: 100,
  pollInterval: 10,
});

const GIB = 1024 ** 3;
const LEARNED: Learned = {
  mu: { value: 8, interval: { low: 7.6, high: 8.4 }, source: 1 },
  lambda: { value: 200, interval: { low: 190, high: 210 } },
  workerBytes: GIB,
  grownBytes: GIB / 2,
};

const look = (queue: Observation["queue"], serving = 10, dtSec = 10): Observation => ({
  dtSec,
  queue,
  workers: { starting: 0, serving, draining: 0 },
  memory: {
    totalBytes: 64 * GIB,
    usedBytes: 20 * GIB,
    poolBytes: 0,
    largestWorkerBytes: 0,
    swapUsedBytes: 0,
    swapTotalBytes: 0,
  },
});

const decided = (ageSec: number, observation = look({ ready: 50_000, unacked: 0 })) =>
  step(program, initialState(program, { ...LEARNED, ageSec }), observation).decision;

const reach = (interval: { low: number; high: number } | null): number =>
  interval === null ? Number.NaN : (interval.high - interval.low) / 2;

describe("DESIGN 7.18: what survives a restart", () => {
  it("is what the first decision is taken by: 50,000 messages and 200/s at 8/s a worker in 120 s need 78", () => {
    expect(decided(0)).toMatchObject({ needed: 78, mu: 8, lambda: 200, muSource: 1 });
    expect(step(program, initialState(program), look({ ready: 50_000, unacked: 0 })).decision).toMatchObject({
      needed: null,
      mu: null,
    });
  });

  it("limits the machine by what a worker took, before any was measured", () => {
    const memory = {
      totalBytes: 10 * GIB,
      usedBytes: 4 * GIB,
      poolBytes: 0,
      largestWorkerBytes: 0,
      swapUsedBytes: 0,
      swapTotalBytes: 0,
    };
    const { decision } = step(
      programConfig({ ...program, ramHeadroom: 2 * GIB }),
      initialState(program, { ...LEARNED, ageSec: 60 }),
      { ...look({ ready: 50_000, unacked: 0 }, 0), memory },
    );
    expect(decision).toMatchObject({ capacity: 4, boundBy: "ram" });
  });

  it.each([
    [0, 0.4],
    [600, 0.4 * 1.01 ** 60],
    [3_600, 0.4 * 1.01 ** 360],
    [86_400, 80],
  ])("is less sure by a hundredth for each poll since: %s s", (ageSec, expected) => {
    // One more for the first tick.
    const { mu, muInterval } = decided(ageSec);
    expect((muInterval?.high ?? 0) - 8).toBeCloseTo(Math.min(80, expected * 1.01), 1);
    expect(mu).toBe(8);
  });

  it("is never surer than it was, and never surer when it is older", () => {
    fc.assert(
      fc.property(fc.nat({ max: 1e7 }), fc.nat({ max: 1e7 }), (a, b) => {
        const [young, old] = [Math.min(a, b), Math.max(a, b)].map((age) => reach(decided(age).muInterval));
        expect(young).toBeGreaterThanOrEqual(0.4);
        expect(old).toBeGreaterThanOrEqual(young ?? Number.NaN);
      }),
    );
  });

  it.each([
    ["the same", 8, 8],
    ["half", 4, 4],
    ["three times as much", 24, 24],
  ])("gives way to what the broker counts: %s", (_, rate, expected) => {
    let state: State = initialState(program, { ...LEARNED, ageSec: 0 });
    let mu: number | null = null;
    for (let tick = 0, total = 0; tick < 20; tick += 1) {
      total += rate * 10 * 10;
      const queue = {
        ready: 50_000,
        unacked: 10,
        ackRate: rate * 10,
        publishRate: 100,
        ackedTotal: total,
        publishedTotal: tick * 1_000,
      };
      const next = step(program, state, look(queue));
      state = next.state;
      mu = next.decision.mu;
    }
    expect(Math.abs((mu ?? 0) - expected)).toBeLessThan(expected * 0.05);
  });

  it("is written down as it was read", () => {
    const policy = programPolicy(program);
    expect(policy.learned?.(policy.initialState({ ...LEARNED, ageSec: 0 }))).toEqual(LEARNED);
    expect(policy.learned?.(policy.initialState())).toEqual({
      mu: null,
      lambda: null,
      workerBytes: null,
      grownBytes: null,
    });
    const threshold = programPolicy(programConfig({ ...program, mode: "threshold" }));
    expect(threshold.learned?.(threshold.initialState({ ...LEARNED, ageSec: 0 }))).toEqual({
      mu: null,
      lambda: null,
      workerBytes: LEARNED.workerBytes,
      grownBytes: LEARNED.grownBytes,
    });
  });

  it("costs no worker for a probe while it is sure", () => {
    const pinned = programConfig({ ...program, maxWorkers: 10 });
    const probes = (state: State): boolean => {
      let [probing, at] = [false, state];
      for (let tick = 0; tick < 15; tick += 1) {
        const next = step(pinned, at, look({ ready: 50_000 + tick, unacked: 10 }));
        probing ||= next.decision.probing;
        at = next.state;
      }
      return probing;
    };
    expect([probes(initialState(pinned)), probes(initialState(pinned, { ...LEARNED, ageSec: 0 }))]).toEqual([
      true,
      false,
    ]);
  });
});

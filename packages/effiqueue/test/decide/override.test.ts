/** The word of an operator, in every mode. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  initialState,
  type MemoryReading,
  type Observation,
  type Override,
  type OverrideKind,
  type ProgramDecision,
  programConfig,
  type State,
  step,
} from "../../src/decide/index.ts";

const MODES = ["slo", "threshold", "hpa"] as const;
type Mode = (typeof MODES)[number];

const MIB = 1024 ** 2;

const program = (mode: Mode) =>
  programConfig({
    command: "w",
    queueConnection: "amqp://h",
    queueName: "q",
    mode,
    sloDrainTime: 60,
    minWorkers: 2,
    maxWorkers: 20,
    ramBudget: "1000MB",
    hysteresis: 0,
    cooldownTicks: 0,
    scaleDownWindow: 0,
  });

const told = (kind: OverrideKind, workers: number): Override => {
  if (kind === "pause-in") return { kind, atLeast: workers, atMost: null };
  return { kind, atLeast: kind === "pause-out" ? 0 : workers, atMost: workers };
};

/** Every worker takes `workerMb`. */
const memory = (workers: number, workerMb: number): MemoryReading => ({
  totalBytes: 64_000 * MIB,
  usedBytes: (1_000 + workers * workerMb) * MIB,
  poolBytes: workers * workerMb * MIB,
  largestWorkerBytes: workers === 0 ? 0 : workerMb * MIB,
  swapUsedBytes: 0,
  swapTotalBytes: 0,
});

const observed = (ready: number, serving: number, override?: Override): Observation => ({
  dtSec: 10,
  queue: { ready, unacked: Math.min(ready, serving) },
  workers: { starting: 0, serving, draining: 0 },
  ...(override === undefined ? {} : { override }),
});

/** After a while without a word: what an empty queue means is believed by then. */
function decide(mode: Mode, observation: Observation): ProgramDecision {
  let state = initialState(program(mode));
  const before = { ...observation, override: undefined };
  for (let tick = 0; tick < 8; tick += 1) state = step(program(mode), state, before).state;
  return step(program(mode), state, observation).decision;
}

describe.each(MODES)("DESIGN 7.13: the word of an operator in mode %s", (mode) => {
  it.each([
    ["more than the queue asks for", 0, 5, told("scale", 6), { desired: 6, reason: "scaled" }, /set to 6 by hand$/],
    ["less than it asks for", 5_000, 12, told("scale", 4), { desired: 4, reason: "scaled" }, /set to 4 by hand$/],
    ["less than the floor", 5_000, 5, told("scale", 1), { desired: 1, reason: "scaled" }, /set to 1 by hand$/],
    ["none, whatever waits", 5_000, 5, told("drain", 0), { desired: 0, reason: "drained" }, /drained by hand$/],
    [
      "no less than before, of an empty queue",
      0,
      9,
      told("pause", 9),
      { desired: 9, reason: "paused" },
      /paused at 9$/,
    ],
    [
      "no more than before, of a full one",
      5_000,
      3,
      told("pause", 3),
      { desired: 3, reason: "paused" },
      /paused at 3$/,
    ],
    ["lost workers back", 5_000, 5, told("pause", 6), { desired: 6, reason: "paused" }, /paused at 6$/],
    ["not below the floor", 0, 1, told("pause", 1), { desired: 2, reason: "min-workers" }, /paused at 1, floor is 2$/],
    ["no shrinking", 0, 9, told("pause-in", 9), { desired: 9, reason: "paused" }, /scaling in is paused at 9$/],
    ["no growth", 5_000, 3, told("pause-out", 3), { desired: 3, reason: "paused" }, /scaling out is paused at 3$/],
  ] as const)("has %s", (_, ready, serving, override, expected, figures) => {
    const decision = decide(mode, observed(ready, serving, override));
    expect(decision).toMatchObject(expected);
    expect(decision.rationale).toMatch(figures);
    expect(decision.trail.length).toBeGreaterThan(0);
  });

  it("leaves the other direction to the queue", () => {
    const grown = decide(mode, observed(5_000, 3, told("pause-in", 3)));
    expect(grown).toEqual(decide(mode, observed(5_000, 3)));
    expect(grown.desired).toBeGreaterThan(3);
    const shrunk = decide(mode, observed(0, 30, told("pause-out", 30)));
    expect(shrunk).toEqual(decide(mode, observed(0, 30)));
    expect(shrunk.desired).toBeLessThan(30);
  });

  it("holds while the queue cannot be read", () => {
    const override = told("scale", 6);
    expect(decide(mode, { ...observed(0, 5, override), queue: null })).toMatchObject({ desired: 6, reason: "scaled" });
  });

  it("gives way to the ceiling of a schedule", () => {
    const limits = { minWorkers: 0, maxWorkers: 1, ceilingBy: "backup" };
    const decision = decide(mode, { ...observed(0, 2, told("scale", 2)), limits });
    expect(decision).toMatchObject({ desired: 1, reason: "max-workers" });
    expect(decision.rationale).toContain("ceiling is 1 by schedule backup");
  });
});

describe.each(MODES)("DESIGN 7.13: within what the machine can hold, in mode %s", (mode) => {
  it("is cut down to it, and says so", () => {
    const observation = { ...observed(0, 4, told("scale", 20)), memory: memory(4, 100) };
    const decision = decide(mode, observation);
    expect(decision).toMatchObject({ desired: 10, reason: "ram", capacity: 10 });
    expect(decision.rationale).toMatch(/set to 20 by hand, 10 fit \(ram\)$/);
  });

  it("does not grow while swap is in use", () => {
    const swapping = { ...memory(4, 10), swapUsedBytes: 90 * MIB, swapTotalBytes: 100 * MIB };
    const decision = decide(mode, { ...observed(0, 4, told("scale", 20)), memory: swapping });
    expect(decision).toMatchObject({ desired: 4, reason: "swap" });
  });

  it("goes one at a time until a worker was measured", () => {
    const observation = { ...observed(0, 2, told("scale", 20)), memory: { ...memory(2, 0), largestWorkerBytes: null } };
    expect(decide(mode, observation)).toMatchObject({ desired: 3, reason: mode === "hpa" ? "ram" : "max-step" });
  });
});

describe("DESIGN 7.13: the word of an operator", () => {
  it("does not grow above the threshold of used memory", () => {
    const roomy = { ...observed(0, 4, told("scale", 9)), memory: memory(4, 100) };
    expect(decide("threshold", roomy)).toMatchObject({ desired: 9, reason: "scaled" });
    const full = { ...roomy, memory: { ...memory(4, 100), usedBytes: 63_000 * MIB } };
    expect(decide("threshold", full)).toMatchObject({ desired: 4, reason: "ram" });
  });

  it("is followed by the policy as if nothing had been, once it is over", () => {
    let state = initialState(program("slo"));
    for (let tick = 0; tick < 5; tick += 1) {
      const result = step(program("slo"), state, observed(40, 6, told("scale", 6)));
      expect(result.decision).toMatchObject({ desired: 6, probing: false });
      state = result.state;
    }
    const { decision } = step(program("slo"), state, observed(40, 6));
    expect(decision.reason).not.toBe("scaled");
    expect(Math.abs(decision.desired - 6)).toBeLessThanOrEqual(1);
  });
});

const OVERRIDE = fc
  .tuple(fc.constantFrom<OverrideKind>("pause", "pause-in", "pause-out", "scale", "drain"), fc.nat(25))
  .map(([kind, workers]) => told(kind, kind === "drain" ? 0 : workers));

const TICK = fc.record({
  ready: fc.oneof(fc.nat(5_000), fc.constant(Number.NaN)),
  current: fc.nat(22),
  workerMb: fc.integer({ min: 1, max: 400 }),
  override: fc.option(OVERRIDE, { nil: undefined }),
  draining: fc.nat(3),
});

it("never exceeds the ceiling or the machine for an operator, nor breaks the floor but for a number", () => {
  fc.assert(
    fc.property(fc.constantFrom(...MODES), fc.array(TICK, { minLength: 1, maxLength: 15 }), (mode, ticks) => {
      const { minWorkers, maxWorkers } = program(mode);
      let state: State = initialState(program(mode));
      for (const { ready, current, workerMb, override, draining } of ticks) {
        const without: Observation = {
          ...observed(ready, current),
          memory: memory(current, workerMb),
          workers: { starting: 0, serving: current, draining },
        };
        const alone = step(program(mode), state, without).decision;
        const { decision, state: next } = step(program(mode), state, { ...without, override });
        expect(decision.desired).toBeLessThanOrEqual(maxWorkers);
        expect(decision.desired).toBeLessThanOrEqual(Math.max(decision.capacity, alone.desired));
        if (override?.kind === "scale" || override?.kind === "drain") {
          if (override.atLeast <= alone.desired) expect(decision.desired).toBe(Math.min(override.atLeast, maxWorkers));
        } else expect(decision.desired).toBeGreaterThanOrEqual(minWorkers);
        if (override?.kind === "pause-in") expect(decision.desired).toBeGreaterThanOrEqual(alone.desired);
        if (override?.kind === "pause-out") expect(decision.desired).toBeLessThanOrEqual(alone.desired);
        expect(JSON.parse(JSON.stringify(next))).toEqual(next);
        state = next;
      }
    }),
  );
});

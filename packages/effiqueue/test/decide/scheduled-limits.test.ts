/** Floor and ceiling of a tick, in every mode. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { initialState, type Observation, programConfig, type State, step } from "../../src/decide/index.ts";

const MODES = ["slo", "threshold", "hpa"] as const;

const program = (mode: (typeof MODES)[number]) =>
  programConfig({
    command: "w",
    queueConnection: "amqp://h",
    queueName: "q",
    mode,
    sloDrainTime: 60,
    minWorkers: 1,
    maxWorkers: 10,
    ramHeadroom: 0,
  });

const observed = (ready: number, serving: number, limits?: Observation["limits"]): Observation => ({
  dtSec: 10,
  queue: { ready, unacked: Math.min(ready, serving) },
  workers: { starting: 0, serving, draining: 0 },
  ...(limits === undefined ? {} : { limits }),
});

describe("DESIGN 5.5: a decision within the limits of its tick", () => {
  it.each(MODES)("raises the floor at once in mode %s, and names the schedule", (mode) => {
    const limits = { minWorkers: 6, maxWorkers: 10, floorBy: "office hours" };
    const { decision } = step(program(mode), initialState(program(mode)), observed(0, 1, limits));
    expect(decision.desired).toBe(6);
    expect(decision.rationale).toContain("floor is 6 by schedule office hours");
  });

  it.each(MODES)("lowers the ceiling at once in mode %s, whatever waits", (mode) => {
    const limits = { minWorkers: 1, maxWorkers: 3, ceilingBy: "backup" };
    const { decision } = step(program(mode), initialState(program(mode)), observed(5_000, 8, limits));
    expect(decision.desired).toBe(3);
    expect(decision.capacity).toBeLessThanOrEqual(3);
  });

  it.each(MODES)("stops everybody for a ceiling of 0 in mode %s, and goes on afterwards", (mode) => {
    const none = { minWorkers: 0, maxWorkers: 0, ceilingBy: "backup" };
    let state: State = initialState(program(mode));
    for (const current of [4, 0, 0]) {
      const result = step(program(mode), state, observed(500, current, none));
      expect(result.decision).toMatchObject({ desired: 0, capacity: 0 });
      state = result.state;
    }
    expect(step(program(mode), state, observed(500, 0)).decision.desired).toBeGreaterThanOrEqual(1);
  });

  it("stays within them for any limits, queue and pool", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...MODES),
        fc.array(
          fc.record({
            ready: fc.oneof(fc.nat(5_000), fc.constant(Number.NaN)),
            current: fc.nat(12),
            floor: fc.nat(10),
            room: fc.nat(10),
          }),
          { minLength: 1, maxLength: 20 },
        ),
        (mode, ticks) => {
          let state: State = initialState(program(mode));
          for (const { ready, current, floor, room } of ticks) {
            const limits = { minWorkers: floor, maxWorkers: floor + room };
            const result = step(program(mode), state, observed(ready, current, limits));
            expect(result.decision.desired).toBeGreaterThanOrEqual(limits.minWorkers);
            expect(result.decision.desired).toBeLessThanOrEqual(limits.maxWorkers);
            state = result.state;
          }
        },
      ),
    );
  });

  it.each([
    { minWorkers: 3, maxWorkers: 2 },
    { minWorkers: -1, maxWorkers: 2 },
    { minWorkers: 0.5, maxWorkers: 2 },
    { minWorkers: 0, maxWorkers: Number.NaN },
  ])("refuses limits that are none: %j", (limits) => {
    for (const mode of MODES) {
      expect(() => step(program(mode), initialState(program(mode)), observed(1, 1, limits))).toThrow(
        /^limits: expected/,
      );
    }
  });
});

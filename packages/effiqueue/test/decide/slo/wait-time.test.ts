/** What a promised wait asks for, by the age of the oldest message. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { initialState, type Observation, programConfig, step } from "../../../src/decide/index.ts";
import { timeLeftSec, withTimeLeft } from "../../../src/decide/slo/wait-time.ts";

const OPTIONS = { command: "w", queueConnection: "amqp://h", queueName: "q", maxWorkers: 50, ramHeadroom: 0 };

describe("DESIGN 2.12: what the oldest message has left is the drain time", () => {
  it.each([
    { wait: 30, age: 0, left: 30, note: "nothing has waited yet" },
    { wait: 30, age: 12, left: 18, note: "" },
    { wait: 30, age: 22.5, left: 7.5, note: "a quarter is left" },
    { wait: 30, age: 29, left: 7.5, note: "less than a quarter asks for workers without end" },
    { wait: 30, age: 3600, left: 7.5, note: "it is late already" },
    { wait: 0.3, age: 0.1, left: 0.2, note: "without the dust of doubles" },
    { wait: 30, age: undefined, left: 30, note: "the queue cannot tell" },
    { wait: 30, age: null, left: 30, note: "the same" },
    { wait: 30, age: Number.NaN, left: 30, note: "no number" },
    { wait: 30, age: -5, left: 30, note: "stamped by a clock that is ahead" },
  ])("$wait s, $age s old: $left s ($note)", ({ wait, age, left }) => {
    expect(timeLeftSec(wait, age)).toBe(left);
  });

  it("leaves a program with a drain time as it is", () => {
    const program = programConfig({ ...OPTIONS, sloDrainTime: "30s" });
    const observation: Observation = {
      dtSec: 1,
      queue: { ready: 1, unacked: 0, oldestAgeSec: 20 },
      workers: { starting: 0, serving: 1, draining: 0 },
    };
    expect(withTimeLeft(program, observation)).toBe(program);
  });

  it("never asks for fewer workers of an older queue", () => {
    const program = programConfig({ ...OPTIONS, sloWaitTime: "30s", maxStep: 50, hysteresis: 0, cooldownTicks: 0 });
    const desiredAt = (ready: number, oldestAgeSec: number): number => {
      let state = initialState(program);
      let desired = 0;
      // Two workers that finish one message a second each, and then this queue.
      for (let i = 0; i <= 12; i += 1) {
        const last = i === 12;
        const result = step(program, state, {
          dtSec: 10,
          queue: {
            ready: last ? ready : 500,
            unacked: 2,
            ackedTotal: 20 * i,
            publishedTotal: 20 * i,
            ...(last ? { oldestAgeSec } : {}),
          },
          workers: { starting: 0, serving: 2, draining: 0 },
        });
        state = result.state;
        desired = result.decision.desired;
      }
      return desired;
    };
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 400 }), fc.nat(60), fc.nat(60), (ready, a, b) => {
        expect(desiredAt(ready, Math.max(a, b))).toBeGreaterThanOrEqual(desiredAt(ready, Math.min(a, b)));
      }),
      { numRuns: 50 },
    );
    expect(desiredAt(200, 20)).toBeGreaterThan(desiredAt(200, 0));
  });
});

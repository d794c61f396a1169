import { describe, expect, it } from "vitest";
import {
  HPA_DEFAULTS,
  initialHpaState,
  initialState,
  type Observation,
  programPolicy,
  step,
  stepHpa,
} from "../../../src/decide/index.ts";
import { observation, program } from "../slo/drive.ts";

describe("DESIGN 2.6: one step for every mode", () => {
  it("mode hpa is the hpa policy with the program's options", () => {
    const config = program({
      mode: "hpa",
      minWorkers: 1,
      maxWorkers: 12,
      targetQueueDepthPerWorker: 10,
      targetUtilisation: 0.5,
      threadsPerWorker: 2,
      tolerance: 0,
      scaleUpWindow: "5s",
      scaleDownWindow: "1m",
    });
    const hpa = {
      ...HPA_DEFAULTS,
      maxWorkers: 12,
      targetQueueDepthPerWorker: 10,
      targetUtilisation: 0.5,
      threadsPerWorker: 2,
      tolerance: 0,
      scaleUpWindowSec: 5,
      scaleDownWindowSec: 60,
    };
    let state = initialState(config);
    let expected = initialHpaState();
    for (const ready of [0, 95, 200, 3, 0, 0, 40]) {
      const seen = observation({ serving: 2, queue: { ready, unacked: 3 } });
      const ours = step(config, state, seen);
      const theirs = stepHpa(hpa, expected, seen);
      expect(ours.decision).toMatchObject(theirs.decision);
      expect(ours.decision).toMatchObject({ needed: null, gap: null, capacity: 12, muSource: 0 });
      state = ours.state;
      expected = theirs.state;
    }
  });

  it("a state of another mode begins anew", () => {
    const slo = program();
    const threshold = program({ mode: "threshold" });
    const seen = observation({ serving: 1, queue: { ready: 90, unacked: 1 } });
    const changed = step(threshold, step(slo, initialState(slo), seen).state, seen);
    expect(changed).toEqual(step(threshold, initialState(threshold), seen));
    const back = step(slo, changed.state, seen);
    expect(back).toEqual(step(slo, initialState(slo), seen));
    const hpa = program({ mode: "hpa" });
    expect(step(hpa, changed.state, seen)).toEqual(step(hpa, initialState(hpa), seen));
  });

  it.each([[-1], [0.5], [Number.NaN]])("refuses %s workers: the pool counts its own", (count) => {
    for (const mode of ["slo", "threshold", "hpa"]) {
      const config = program({ mode });
      const seen: Observation = observation({ serving: count });
      expect(() => step(config, initialState(config), seen)).toThrow(RangeError);
    }
  });

  it("needs no memory reading", () => {
    const config = program();
    const seen: Observation = {
      dtSec: 10,
      queue: { ready: 5, unacked: 0 },
      workers: { starting: 0, serving: 0, draining: 0 },
    };
    expect(step(config, initialState(config), seen).decision).toMatchObject({ desired: 1, boundBy: "max_workers" });
  });

  it("is a policy as the loop takes it", () => {
    const config = program();
    const policy = programPolicy(config);
    const seen = observation({ queue: { ready: 5 } });
    expect(policy.step(policy.initialState(), seen)).toEqual(step(config, initialState(config), seen));
  });
});

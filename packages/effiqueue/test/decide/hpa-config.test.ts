import { describe, expect, it } from "vitest";
import {
  HPA_DEFAULTS,
  type HpaConfig,
  HpaConfigError,
  hpaConfigProblems,
  hpaPolicy,
  initialHpaState,
  stepHpa,
} from "../../src/decide/index.ts";

const fieldsOf = (change: object): string[] =>
  hpaConfigProblems({ ...HPA_DEFAULTS, ...change }).map(({ field }) => field);

describe("DESIGN 8.1: configuration of the hpa policy", () => {
  it("has the defaults of the seed", () => {
    expect(HPA_DEFAULTS).toEqual({
      minWorkers: 1,
      maxWorkers: 10,
      targetQueueDepthPerWorker: 15,
      targetUtilisation: 0.75,
      scaleUpWindowSec: 0,
      scaleDownWindowSec: 300,
      tolerance: 0.1,
      threadsPerWorker: 4,
    });
    expect(hpaConfigProblems(HPA_DEFAULTS)).toEqual([]);
  });

  it.each<[keyof HpaConfig, unknown[], number[]]>([
    ["minWorkers", [-1, 0.5, Number.NaN, "1"], [0, 10]],
    ["maxWorkers", [0, -1, 1.5, Infinity, null], [1, 1000]],
    ["targetQueueDepthPerWorker", [0, -1, Infinity, undefined], [0.01, 15.5]],
    ["targetUtilisation", [0, 1.01, Number.NaN], [0.01, 1]],
    ["scaleUpWindowSec", [-1, Infinity, Number.NaN], [0, 0.5]],
    ["scaleDownWindowSec", [-0.1, Infinity], [0, 86_400]],
    ["tolerance", [-0.01, 1.01, Number.NaN], [0, 1]],
    ["threadsPerWorker", [0, 1.5, -4], [1, 64]],
  ])("%s refuses %j and takes %j", (field, bad, good) => {
    for (const value of bad) expect(fieldsOf({ [field]: value })).toEqual([field]);
    for (const value of good) expect(fieldsOf({ [field]: value })).toEqual([]);
  });

  it("refuses a ceiling below the floor", () => {
    expect(fieldsOf({ minWorkers: 5, maxWorkers: 4 })).toEqual(["maxWorkers"]);
    expect(fieldsOf({ minWorkers: 4, maxWorkers: 4 })).toEqual([]);
  });

  it("names every wrong field at once, with what would be right and what was there", () => {
    const config = { ...HPA_DEFAULTS, targetUtilisation: 0, tolerance: 2 };
    expect(() => hpaPolicy(config)).toThrow(
      new HpaConfigError([
        { field: "targetUtilisation", expected: "a number > 0 and <= 1", got: 0 },
        { field: "tolerance", expected: "a number >= 0 and <= 1", got: 2 },
      ]),
    );
    expect(() => hpaPolicy(config)).toThrow(
      "targetUtilisation: expected a number > 0 and <= 1, got 0; tolerance: expected",
    );
    expect(() => hpaPolicy(config)).toThrow(RangeError);
    const observation = { dtSec: 0, queue: null, workers: { starting: 0, serving: 1, draining: 0 } };
    expect(() => stepHpa(config, initialHpaState(), observation)).toThrow(HpaConfigError);
  });
});

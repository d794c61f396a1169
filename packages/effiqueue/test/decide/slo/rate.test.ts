import { describe, expect, it } from "vitest";
import { halfOf, quantile, type Rate, rateOf, UNKNOWN_RATE, weighed } from "../../../src/decide/slo/rate.ts";

describe("DESIGN 2.9: the quantile of an interval", () => {
  it.each([
    [3, 3.182],
    [5, 2.571],
    [10, 2.228],
    [30, 2.042],
    [1e6, 1.96],
  ])("of %i degrees of freedom is %f, as the tables have it", (freedom, expected) => {
    expect(quantile(freedom)).toBeGreaterThan(expected * 0.985);
    expect(quantile(freedom)).toBeLessThan(expected * 1.005);
  });
});

describe("DESIGN 2.9: an interval", () => {
  it("never reaches below nothing", () => {
    expect(rateOf(2, 5)).toEqual({ value: 2, interval: { low: 0, high: 7 } });
  });
});

describe("DESIGN 2.3: two measurements of the same", () => {
  const sure = rateOf(10, 1);
  const vague = rateOf(12, 3);

  it.each<[string, Rate, Rate, Rate, number]>([
    ["nothing was known before", UNKNOWN_RATE, sure, sure, 1],
    ["nothing is known now", sure, UNKNOWN_RATE, sure, 0],
    ["they contradict one another", sure, rateOf(20, 2), rateOf(20, 2), 1],
    ["the earlier one does not know how sure it is", { value: 10, interval: null }, vague, vague, 1],
  ])("are one of them when %s", (_why, earlier, later, expected, weight) => {
    expect(weighed(earlier, 1, later)).toEqual({ rate: expected, weight });
  });

  it("meet nearer to the surer one, and are surer than either", () => {
    const { rate, weight } = weighed(sure, 0, vague);
    expect(rate.value).toBeCloseTo(10.2, 6);
    expect(halfOf(rate)).toBeLessThan(1);
    expect(weight).toBeCloseTo(0.1, 6);
  });

  it("move to the later one as the earlier one ages", () => {
    const weights = [0, 30, 100, 300].map((ticks) => weighed(sure, ticks, vague).weight);
    expect(weights).toEqual([...weights].sort((a, b) => a - b));
    expect(weights.at(-1)).toBeGreaterThan(0.9);
  });
});

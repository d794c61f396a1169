import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { workersNeeded } from "../../../src/decide/index.ts";
import { tidy } from "../../../src/decide/shared/exact.ts";

describe("DESIGN 2.6: workers that an SLO needs", () => {
  it.each([
    // backlog, lambda, mu, slo, needed, why
    [50_000, 200, 8, 120, 78, "the worked example"],
    [360, 6.3, 4.1, 60, 3, "an exact quotient; doubles say 4"],
    [361, 6.3, 4.1, 60, 4, "one message beyond it"],
    [0, 0, 4, 60, 0, "no work"],
    [0, 0.01, 4, 60, 1, "any arrival needs somebody"],
    [1, 0, 0.001, 60, 1, "one message occupies one worker; the formula says 17"],
    [3, 0, 0.001, 60, 3, "three occupy three; the formula says 50"],
    [0, 0.1, 0.001, 60, 6, "six arrive within the SLO; the formula says 100"],
    [480, 0, 8, 60, 1, "exactly one"],
    [481, 0, 8, 60, 2, "just more than one"],
  ])("%d messages, %d/s, %d/s a worker, %d s: %d (%s)", (backlog, lambda, mu, slo, needed) => {
    expect(workersNeeded(backlog, lambda, mu, slo)).toBe(needed);
  });

  it.each([
    ["backlog", -1, 1, 1, 60],
    ["backlog", Number.NaN, 1, 1, 60],
    ["lambda", 1, null, 1, 60],
    ["lambda", 1, Number.POSITIVE_INFINITY, 1, 60],
    ["mu", 1, 1, null, 60],
    ["mu", 1, 1, undefined, 60],
    ["mu", 1, 1, 0, 60],
    ["mu", 1, 1, -4, 60],
    ["slo", 1, 1, 1, 0],
  ])("is unknown while %s is (%s, %s, %s, %s)", (_what, backlog, lambda, mu, slo) => {
    expect(workersNeeded(backlog, lambda, mu, slo)).toBeNull();
  });

  const tenths = (max: number) => fc.integer({ min: 0, max: max * 10 }).map((n) => n / 10);
  const rate = fc.integer({ min: 1, max: 1000 }).map((n) => n / 10);
  const load = fc.tuple(fc.integer({ min: 0, max: 100_000 }), tenths(500), rate, fc.integer({ min: 1, max: 600 }));

  it("is what integers say", () => {
    fc.assert(
      fc.property(load, ([backlog, lambda, mu, slo]) => {
        const tenthsOfWork = BigInt(backlog) * 10n + BigInt(Math.round(lambda * 10)) * BigInt(slo);
        const tenthsPerWorker = BigInt(Math.round(mu * 10)) * BigInt(slo);
        const formula = (tenthsOfWork + tenthsPerWorker - 1n) / tenthsPerWorker;
        const messages = (tenthsOfWork + 9n) / 10n;
        expect(workersNeeded(backlog, lambda, mu, slo)).toBe(Number(formula < messages ? formula : messages));
      }),
    );
  });

  it("grows with backlog and arrivals, and falls with the speed of a worker", () => {
    fc.assert(
      fc.property(load, fc.integer({ min: 0, max: 999 }), rate, ([backlog, lambda, mu, slo], more, faster) => {
        const needed = workersNeeded(backlog, lambda, mu, slo) ?? Number.NaN;
        expect(workersNeeded(backlog + more, lambda, mu, slo)).toBeGreaterThanOrEqual(needed);
        expect(workersNeeded(backlog, lambda + more, mu, slo)).toBeGreaterThanOrEqual(needed);
        expect(workersNeeded(backlog, lambda, mu + faster, slo)).toBeLessThanOrEqual(needed);
      }),
    );
  });

  it("knows no unit of time", () => {
    fc.assert(
      fc.property(load, fc.constantFrom(10, 100), ([backlog, lambda, mu, slo], unit) => {
        // In doubles 1.1 x 100 is a little more than 110, and that takes one worker more.
        const larger = (value: number): number => tidy(value * unit);
        const inLargerRates = workersNeeded(backlog, larger(lambda), larger(mu), slo);
        expect(workersNeeded(backlog, lambda, mu, larger(slo))).toBe(inLargerRates);
      }),
    );
  });
});

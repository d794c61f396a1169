import { describe, expect, it } from "vitest";
import { ceilQuotient, computeDesired, HPA_DEFAULTS } from "../../src/decide/index.ts";

/** Independent of the code under test: whole numbers only, the target in hundredths. */
function oracle(running: number, slots: number, targetHundredths: number): number {
  const over = running * 100;
  const under = slots * targetHundredths;
  return (over - (over % under)) / under + (over % under > 0 ? 1 : 0);
}

/** The seed's spelling of the utilisation signal. */
function inDoubles(running: number, workers: number, slotsPerWorker: number, target: number): number {
  return Math.ceil(workers * (running / (workers * slotsPerWorker) / target));
}

function* smallCases() {
  for (let workers = 1; workers <= 40; workers++)
    for (let slots = 1; slots <= 8; slots++)
      for (let hundredths = 5; hundredths <= 95; hundredths += 5)
        for (let running = 0; running <= workers * slots + 5; running++) yield { workers, slots, hundredths, running };
}

describe("DESIGN 8.2: exact ceilings", () => {
  it.each([
    // numerators, denominators, exact, naive
    [[0], [15], 0, "0"],
    [[15], [15], 1, "1"],
    [[16], [15], 2, "2"],
    [[1], [15], 1, "1"],
    [[3], [0.1], 30, "30"],
    [[9], [3, 0.6], 5, "6: 5.000000000000001 in doubles"],
    [[9], [6, 0.15], 10, "11: 10.000000000000002 in doubles"],
    [[5], [1e-7], 50_000_000, "a parser without exponents fails on 1e-7"],
    [[1e21], [1e21], 1, "a parser without exponents fails on 1e+21"],
    [[1.5e22], [1e21], 15, "15"],
    [[1e-7, 1e7], [1], 1, "1"],
    [[1], [0.3333333333333333], 4, "3: these sixteen digits are a little less than a third"],
  ])("%j over %j is %i (naive: %s)", (numerators, denominators, exact) => {
    expect(ceilQuotient(numerators, denominators)).toBe(exact);
  });

  it.each([
    [[-1], [1]],
    [[Number.NaN], [1]],
    [[1], [0]],
    [[1], [-2]],
    [[Infinity], [1]],
    [[1], [Infinity]],
  ])("refuses %j over %j", (numerators, denominators) => {
    expect(() => ceilQuotient(numerators, denominators)).toThrow(RangeError);
  });

  it("agrees with whole-number arithmetic for every small pool, by assumed and by measured slots", () => {
    const wrong: unknown[] = [];
    for (const { workers, slots, hundredths, running } of smallCases()) {
      const target = hundredths / 100;
      const exact = oracle(running, slots, hundredths);
      const assumed = ceilQuotient([running], [slots, target]);
      const measured = ceilQuotient([running, workers], [workers * slots, target]);
      if (assumed !== exact || measured !== exact)
        wrong.push({ workers, slots, hundredths, running, exact, assumed, measured });
    }
    expect(wrong).toEqual([]);
  });

  it("would catch the formula in doubles, which is wrong in about one case in a hundred", () => {
    let cases = 0;
    let wrong = 0;
    for (const { workers, slots, hundredths, running } of smallCases()) {
      cases++;
      if (inDoubles(running, workers, slots, hundredths / 100) !== oracle(running, slots, hundredths)) wrong++;
    }
    expect(wrong / cases).toBeGreaterThan(0.005);
  });

  it.each([
    { running: 21, current: 10, threads: 4, target: 0.75, exact: 7, naive: 8 },
    { running: 28, current: 10, threads: 5, target: 0.8, exact: 7, naive: 8 },
    { running: 9, current: 11, threads: 2, target: 0.75, exact: 6, naive: 7 },
    { running: 7, current: 3, threads: 1, target: 0.7, exact: 10, naive: 11 },
  ])("$running running on $current x $threads at $target ask for $exact, where doubles say $naive", (row) => {
    const { running, current, threads, target, exact, naive } = row;
    expect(inDoubles(running, current, threads, target)).toBe(naive);
    const config = { ...HPA_DEFAULTS, maxWorkers: 40, threadsPerWorker: threads, targetUtilisation: target };
    expect(computeDesired({ pending: 0, running, current, config }).utilDesired).toBe(exact);
    const slots = current * threads;
    expect(computeDesired({ pending: 0, running, current, slots, config }).utilDesired).toBe(exact);
  });
});

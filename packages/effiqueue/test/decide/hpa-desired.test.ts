import { describe, expect, it } from "vitest";
import { computeDesired, HPA_DEFAULTS, type HpaConfig, type HpaLoad, type ReasonCode } from "../../src/decide/index.ts";

interface Row extends Partial<HpaLoad> {
  config?: Partial<HpaConfig>;
  desired: number;
  reason: ReasonCode;
  /** What the naive answer would be, or which side of which boundary this is. */
  note: string;
}

function desiredOf({ pending = 0, running = 0, current = 1, slots, runningOnDraining, config }: Partial<Row>) {
  return computeDesired({
    pending,
    running,
    current,
    slots,
    runningOnDraining,
    config: { ...HPA_DEFAULTS, ...config },
  });
}

function table(rows: Row[]): void {
  it.each(rows.map((row) => ({ pending: 0, running: 0, ...row })))(
    "$pending pending, $running running, $current current: $desired by $reason ($note)",
    (row) => {
      const { desired, reason } = desiredOf(row);
      expect({ desired, reason }).toEqual({ desired: row.desired, reason: row.reason });
    },
  );
}

describe("DESIGN 8.1: two signals", () => {
  table([
    {
      pending: 0,
      running: 0,
      current: 1,
      desired: 1,
      reason: "min-workers",
      note: "the seed's defaults at rest; 0 without the floor",
    },
    { pending: 15, running: 0, current: 1, desired: 1, reason: "depth", note: "exactly one worker's share" },
    {
      pending: 16,
      running: 0,
      current: 1,
      desired: 2,
      reason: "depth",
      note: "one above it; rounding to nearest says 1",
    },
    { pending: 1, running: 0, current: 0, desired: 1, reason: "depth", note: "one small job, one worker" },
    { pending: 150, running: 0, current: 1, desired: 10, reason: "depth", note: "exactly the ceiling" },
    { pending: 0, running: 3, current: 2, desired: 1, reason: "utilisation", note: "3 of 4 slots is the target" },
    { pending: 0, running: 4, current: 1, desired: 2, reason: "utilisation", note: "all slots; by slots alone 1" },
    { pending: 0, running: 6, current: 1, desired: 2, reason: "utilisation", note: "exactly two" },
    { pending: 0, running: 7, current: 1, desired: 3, reason: "utilisation", note: "one above it" },
    { pending: 75, running: 6, current: 2, desired: 5, reason: "depth", note: "the larger counts; their sum is 7" },
    {
      pending: 15,
      running: 12,
      current: 2,
      desired: 4,
      reason: "utilisation",
      note: "the larger counts; their sum is 5",
    },
    { pending: 30, running: 6, current: 1, desired: 2, reason: "depth", note: "both agree" },
    {
      pending: 30,
      running: 0,
      current: 0,
      desired: 2,
      reason: "depth",
      note: "from nothing; current x ratio says 0 for ever",
    },
    {
      pending: 0,
      running: 6,
      current: 0,
      desired: 2,
      reason: "utilisation",
      note: "every worker died; current x ratio says 0",
    },
  ]);

  it("says what each signal asks for by itself", () => {
    expect(desiredOf({ pending: 75, running: 6, current: 2 })).toMatchObject({ depthDesired: 5, utilDesired: 2 });
  });

  describe("with the slots that live workers publish", () => {
    table([
      {
        running: 12,
        current: 4,
        slots: 8,
        desired: 8,
        reason: "utilisation",
        note: "2 slots each; the configured 4 say 4",
      },
      {
        running: 12,
        current: 4,
        slots: 32,
        desired: 2,
        reason: "utilisation",
        note: "8 slots each; the configured 4 say 4",
      },
      { running: 21, current: 10, slots: 40, desired: 7, reason: "utilisation", note: "8 in doubles" },
      {
        running: 6,
        current: 3,
        slots: 0,
        desired: 2,
        reason: "utilisation",
        note: "no slots is no measurement; dividing gives Infinity",
      },
      { running: 6, current: 3, slots: Number.NaN, desired: 2, reason: "utilisation", note: "NaN is no measurement" },
      {
        running: 6,
        current: 0,
        slots: 8,
        desired: 2,
        reason: "utilisation",
        note: "slots of nobody; 0 x ratio says 0",
      },
    ]);
  });
});

describe("DESIGN 8.3: tolerance and overload", () => {
  const ten = { minWorkers: 1, maxWorkers: 100 };
  table([
    {
      pending: 165,
      current: 10,
      config: ten,
      desired: 10,
      reason: "tolerance",
      note: "11 is 10% off, just inside; 11/10 - 1 is outside",
    },
    { pending: 166, current: 10, config: ten, desired: 12, reason: "depth", note: "12 is outside" },
    { pending: 135, current: 10, config: ten, desired: 10, reason: "tolerance", note: "9 is 10% off, just inside" },
    { pending: 120, current: 10, config: ten, desired: 8, reason: "depth", note: "8 is outside" },
    {
      pending: 165,
      current: 10,
      config: { ...ten, tolerance: 0.099 },
      desired: 11,
      reason: "depth",
      note: "a narrower band",
    },
    { pending: 165, current: 10, config: { ...ten, tolerance: 0 }, desired: 11, reason: "depth", note: "no band" },
    {
      pending: 150,
      current: 10,
      config: ten,
      desired: 10,
      reason: "depth",
      note: "the present count is no matter of tolerance",
    },
    { pending: 15, current: 0, config: ten, desired: 1, reason: "depth", note: "from nothing nothing is close; x/0" },
    { pending: 0, current: 0, config: { ...ten, minWorkers: 0 }, desired: 0, reason: "idle", note: "0/0" },
    { current: 1, config: { minWorkers: 0 }, desired: 0, reason: "idle", note: "the last worker goes" },
    {
      current: 1,
      config: { minWorkers: 0, tolerance: 1 },
      desired: 1,
      reason: "tolerance",
      note: "a band as wide as the pool",
    },
  ]);

  describe("the band never holds the pool below the floor or above the ceiling", () => {
    const wide = { tolerance: 0.5 };
    table([
      {
        pending: 30,
        current: 3,
        config: { ...wide, minWorkers: 4 },
        desired: 4,
        reason: "min-workers",
        note: "3: held by the band",
      },
      {
        pending: 150,
        current: 12,
        config: { ...wide, maxWorkers: 10 },
        desired: 10,
        reason: "max-workers",
        note: "12: held by the band",
      },
    ]);
  });

  describe("overload ignores the band", () => {
    const wide = { tolerance: 0.5, targetUtilisation: 1 };
    table([
      { running: 40, current: 10, config: wide, desired: 10, reason: "utilisation", note: "just full is no overload" },
      {
        running: 41,
        current: 10,
        config: { ...wide, maxWorkers: 20 },
        desired: 11,
        reason: "overload",
        note: "10: held by the band",
      },
      { running: 41, current: 10, config: wide, desired: 10, reason: "max-workers", note: "the ceiling stays" },
      {
        running: 80,
        current: 10,
        config: { ...wide, maxWorkers: 40 },
        desired: 20,
        reason: "utilisation",
        note: "the signal asks for more than one; + 1 says 11",
      },
      {
        running: 21,
        current: 10,
        slots: 20,
        config: { ...wide, maxWorkers: 20 },
        desired: 11,
        reason: "overload",
        note: "measured slots; 10 x 4 are not full",
      },
      {
        running: 21,
        current: 10,
        slots: 40,
        config: { ...wide, threadsPerWorker: 2 },
        desired: 10,
        reason: "tolerance",
        note: "measured slots; 11: 10 x 2 are too full",
      },
      {
        running: 41,
        current: 0,
        config: { ...wide, maxWorkers: 20 },
        desired: 11,
        reason: "utilisation",
        note: "an empty pool is not overloaded",
      },
    ]);
  });
});

describe("DESIGN 8.4: work of draining workers", () => {
  const roomy = { maxWorkers: 100, tolerance: 0 };
  table([
    {
      running: 24,
      runningOnDraining: 0,
      current: 4,
      config: roomy,
      desired: 8,
      reason: "utilisation",
      note: "nothing drains",
    },
    {
      running: 24,
      runningOnDraining: 24,
      current: 4,
      config: roomy,
      desired: 4,
      reason: "draining-work",
      note: "8: replacing workers that finish anyway",
    },
    {
      running: 24,
      runningOnDraining: 9,
      current: 4,
      config: roomy,
      desired: 5,
      reason: "draining-work",
      note: "the other 15 ask for 5",
    },
    {
      running: 24,
      runningOnDraining: 20,
      current: 4,
      config: roomy,
      desired: 4,
      reason: "draining-work",
      note: "2: its own jobs alone would shrink it",
    },
    {
      running: 9,
      runningOnDraining: 9,
      current: 4,
      config: roomy,
      desired: 3,
      reason: "utilisation",
      note: "it keeps the wish up, though not above itself",
    },
    {
      running: 6,
      runningOnDraining: 6,
      current: 0,
      config: { ...roomy, minWorkers: 0 },
      desired: 0,
      reason: "draining-work",
      note: "2: the last workers may leave",
    },
    {
      pending: 90,
      running: 24,
      runningOnDraining: 24,
      current: 4,
      config: roomy,
      desired: 6,
      reason: "depth",
      note: "waiting work does ask for workers",
    },
    {
      running: 24,
      runningOnDraining: 99,
      current: 4,
      config: roomy,
      desired: 4,
      reason: "draining-work",
      note: "more than there is: all of it",
    },
    {
      running: 24,
      runningOnDraining: -1,
      current: 4,
      config: roomy,
      desired: 8,
      reason: "utilisation",
      note: "nonsense is no reason to ignore jobs",
    },
  ]);

  it("does not take them for overload", () => {
    const config = { maxWorkers: 20, tolerance: 0.5, targetUtilisation: 1 };
    expect(desiredOf({ running: 41, runningOnDraining: 1, current: 10, config })).toMatchObject({ desired: 10 });
  });
});

describe("DESIGN 8.6: what is unknown is not zero", () => {
  const roomy = { maxWorkers: 20, minWorkers: 0 };
  table([
    { pending: null, running: null, current: 5, config: roomy, desired: 5, reason: "unreadable", note: "0: torn down" },
    {
      pending: Number.NaN,
      running: 0,
      current: 5,
      config: roomy,
      desired: 5,
      reason: "unreadable",
      note: "NaN passes every comparison",
    },
    { pending: -1, running: 0, current: 5, config: roomy, desired: 5, reason: "unreadable", note: "a negative count" },
    { pending: 0.5, running: 0, current: 5, config: roomy, desired: 5, reason: "unreadable", note: "half a job" },
    { pending: 0, running: Infinity, current: 5, config: roomy, desired: 5, reason: "unreadable", note: "the ceiling" },
    {
      pending: 2 ** 53,
      running: 0,
      current: 5,
      config: roomy,
      desired: 5,
      reason: "unreadable",
      note: "more than can be counted",
    },
    {
      pending: null,
      running: 0,
      current: 1,
      config: { minWorkers: 3 },
      desired: 3,
      reason: "min-workers",
      note: "the floor is enforced",
    },
    { pending: null, running: 0, current: 12, desired: 10, reason: "max-workers", note: "the ceiling is enforced" },
    {
      pending: 0,
      running: null,
      current: 5,
      config: roomy,
      desired: 5,
      reason: "unreadable",
      note: "0: jobs that cannot be seen are aborted",
    },
    {
      pending: 150,
      running: null,
      current: 5,
      config: roomy,
      desired: 10,
      reason: "depth",
      note: "what waits is seen, and asks for workers",
    },
    {
      pending: 75,
      running: null,
      current: 5,
      config: roomy,
      desired: 5,
      reason: "depth",
      note: "the same number from either",
    },
  ]);

  it("refuses a worker count that is none, for it is the caller's own", () => {
    expect(() => desiredOf({ current: -1 })).toThrow(/current workers: .* got -1/);
    expect(() => desiredOf({ current: Number.NaN })).toThrow(RangeError);
  });
});

describe("DESIGN 1.3: a decision says why, with its numbers", () => {
  it.each([
    [{ pending: 40, current: 1 }, "scale-up: 40 pending / 15 per worker asks for 3"],
    [{ running: 21, current: 10 }, "scale-down: 21 running at 0.75 of 4 slots a worker asks for 7"],
    [{ running: 21, current: 7, slots: 28 }, "hold: 21 running at 0.75 of 28 slots of 7 workers asks for 7"],
    [
      { pending: 165, current: 10, config: { maxWorkers: 20 } },
      "hold: 165 pending / 15 per worker asks for 11, within 10% of 10",
    ],
    [{ pending: 400, current: 1 }, "scale-up: 400 pending / 15 per worker asks for 27, ceiling is 10"],
    [{ current: 4 }, "scale-down: nothing pending or running, floor is 1"],
    [{ pending: null, current: 4 }, "hold: queue unreadable"],
    [{ pending: null, current: 0 }, "scale-up: queue unreadable, floor is 1"],
    [{ running: null, current: 4 }, "hold: 0 pending / 15 per worker asks for 0, running jobs unknown"],
    [
      { running: 24, runningOnDraining: 24, current: 4 },
      "hold: 24 running at 0.75 of 4 slots a worker asks for 8, no growth for the 24 that drain",
    ],
    [
      { running: 41, current: 10, config: { maxWorkers: 20, tolerance: 0.07, targetUtilisation: 1 } },
      "scale-up: 41 running at 1 of 4 slots a worker asks for 11",
    ],
    [
      { running: 41, current: 10, config: { maxWorkers: 20, tolerance: 0.5, targetUtilisation: 1 } },
      "scale-up: 41 running at 1 of 4 slots a worker asks for 11, 41 running on 40 slots is overload",
    ],
    [
      { pending: 1590, current: 100, config: { maxWorkers: 200, tolerance: 0.07 } },
      "hold: 1590 pending / 15 per worker asks for 106, within 7% of 100",
    ],
  ] satisfies [Partial<Row>, string][])("%j: %s", (load, rationale) => {
    expect(desiredOf(load).rationale).toBe(rationale);
  });

  it("keeps the reasons that a later rule replaced, first to last", () => {
    const { trail, reason } = desiredOf({
      running: 24,
      runningOnDraining: 24,
      current: 12,
      config: { targetUtilisation: 0.2 },
    });
    expect([...trail, reason]).toEqual(["utilisation", "draining-work", "max-workers"]);
  });
});

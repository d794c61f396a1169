import { readFileSync } from "node:fs";
import { AutoscaleConfig, AutoscaleController, type AutoscaleOptions, computeDesiredWorkers } from "flexiq/autoscale";
import { describe, expect, it } from "vitest";
import { FIELDS } from "../../src/autoscale/fields.ts";
import { inheritedFlags } from "../../src/autoscale/worker-command.ts";

const appPath = "./tasks.js:queue";

/** Options as JavaScript may hand them over. */
const options = (fields: object): AutoscaleOptions => ({ appPath, ...fields });

function refusalOf(fields: object): string {
  try {
    new AutoscaleConfig(options(fields));
  } catch (error) {
    expect(error).toBeInstanceOf(RangeError);
    return (error as RangeError).message;
  }
  throw new Error(`accepted ${JSON.stringify(fields)}`);
}

describe("DESIGN 11.3: configuration", () => {
  it("is written about in docs/autoscaler.md, field by field with its flag", () => {
    const page = readFileSync(new URL("../../../../docs/autoscaler.md", import.meta.url), "utf8");
    const rows = [...page.matchAll(/^\| `(\w+)` \| `--([\w-]+)`/gm)].map(([, name, flag]) => `${name} --${flag}`);
    expect(rows.sort()).toEqual(FIELDS.map(({ name, flag }) => `${name} --${flag}`).sort());
  });

  it("has the seed's defaults", () => {
    expect(Object.fromEntries(Object.entries(new AutoscaleConfig({ appPath })))).toEqual({
      appPath,
      mode: "hpa",
      sloDrainTimeSec: undefined,
      sloWaitTimeSec: undefined,
      minWorkers: 1,
      maxWorkers: 10,
      targetQueueDepthPerWorker: 15,
      targetUtilisation: 0.75,
      scaleUpWindowSec: 0,
      scaleDownWindowSec: 300,
      tolerance: 0.1,
      schedules: [],
      pollIntervalSec: 5,
      drainTimeoutSec: 30,
      threadsPerWorker: undefined,
      metricsHosts: [],
      ramBudget: undefined,
      ramHeadroom: undefined,
    });
  });

  it.each([
    ["appPath", undefined],
    ["appPath", ""],
    ["appPath", "  "],
    ["appPath", 5],
    ["maxWorkerAgeSec", 0],
    ["maxWorkerAgeSec", "1h"],
    ["maxWorkerMemory", 0],
    ["maxWorkerMemory", "lots"],
    ["maxWorkerJobs", 0],
    ["maxWorkerJobs", 1.5],
    ["metricsAddr", ""],
    ["metricsAddr", "9464"],
    ["metricsAddr", "localhost:99999"],
    ["metricsAddr", 9464],
    ["metricsTokenFile", ""],
    ["metricsTokenFile", 5],
    ["metricsHosts", "worker-1.internal"],
    ["metricsHosts", ["worker-1.internal:9464"]],
    ["metricsHosts", ["http://worker-1.internal"]],
    ["minWorkers", -1],
    ["minWorkers", 1.5],
    ["minWorkers", Number.NaN],
    ["minWorkers", "2"],
    ["maxWorkers", 0],
    ["maxWorkers", 2.5],
    ["maxWorkers", Number.POSITIVE_INFINITY],
    ["targetQueueDepthPerWorker", 0],
    ["targetQueueDepthPerWorker", -15],
    ["targetQueueDepthPerWorker", Number.POSITIVE_INFINITY],
    ["targetUtilisation", 0],
    ["targetUtilisation", 1.01],
    ["targetUtilisation", Number.NaN],
    ["scaleUpWindowSec", -1],
    ["scaleUpWindowSec", Number.POSITIVE_INFINITY],
    ["scaleDownWindowSec", -0.1],
    ["scaleDownWindowSec", Number.NaN],
    ["tolerance", -0.1],
    ["tolerance", 1.1],
    ["pollIntervalSec", 0],
    ["pollIntervalSec", -5],
    ["pollIntervalSec", 2_147_484],
    ["drainTimeoutSec", -1],
    ["drainTimeoutSec", 2_147_484],
    ["drainTimeoutSec", true],
    ["threadsPerWorker", 0],
    ["threadsPerWorker", 2.5],
    ["threadsPerWorker", "4"],
  ])("refuses %s = %s with a RangeError that names field, expectation and value", (field, value) => {
    const got = value === undefined ? "nothing" : typeof value === "number" ? String(value) : JSON.stringify(value);
    const message = refusalOf({ [field]: value });
    expect(message).toMatch(new RegExp(`^${field}: expected \\S`));
    expect(message).toContain(`, got ${got}`);
  });

  it.each([
    ["minWorkers", 0],
    ["maxWorkers", 1],
    ["targetQueueDepthPerWorker", 0.5],
    ["targetUtilisation", 1],
    ["scaleUpWindowSec", 0],
    ["scaleDownWindowSec", 0],
    ["tolerance", 0],
    ["tolerance", 1],
    ["pollIntervalSec", 0.05],
    ["pollIntervalSec", 2_147_483],
    ["drainTimeoutSec", 0],
    ["threadsPerWorker", 1],
  ] as const)("takes %s = %s, the last value that is right", (field, value) => {
    expect(new AutoscaleConfig(options({ [field]: value }))[field]).toBe(value);
  });

  it("refuses a floor above the ceiling, given or default", () => {
    expect(refusalOf({ minWorkers: 5, maxWorkers: 4 })).toBe(
      "maxWorkers: expected a whole number >= 1 and >= minWorkers, got 4",
    );
    expect(refusalOf({ minWorkers: 11 })).toMatch(/^maxWorkers: .* got 10$/);
  });

  it("says everything that is wrong at once", () => {
    const message = refusalOf({ appPath: "", tolerance: 7, minWorker: 1 });
    expect(message.split("; ").map((each) => each.split(":")[0])).toEqual(["appPath", "tolerance", "minWorker"]);
  });

  it.each([
    ["minWorker", "minWorkers"],
    ["maxworkers", "maxWorkers"],
    ["targetQueueDepth", "targetQueueDepthPerWorker"],
    ["targetUtilization", "targetUtilisation"],
    ["pollInterval", "pollIntervalSec"],
    ["drainTimeout", "drainTimeoutSec"],
  ])("names the nearest field of the unknown %s", (unknown, meant) => {
    expect(refusalOf({ [unknown]: 1 })).toBe(`${unknown}: is no field, did you mean ${meant}?`);
  });

  it("does not guess at what is like nothing it knows", () => {
    expect(refusalOf({ colour: 1 })).toBe("colour: is no field");
  });

  it("cannot be changed once it is checked", () => {
    const config = new AutoscaleConfig({ appPath });
    expect(() => Object.assign(config, { maxWorkers: -1 })).toThrow(TypeError);
  });

  it("is the same as a plain object wherever one is taken, and is checked there", () => {
    const queue = { stats: () => ({ pending: 0, running: 0 }) };
    expect(new AutoscaleController(queue, { appPath, maxWorkers: 3 }).config).toBeInstanceOf(AutoscaleConfig);
    expect(() => new AutoscaleController(queue, { appPath, maxWorkers: -3 })).toThrow(/^maxWorkers: /);
  });

  it("has a flag of its own for every field, and no spelling twice", () => {
    const fields = Object.keys(new AutoscaleConfig({ appPath }));
    expect(FIELDS.map(({ name }) => name)).toEqual(fields);
    const flags = FIELDS.flatMap(({ flag, aliases }) => [flag, ...aliases]);
    expect(new Set(flags).size).toBe(flags.length);
  });
});

describe("DESIGN 11.7: the fields of mode slo", () => {
  it.each([
    [{ mode: "slo", sloDrainTimeSec: 30 }],
    [{ mode: "slo", sloWaitTimeSec: 0.5 }],
    [{ mode: "slo", sloDrainTimeSec: 30, ramBudget: "4GB" }],
    [{ mode: "slo", sloDrainTimeSec: 30, ramHeadroom: 0 }],
    [{ ramBudget: "4GB" }],
    [{ ramHeadroom: "1GB", maxWorkerMemory: "500MB" }],
    [{ mode: "slo", sloDrainTimeSec: 30, tolerance: 0.1 }],
  ])("takes %j", (fields) => {
    expect(new AutoscaleConfig(options(fields))).toMatchObject(fields);
  });

  it.each([
    [{ mode: "threshold" }, 'mode: expected one of "hpa", "slo", got "threshold"'],
    [{ mode: "slo" }, "sloDrainTimeSec: expected seconds > 0 in mode slo, or sloWaitTimeSec in its place, got nothing"],
    [
      { mode: "slo", sloDrainTimeSec: 30, sloWaitTimeSec: 5 },
      "sloWaitTimeSec: expected nothing beside sloDrainTimeSec: only one of sloDrainTimeSec and sloWaitTimeSec, got 5",
    ],
    [{ mode: "slo", sloDrainTimeSec: 0 }, "sloDrainTimeSec: expected seconds > 0 and <= 2147483, got 0"],
    [{ mode: "slo", sloWaitTimeSec: "5s" }, 'sloWaitTimeSec: expected seconds > 0 and <= 2147483, got "5s"'],
    [
      { sloDrainTimeSec: 30 },
      "sloDrainTimeSec: expected nothing in mode hpa, which does not read it (set mode slo), got 30",
    ],
    [
      { mode: "slo", sloDrainTimeSec: 30, tolerance: 0.2 },
      "tolerance: expected nothing in mode slo, which does not read it, got 0.2",
    ],
    [
      { mode: "slo", sloDrainTimeSec: 30, ramBudget: "lots" },
      'ramBudget: expected a size > 0 such as 512MB, 12GB or 1.5GiB (a bare number is bytes), got "lots"',
    ],
    [
      { mode: "slo", sloDrainTimeSec: 30, ramBudget: "4GB", ramHeadroom: "1GB" },
      'ramHeadroom: expected only one of ramBudget and ramHeadroom, got "1GB"',
    ],
    [{ ramBudget: 1, ramHeadroom: 1 }, "ramHeadroom: expected only one of ramBudget and ramHeadroom, got 1"],
  ])("refuses %j by name, with what would be right", (fields, message) => {
    expect(refusalOf(fields)).toBe(message);
  });

  it("has no decision for a load alone", () => {
    const config = options({ mode: "slo", sloDrainTimeSec: 30 });
    expect(() => computeDesiredWorkers({ pending: 1, running: 0, currentWorkers: 1, config })).toThrow(/^mode: /);
  });
});

describe("DESIGN 11.8: schedules in one line each", () => {
  it.each([
    [[]],
    [["0 8 * * 1-5 for 10h in Europe/Berlin min 4"]],
    [["@daily for 90m max 0", "30 2 * * * for 1800 min 1 max 2"]],
  ])("takes %j", (schedules) => {
    expect(new AutoscaleConfig(options({ schedules })).schedules).toEqual(schedules);
  });

  it.each([
    ["0 8 * * 1-5", /^schedules: expected a list of spans such as "0 8 .* min 4", got "0 8 \* \* 1-5"$/],
    [["0 8 * * 1-5"], /^schedules: expected spans such as ".*", got \["0 8 \* \* 1-5"\]$/],
    [["0 8 * * 1-5 for 10h in Europe/Berln min 4"], /\(in: expected a time zone such as "Europe\/Berlin" or "UTC"/],
    [["0 25 * * * for 10h min 4"], /\(cron: expected five fields of cron/],
    [["@daily for ages min 4"], /\(for: expected a duration > 0/],
    [["@daily for 1h"], /\(min: missing; expected min_workers, max_workers or both/],
    [["@daily for 1h min four"], /\(min: expected a whole number >= 0, got "four"\)/],
    [["@daily for 1h min 11"], /^schedules: expected a floor of at most maxWorkers, which is 10, got/],
  ])("refuses %j, and says why", (schedules, message) => {
    expect(refusalOf({ schedules })).toMatch(message);
  });
});

describe("DESIGN 8.1: the decision for a load", () => {
  const decide = (pending: number, running: number, currentWorkers: number, fields: object = {}) =>
    computeDesiredWorkers({ pending, running, currentWorkers, config: options(fields) });

  it.each([
    { pending: 40, running: 13, current: 4, fields: {}, desired: 5, note: "utilisation 5 beats depth 3" },
    { pending: 100, running: 0, current: 2, fields: {}, desired: 7, note: "depth" },
    { pending: 1_000, running: 0, current: 2, fields: {}, desired: 10, note: "ceiling" },
    { pending: 0, running: 0, current: 8, fields: {}, desired: 1, note: "idle, down to the floor" },
    { pending: 0, running: 0, current: 8, fields: { minWorkers: 0 }, desired: 0, note: "idle, down to none" },
    {
      pending: 0,
      running: 21,
      current: 10,
      fields: { targetQueueDepthPerWorker: 1 },
      desired: 7,
      note: "doubles say 8",
    },
    { pending: 0, running: 9, current: 2, fields: { tolerance: 0.9 }, desired: 3, note: "overload beats tolerance" },
    { pending: 0, running: 3, current: 2, fields: { threadsPerWorker: 1 }, desired: 4, note: "slots as configured" },
  ])("is $desired for $pending pending, $running running on $current ($note)", ({ desired, ...row }) => {
    const decision = decide(row.pending, row.running, row.current, row.fields);
    expect(decision.desiredWorkers).toBe(desired);
    expect(decision).toMatchObject({ pending: row.pending, running: row.running, currentWorkers: row.current });
  });

  it("is frozen and says why", () => {
    const decision = decide(40, 0, 1);
    expect(Object.isFrozen(decision)).toBe(true);
    expect(() => Object.assign(decision, { desiredWorkers: 99 })).toThrow(TypeError);
    expect(decision.rationale).toMatch(/^scale-up: 40 pending \/ 15 per worker asks for 3/);
  });

  it("holds the pool for a count that cannot be", () => {
    expect(decide(Number.NaN, 0, 6)).toMatchObject({ desiredWorkers: 6, currentWorkers: 6 });
    expect(decide(0, -1, 6).rationale).toMatch(/^hold: .*unreadable/);
  });

  it("refuses what is wrong with its arguments", () => {
    expect(() => decide(0, 0, -1)).toThrow(RangeError);
    expect(() => decide(0, 0, 1, { tolerance: 9 })).toThrow(/^tolerance: /);
  });
});

describe("DESIGN 11.1: how workers are started", () => {
  it.each([
    { given: [], kept: [] },
    { given: ["--import", "tsx", "--max-old-space-size=200"], kept: ["--import", "tsx", "--max-old-space-size=200"] },
    { given: ["--inspect=9229", "--inspect-brk", "--conditions=dev"], kept: ["--conditions=dev"] },
    { given: ["--input-type=module", "-e", "await 1", "-r", "./x.cjs"], kept: ["-r", "./x.cjs"] },
    { given: ["--watch", "--watch-path", "src", "--test-only"], kept: [] },
  ])("passes on $kept of the flags of Node $given", ({ given, kept }) => {
    expect(inheritedFlags(given)).toEqual(kept);
  });
});

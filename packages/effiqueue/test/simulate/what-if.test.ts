import { programConfig } from "effiqueue/decide";
import {
  answersFor,
  constant,
  drawSimulation,
  flood,
  LATE_ALLOWED,
  LOAD_EXAMPLES,
  outcomeOf,
  PLANT,
  PLANT_MEMORY,
  parseLoadSpec,
  type Scene,
  simulate,
} from "effiqueue/simulate";
import { describe, expect, it } from "vitest";

const options = {
  command: "worker",
  queueConnection: "amqp://localhost",
  queueName: "q",
  minWorkers: 1,
  maxWorkers: 5,
  sloDrainTime: 30,
  ramHeadroom: 0,
};
const program = programConfig(options);

/** Two workers' work, and then, for some minutes, that of eight. */
const heavy: Scene = {
  trace: flood({ lengthSec: 1800 }, { basePerSec: 4, messages: 1800, atSec: 300, withinSec: 150 }),
  plant: { service: PLANT.service },
  seeds: [1],
};
const light: Scene = { ...heavy, trace: constant({ lengthSec: 1800 }, { perSec: 4 }) };

describe("DESIGN 13.5: what if", () => {
  it("a promise that is kept lacks nothing, and the machine could promise more", () => {
    const { keepsSloSec, missing, higherFloor } = answersFor(program, light);
    expect(missing).toBeNull();
    expect(keepsSloSec).toBeLessThanOrEqual(30);
    expect(higherFloor.minWorkers).toBe(2);
    expect(higherFloor.outcome.lateShare).toBeLessThanOrEqual(LATE_ALLOWED);
  });

  it("the promise it names is kept, and a shorter one is not", () => {
    const { keepsSloSec } = answersFor(program, heavy);
    const late = (sec: number) => outcomeOf(programConfig({ ...options, sloDrainTime: sec }), heavy).lateShare;
    expect(late(keepsSloSec ?? 0)).toBeLessThanOrEqual(LATE_ALLOWED);
    expect(late((keepsSloSec ?? 0) / 2)).toBeGreaterThan(LATE_ALLOWED);
  });

  it("says how many workers are missing, and how much memory they take beyond what there is", () => {
    const memory = { ...PLANT_MEMORY, otherBytes: 1e9, totalBytes: 2e9, grownBytes: 250e6 };
    const { missing } = answersFor(program, { ...heavy, plant: { memory } });
    expect(missing?.maxWorkers).toBeGreaterThan(6);
    expect(missing?.maxWorkers).toBeLessThan(15);
    expect(missing?.bytes).toBe((missing?.maxWorkers ?? 0) * 250e6 - 1e9);
    expect(answersFor(program, heavy).missing).toEqual({ ...missing, bytes: null });
  });

  it("says that no workers help where a knee stands behind them", () => {
    expect(answersFor(program, { ...heavy, plant: { knee: { slots: 3 } } }).missing).toBeNull();
  });

  it("of several seeds it tells the mean", () => {
    const [one, two, both] = [[1], [2], [1, 2]].map((seeds) => outcomeOf(program, { ...light, seeds }).workerSec);
    expect(both).toBeCloseTo(((one ?? 0) + (two ?? 0)) / 2);
  });

  it("a wait that is promised is watched by the age of the oldest message", () => {
    const { sloDrainTime: _, ...others } = options;
    const waiting = programConfig({ ...others, sloWaitTime: 10 });
    expect(simulate({ program: waiting, trace: light.trace }).sloSec).toBe(10);
    expect(answersFor(waiting, light).missing).toBeNull();
  });

  it("a program without an SLO says that it has none", () => {
    const { sloDrainTime: _, ...others } = options;
    const hpa = programConfig({ ...others, mode: "hpa" });
    expect(() => answersFor(hpa, light)).toThrow("expected one with an SLO");
    expect(() => simulate({ program: hpa, trace: light.trace })).toThrow("sloSec: expected");
    expect(simulate({ program: hpa, trace: light.trace, sloSec: 30 }).score.messages).toBeGreaterThan(6000);
  });

  it.each(LOAD_EXAMPLES)("understands %s", (spec) => {
    const { arrivals, intervalSec } = parseLoadSpec(`${spec},length=30m`, { lengthSec: 60 });
    expect(arrivals.length * intervalSec).toBe(1800);
    expect(Math.max(...arrivals)).toBeGreaterThan(0);
  });

  it.each([
    ["flo", /^expected one of constant:rate=5; .*, got "flo"$/],
    ["constant", "constant: expected rate as a number, as in constant:rate=5; got nothing"],
    ["constant:rate=-1", "constant: expected rate as a number, as in constant:rate=5; got -1"],
    ["diurnal:low=1,high=2,period=soon", /^diurnal: expected period as a duration, .* got soon$/],
  ])("refuses the load %s", (spec, message) => {
    expect(() => parseLoadSpec(spec, { lengthSec: 60 })).toThrow(message);
  });
});

describe("DESIGN 13.6: the picture", () => {
  const trace = { ...light.trace, measured: { backlog: [3, null, 5], workers: [1, 2, 2] } };
  const run = simulate({ program: programConfig({ ...options, maxWorkers: 1 }), trace, sampleSec: 10 });

  it("has a curve for each figure, bars where messages came too late, and what was measured", () => {
    const svg = drawSimulation(run, { title: 'a < "b"', trace });
    expect(run.score.late).toBeGreaterThan(0);
    expect(svg).toContain("<title>a &lt; &quot;b&quot;</title>");
    for (const label of ["backlog", "late messages", "workers", "needed", "capacity"]) expect(svg).toContain(label);
    expect(svg.match(/>measured</g)).toHaveLength(2);
    expect(svg.match(/<rect [^>]*opacity/g)?.length).toBeGreaterThan(10);
    expect(svg).not.toMatch(/NaN|Infinity|undefined/);
    expect(drawSimulation(run, { title: "t" })).not.toContain("measured");
  });

  it("needs moments", () => {
    expect(() => drawSimulation(simulate({ program, trace: light.trace }), { title: "t" })).toThrow("sampleSec");
  });
});

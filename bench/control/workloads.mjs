// What the policies are tried on: workloads that a line describes, made here, and those of a folder of traces.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  bursts,
  constant,
  diurnal,
  flood,
  onOff,
  PLANT,
  PLANT_MEMORY,
  parseTrace,
  ramp,
  seeded,
} from "effiqueue/simulate";

const HOUR = { lengthSec: 3600 };
const FINE = { lengthSec: 3600, intervalSec: 5 };
const lognormal = (meanSec, cv = 0.5) => ({ law: "lognormal", meanSec, cv });

/** Half a second a message, workers that take 5 s to start, the broker's own counts as they lag. */
const BASE = {
  ...PLANT,
  service: lognormal(0.5),
  startupSec: 5,
  broker: { ...PLANT.broker, counts: "sampled" },
};

const workload = (name, about, trace, { plant = {}, sloSec = 30, min = 1, max = 20, initial = min } = {}) => ({
  name,
  about,
  trace,
  plant: { ...BASE, ...plant, initialWorkers: initial, broker: { ...BASE.broker, ...plant.broker } },
  sloSec,
  min,
  max,
  headroomBytes: 1e9,
});

/** The same on every machine: what is random in them is seeded. */
export const GENERATED = [
  workload("steady", "3.4 messages/s, 1.7 workers' work", constant(HOUR, { perSec: 3.4 }), { initial: 2 }),
  workload(
    "day",
    "1 to 16/s and back in half an hour",
    diurnal(HOUR, { lowPerSec: 1, highPerSec: 16, periodSec: 1800 }),
  ),
  workload("climb", "1 to 24/s in an hour", ramp(HOUR, { fromPerSec: 1, toPerSec: 24 })),
  workload(
    "steps",
    "4/s and 14/s, ten minutes each",
    onOff(HOUR, { onPerSec: 14, offPerSec: 4, onSec: 600, offSec: 600 }),
    { initial: 3 },
  ),
  workload(
    "flood",
    "1,500 in 15 s on an almost idle queue",
    flood(FINE, { basePerSec: 0.4, messages: 1500, atSec: 900, withinSec: 15 }),
  ),
  workload(
    "bursts",
    "1/s, and 15/s for about a minute each three",
    bursts(FINE, { calmPerSec: 1, loudPerSec: 15, calmSec: 150, loudSec: 60 }, seeded("bursts")),
  ),
  workload(
    "to zero",
    "two minutes of work each ten, no floor",
    onOff(FINE, { onPerSec: 6, offPerSec: 0, onSec: 120, offSec: 480 }),
    { min: 0, initial: 0, sloSec: 60 },
  ),
  workload(
    "slow start",
    "steps, with 12 s to start at an SLO of 20 s",
    onOff(HOUR, { onPerSec: 10, offPerSec: 4, onSec: 450, offSec: 450 }),
    { plant: { startupSec: 12 }, sloSec: 20, initial: 3 },
  ),
  workload(
    "four slots",
    "I/O: 2 s a message, four at a time",
    diurnal(HOUR, { lowPerSec: 1, highPerSec: 18, periodSec: 2400 }),
    { plant: { service: lognormal(2, 1), slots: 4 }, max: 15 },
  ),
  workload(
    "slow share",
    "a tenth of the messages takes ten times as long",
    diurnal(HOUR, { lowPerSec: 2, highPerSec: 10, periodSec: 1800 }),
    {
      plant: { service: { law: "bimodal", meanSec: 0.8, slowShare: 0.1, slowTimes: 10 } },
      initial: 3,
    },
  ),
  workload(
    "slower by 3",
    "8/s; from minute 15 to 40 everything takes three times as long",
    constant(HOUR, { perSec: 8 }),
    {
      plant: {
        speed: [
          { fromSec: 900, factor: 1 / 3 },
          { fromSec: 2400, factor: 1 },
        ],
      },
      initial: 5,
    },
  ),
  workload(
    "too much",
    "for five minutes 55/s, where the full pool does 40",
    flood(HOUR, { basePerSec: 7, messages: 14_400, atSec: 1200, withinSec: 300 }),
    { sloSec: 60, initial: 5 },
  ),
  workload(
    "knee",
    "contention: workers slow one another down",
    diurnal(HOUR, { lowPerSec: 3, highPerSec: 18, periodSec: 2400 }),
    {
      plant: { knee: { contention: 0.025, coherence: 0.0008 } },
      max: 24,
      initial: 2,
    },
  ),
  workload(
    "noise",
    "readings 15% off, a tenth missing, once none for 90 s",
    diurnal(HOUR, { lowPerSec: 3, highPerSec: 13, periodSec: 1800 }),
    {
      plant: { broker: { noise: 0.15, missShare: 0.1, outages: [[1500, 1590]] } },
      initial: 3,
    },
  ),
  workload(
    "prefetch",
    "each worker holds ten messages more than it works on",
    diurnal(HOUR, { lowPerSec: 2, highPerSec: 14, periodSec: 1800 }),
    { plant: { broker: { prefetch: 10 } } },
  ),
  workload("crashes", "each worker lives ten minutes", constant(HOUR, { perSec: 9 }), {
    plant: { crashEverySec: 600 },
    initial: 6,
  }),
  workload(
    "leak",
    "each message leaves half a megabyte, on 8 GB",
    diurnal(HOUR, { lowPerSec: 4, highPerSec: 10, periodSec: 1800 }),
    {
      plant: { memory: { ...PLANT_MEMORY, totalBytes: 8e9, otherBytes: 2e9, leakBytesPerMessage: 450e3 } },
      initial: 3,
    },
  ),
];

const LAWS = {
  det: ({ meanSec }) => ({ law: "constant", meanSec }),
  exp: ({ meanSec }) => ({ law: "exponential", meanSec }),
  lognormal: ({ meanSec, cv = 0.5 }) => lognormal(meanSec, cv),
  pareto: ({ meanSec, alpha = 1.6, cap = 200 }) => ({ law: "pareto", meanSec, shape: alpha, longestTimes: cap }),
  bimodal: ({ meanSec, p = 0.1, slow = 10 }) => ({ law: "bimodal", meanSec, slowShare: p, slowTimes: slow }),
};

/** Pairs of NAME.json (how the plant is made) and a CSV of counts. */
export function workloadsIn(folder) {
  if (!existsSync(folder)) throw new Error(`--traces ${folder}: there is no such folder`);
  const names = readdirSync(folder).filter((name) => name.endsWith(".json"));
  if (names.length === 0)
    throw new Error(`--traces ${folder}: expected files NAME.json, each with its CSV, found none`);
  return names.sort().map((name) => readWorkload(folder, JSON.parse(readFileSync(join(folder, name), "utf8"))));
}

function readWorkload(folder, given) {
  const { worker = {}, stats = {}, ram, bottleneck, muFactor = [], timeScale = 1, rateScale = 1 } = given;
  const { mean: meanSec = 0.5, dist = "lognormal", ...shape } = worker.service ?? {};
  const text = readFileSync(join(folder, given.csv ?? `${given.name}.csv`), "utf8");
  const trace = parseTrace(text, {
    intervalSec: (given.interval ?? 10) * timeScale,
    spread: given.mode === "exact" ? "exact" : "poisson",
  });
  return {
    name: given.name,
    about: given.about ?? "",
    trace: { ...trace, arrivals: trace.arrivals.map((count) => count * rateScale) },
    plant: {
      ...BASE,
      service: LAWS[dist]({ meanSec, ...shape }),
      slots: worker.concurrency ?? 1,
      startupSec: worker.startup ?? 2,
      startupSpread: worker.startupJitter ?? 0.2,
      drainTimeoutSec: worker.drainTimeout ?? 30,
      crashEverySec: worker.mtbf || Number.POSITIVE_INFINITY,
      speed: muFactor.map(([fromSec, factor]) => ({ fromSec, factor })),
      knee: kneeOf(bottleneck),
      memory: ram === undefined ? null : memoryOf(ram),
      broker: {
        ...BASE.broker,
        sampleSec: stats.interval ?? 5,
        noise: stats.noise ?? 0,
        missShare: stats.miss ?? 0,
        outages: stats.outages ?? [],
        prefetch: stats.prefetchExtra ?? 0,
      },
      initialWorkers: given.initial ?? 1,
      quietSec: given.tail ?? 120,
    },
    sloSec: given.slo ?? 30,
    min: given.min ?? 1,
    max: given.max ?? 20,
    headroomBytes: ram?.headroom ?? 1e9,
  };
}

function kneeOf(bottleneck) {
  if (!bottleneck) return null;
  const { type, slots, alpha, beta } = bottleneck;
  return type === "knee" ? { slots } : { contention: alpha, coherence: beta };
}

const memoryOf = (ram) => ({
  ...PLANT_MEMORY,
  totalBytes: ram.total ?? 8e9,
  otherBytes: ram.other ?? 1.5e9,
  youngBytes: ram.base ?? 60e6,
  grownBytes: ram.full ?? 250e6,
  growSec: ram.tau ?? 20,
  leakBytesPerMessage: ram.leakPerMsg ?? 0,
  crowdedSpeed: ram.overSpeed ?? 0.5,
  killAt: ram.oomAt ?? 1.25,
});

/**
 * The configuration of the autoscaler, valid from its construction on. What a field of the policy may be is the policy's
 * word; the rest is said here. DESIGN 11.3.
 */
import { isHostName, MAX_TIMER_MS, msToSec, nearest, parseAddress, parseSize } from "effiqueue";
import { HPA_DEFAULTS, type HpaConfig, hpaConfigProblems } from "effiqueue/decide";
import { FIELDS, type FieldName } from "./fields.ts";
import type { AutoscaleMode, AutoscaleOptions } from "./options.ts";
import { schedulesExpected } from "./schedules.ts";
import { modeProblems } from "./slo.ts";

/** One thing that is wrong: `NAME: TEXT` is a sentence. The command line puts its flag in place of the name. */
export interface AutoscaleProblem {
  readonly name: string;
  readonly text: string;
}

export class AutoscaleConfig implements AutoscaleOptions {
  readonly appPath: string;
  readonly mode: AutoscaleMode;
  /** One of the two in mode slo, else neither. */
  readonly sloDrainTimeSec: number | undefined;
  readonly sloWaitTimeSec: number | undefined;
  readonly minWorkers: number;
  readonly maxWorkers: number;
  readonly targetQueueDepthPerWorker: number;
  readonly targetUtilisation: number;
  readonly scaleUpWindowSec: number;
  readonly scaleDownWindowSec: number;
  readonly tolerance: number;
  readonly schedules: readonly string[];
  readonly pollIntervalSec: number;
  readonly drainTimeoutSec: number;
  /** `undefined`: as the queue says. */
  readonly threadsPerWorker: number | undefined;
  /** `undefined`: workers may grow old. */
  readonly maxWorkerAgeSec: number | undefined;
  /** `undefined`: and large. */
  readonly maxWorkerMemory: number | string | undefined;
  readonly maxWorkerJobs: number | undefined;
  /** `undefined`: nothing is served. */
  readonly metricsAddr: string | undefined;
  /** `undefined`: nobody is asked for a token. */
  readonly metricsTokenFile: string | undefined;
  readonly metricsHosts: readonly string[];
  /** Bytes, or a size such as `4GB`. */
  readonly ramBudget: number | string | undefined;
  readonly ramHeadroom: number | string | undefined;

  /** @throws RangeError naming every field that is out of range or unknown, what was expected, and what was given */
  constructor(options: AutoscaleOptions) {
    // Whoever writes JavaScript may leave it out: what is missing then is the app.
    const given = (options as AutoscaleOptions | null | undefined) ?? {};
    const problems = autoscaleProblems(given);
    if (problems.length > 0) throw new RangeError(problems.map(({ name, text }) => `${name}: ${text}`).join("; "));
    const values = withDefaults(given) as { [Name in FieldName]-?: AutoscaleConfig[Name] };
    this.appPath = values.appPath;
    this.mode = values.mode;
    this.sloDrainTimeSec = values.sloDrainTimeSec;
    this.sloWaitTimeSec = values.sloWaitTimeSec;
    this.minWorkers = values.minWorkers;
    this.maxWorkers = values.maxWorkers;
    this.targetQueueDepthPerWorker = values.targetQueueDepthPerWorker;
    this.targetUtilisation = values.targetUtilisation;
    this.scaleUpWindowSec = values.scaleUpWindowSec;
    this.scaleDownWindowSec = values.scaleDownWindowSec;
    this.tolerance = values.tolerance;
    this.schedules = Object.freeze([...values.schedules]);
    this.pollIntervalSec = values.pollIntervalSec;
    this.drainTimeoutSec = values.drainTimeoutSec;
    this.threadsPerWorker = values.threadsPerWorker;
    this.maxWorkerAgeSec = values.maxWorkerAgeSec;
    this.maxWorkerMemory = values.maxWorkerMemory;
    this.maxWorkerJobs = values.maxWorkerJobs;
    this.metricsAddr = values.metricsAddr;
    this.metricsTokenFile = values.metricsTokenFile;
    this.metricsHosts = Object.freeze([...values.metricsHosts]);
    this.ramBudget = values.ramBudget;
    this.ramHeadroom = values.ramHeadroom;
    Object.freeze(this);
  }

  /** A plain object is as good as a configuration wherever one is taken. */
  static from(config: AutoscaleConfig | AutoscaleOptions): AutoscaleConfig {
    return config instanceof AutoscaleConfig ? config : new AutoscaleConfig(config);
  }
}

/** The policy's part. @param queueSlots what the queue says a worker has, for a configuration that leaves it open */
export function hpaConfigOf(config: AutoscaleConfig, queueSlots?: number): HpaConfig {
  return {
    minWorkers: config.minWorkers,
    maxWorkers: config.maxWorkers,
    targetQueueDepthPerWorker: config.targetQueueDepthPerWorker,
    targetUtilisation: config.targetUtilisation,
    scaleUpWindowSec: config.scaleUpWindowSec,
    scaleDownWindowSec: config.scaleDownWindowSec,
    tolerance: config.tolerance,
    threadsPerWorker: config.threadsPerWorker ?? queueSlots ?? HPA_DEFAULTS.threadsPerWorker,
  };
}

/** Everything that is wrong, in the order of the table; unknown names last. */
export function autoscaleProblems(options: object): AutoscaleProblem[] {
  const values = withDefaults(options);
  const threads = values.threadsPerWorker ?? HPA_DEFAULTS.threadsPerWorker;
  const wrong = new Map<string, string>();
  for (const { field, expected } of hpaConfigProblems({ ...values, threadsPerWorker: threads } as HpaConfig)) {
    wrong.set(field, expected);
  }
  for (const [field, { expected, holds }] of Object.entries(OWN_RULES)) {
    if (!holds(values[field as FieldName])) wrong.set(field, expected);
  }
  const schedules = schedulesExpected(values.schedules, values.maxWorkers);
  if (schedules !== null) wrong.set("schedules", schedules);
  for (const [field, expected] of modeProblems(values)) if (!wrong.has(field)) wrong.set(field, expected);
  const known = FIELDS.map(({ name }) => name as string);
  return [
    ...known.flatMap((name) => {
      const expected = wrong.get(name);
      return expected === undefined
        ? []
        : [{ name, text: `expected ${expected}, got ${show(values[name as FieldName])}` }];
    }),
    ...Object.keys(options)
      .filter((name) => !known.includes(name))
      .map((name) => ({ name, text: unknownText(nearest(name, known)) })),
  ];
}

interface Rule {
  readonly expected: string;
  readonly holds: (value: unknown) => boolean;
}

const MAX_SEC = Math.floor(msToSec(MAX_TIMER_MS));

const SOME_SEC = `seconds > 0 and <= ${MAX_SEC}`;
const isSomeSec = (value: unknown): boolean => typeof value === "number" && value > 0 && value <= MAX_SEC;

const OWN_RULES: Readonly<Partial<Record<FieldName, Rule>>> = {
  appPath: {
    expected: "MODULE[:EXPORT], such as ./tasks.js:queue",
    holds: (value) => typeof value === "string" && value.trim() !== "",
  },
  mode: { expected: `one of "hpa", "slo"`, holds: (value) => value === "hpa" || value === "slo" },
  sloDrainTimeSec: { expected: SOME_SEC, holds: (value) => value === undefined || isSomeSec(value) },
  sloWaitTimeSec: { expected: SOME_SEC, holds: (value) => value === undefined || isSomeSec(value) },
  pollIntervalSec: { expected: SOME_SEC, holds: isSomeSec },
  drainTimeoutSec: {
    expected: `seconds >= 0 and <= ${MAX_SEC}`,
    holds: (value) => typeof value === "number" && value >= 0 && value <= MAX_SEC,
  },
  maxWorkerAgeSec: { expected: SOME_SEC, holds: (value) => value === undefined || isSomeSec(value) },
  maxWorkerMemory: {
    expected: "a size > 0 such as 512MB or 1.5GiB (a bare number is bytes)",
    holds: (value) => value === undefined || (parseSize(value) ?? 0) > 0,
  },
  maxWorkerJobs: {
    expected: "a whole number >= 1",
    holds: (value) => value === undefined || (Number.isSafeInteger(value) && (value as number) >= 1),
  },
  metricsAddr: {
    expected: "HOST:PORT, such as 127.0.0.1:9464",
    holds: (value) => value === undefined || (typeof value === "string" && parseAddress(value) !== undefined),
  },
  metricsTokenFile: {
    expected: "the path of a file",
    holds: (value) => value === undefined || (typeof value === "string" && value.trim() !== ""),
  },
  metricsHosts: {
    expected: 'host names without ports, such as "worker-1.internal"',
    holds: (value) => Array.isArray(value) && value.every(isHostName),
  },
};

/** Values are whatever the caller gave: nothing is checked yet. */
function withDefaults(options: object): { readonly [Name in FieldName]?: unknown } {
  const given = options as { readonly [Name in FieldName]?: unknown };
  return Object.fromEntries(
    FIELDS.map(({ name, isList, default: value }) => [name, given[name] ?? (isList === true ? [] : value)]),
  );
}

const unknownText = (meant: string | undefined): string =>
  meant === undefined ? "is no field" : `is no field, did you mean ${meant}?`;

function show(value: unknown): string {
  if (value === undefined || value === null) return "nothing";
  return typeof value === "number" ? String(value) : JSON.stringify(value);
}

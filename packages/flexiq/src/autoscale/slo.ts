/** Which fields belong to which mode, and the program that they make for the policy. DESIGN 11.7, 2.19. */
import { HPA_DEFAULTS, type HpaConfig, type ProgramConfig, ProgramConfigError, programConfig } from "effiqueue/decide";
import type { FieldName } from "./fields.ts";
import type { AutoscaleOptions } from "./options.ts";

type Values = { readonly [Name in FieldName]?: unknown };

const ONLY_SLO = ["sloDrainTimeSec", "sloWaitTimeSec"] as const satisfies FieldName[];

const ONLY_HPA = [
  "targetQueueDepthPerWorker",
  "targetUtilisation",
  "scaleUpWindowSec",
  "scaleDownWindowSec",
  "tolerance",
] as const satisfies FieldName[];

/** What does not go with the mode, each with what would be right: a setting that nobody reads is never passed over in silence. */
export function modeProblems(values: Values): [FieldName, string][] {
  if (values.mode !== "slo") {
    const strangers = ONLY_SLO.filter((name) => values[name] !== undefined);
    const text = "nothing in mode hpa, which does not read it (set mode slo)";
    return [...strangers.map((name): [FieldName, string] => [name, text]), ...memoryProblems(values)];
  }
  const strangers = ONLY_HPA.filter((name) => values[name] !== HPA_DEFAULTS[name]);
  return [
    ...goalProblems(values),
    ...strangers.map((name): [FieldName, string] => [name, "nothing in mode slo, which does not read it"]),
    ...memoryProblems(values),
  ];
}

function goalProblems({ sloDrainTimeSec, sloWaitTimeSec }: Values): [FieldName, string][] {
  const given = [sloDrainTimeSec, sloWaitTimeSec].filter((value) => value !== undefined).length;
  if (given === 1) return [];
  if (given === 0) return [["sloDrainTimeSec", "seconds > 0 in mode slo, or sloWaitTimeSec in its place"]];
  return [["sloWaitTimeSec", "nothing beside sloDrainTimeSec: only one of sloDrainTimeSec and sloWaitTimeSec"]];
}

function memoryProblems({ ramBudget, ramHeadroom }: Values): [FieldName, string][] {
  try {
    programConfig({ ...EMBEDDED, maxWorkers: 1, sloDrainTime: 1, ramBudget, ramHeadroom });
    return [];
  } catch (error) {
    if (!(error instanceof ProgramConfigError)) throw error;
    return error.problems.map(({ key, expected }) => [key as FieldName, expected]);
  }
}

/** A program has a command and a queue; here both are opened by others, and the policy looks at neither. */
const EMBEDDED = { command: "flexiq worker", queueConnection: "amqp://embedded", queueName: "flexiq" };

/** @param config checked, of mode slo */
export function sloProgramOf(config: AutoscaleOptions): ProgramConfig {
  return programConfig({
    ...EMBEDDED,
    mode: "slo",
    minWorkers: config.minWorkers,
    maxWorkers: config.maxWorkers,
    sloDrainTime: config.sloDrainTimeSec,
    sloWaitTime: config.sloWaitTimeSec,
    ...memoryOf(config),
    pollInterval: config.pollIntervalSec,
    drainTimeout: config.drainTimeoutSec,
  });
}

/** Mode hpa within a budget. @param config checked, of mode hpa */
export function hpaProgramOf(config: AutoscaleOptions, hpa: HpaConfig): ProgramConfig {
  const { scaleUpWindowSec: scaleUpWindow, scaleDownWindowSec: scaleDownWindow, ...targets } = hpa;
  return programConfig({ ...EMBEDDED, mode: "hpa", ...targets, scaleUpWindow, scaleDownWindow, ...memoryOf(config) });
}

const memoryOf = ({ ramBudget, ramHeadroom, maxWorkerMemory }: AutoscaleOptions) => ({
  ramBudget,
  ramHeadroom,
  maxWorkerMemory,
});

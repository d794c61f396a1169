/** Mode slo of the autoscaler: which fields belong to it, and the program that they make for the policy. DESIGN 11.7. */
import { HPA_DEFAULTS, type ProgramConfig, ProgramConfigError, programConfig } from "effiqueue/decide";
import type { AutoscaleOptions, FieldName } from "./fields.ts";

type Values = { readonly [Name in FieldName]?: unknown };

const ONLY_SLO = ["sloDrainTimeSec", "sloWaitTimeSec", "ramBudget", "ramHeadroom"] as const satisfies FieldName[];

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
    return ONLY_SLO.filter((name) => values[name] !== undefined).map((name) => [
      name,
      "nothing in mode hpa, which does not read it (set mode slo)",
    ]);
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
    ramBudget: config.ramBudget,
    ramHeadroom: config.ramHeadroom,
    pollInterval: config.pollIntervalSec,
    drainTimeout: config.drainTimeoutSec,
  });
}

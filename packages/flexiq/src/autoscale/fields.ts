/**
 * The one table of what an operator can set: the class, the flags of `flexiq autoscale`, their help and the messages about
 * wrong values all read it. DESIGN 11.3.
 */
import { HPA_DEFAULTS } from "effiqueue/decide";
import type { AutoscaleOptions } from "./options.ts";

export type FieldName = keyof AutoscaleOptions;

export interface Field {
  readonly name: FieldName;
  /** The flag, without dashes. */
  readonly flag: string;
  /** Other spellings that people try. */
  readonly aliases: readonly string[];
  readonly placeholder: string;
  /** Without a value: the field is required, or its default depends on the queue. */
  readonly default?: number | string;
  /** Not a number. */
  readonly isText?: true;
  /** May be given again and again: a list of texts. */
  readonly isList?: true;
  readonly help: string;
}

export const FIELDS: readonly Field[] = [
  {
    name: "appPath",
    flag: "app",
    aliases: ["app-path"],
    placeholder: "MODULE[:EXPORT]",
    isText: true,
    help: "the queue to run workers for (required)",
  },
  {
    name: "mode",
    flag: "mode",
    aliases: [],
    placeholder: "hpa|slo",
    default: "hpa",
    help: "how the pool is sized: hpa, by waiting and running jobs; slo, so that a promise is kept within the memory there is",
  },
  {
    name: "sloDrainTimeSec",
    flag: "slo-drain-time",
    aliases: ["slo-drain-time-sec"],
    placeholder: "SEC",
    help: "mode slo: how long the queue may take to empty",
  },
  {
    name: "sloWaitTimeSec",
    flag: "slo-wait-time",
    aliases: ["slo-wait-time-sec"],
    placeholder: "SEC",
    help: "mode slo, instead: how long a job may wait for a worker",
  },
  {
    name: "minWorkers",
    flag: "min-workers",
    aliases: [],
    placeholder: "N",
    default: HPA_DEFAULTS.minWorkers,
    help: "never fewer workers; 0 lets an idle pool go",
  },
  {
    name: "maxWorkers",
    flag: "max-workers",
    aliases: [],
    placeholder: "N",
    default: HPA_DEFAULTS.maxWorkers,
    help: "never more workers",
  },
  {
    name: "targetQueueDepthPerWorker",
    flag: "target-queue-depth",
    aliases: ["target-queue-depth-per-worker"],
    placeholder: "JOBS",
    default: HPA_DEFAULTS.targetQueueDepthPerWorker,
    help: "pending jobs that one worker is expected to absorb",
  },
  {
    name: "targetUtilisation",
    flag: "target-utilisation",
    aliases: ["target-utilization"],
    placeholder: "SHARE",
    default: HPA_DEFAULTS.targetUtilisation,
    help: "wanted share of busy job slots, up to 1",
  },
  {
    name: "scaleUpWindowSec",
    flag: "scale-up-window",
    aliases: ["scale-up-window-sec"],
    placeholder: "SEC",
    default: HPA_DEFAULTS.scaleUpWindowSec,
    help: "grow only as far as all of this time agrees",
  },
  {
    name: "scaleDownWindowSec",
    flag: "scale-down-window",
    aliases: ["scale-down-window-sec"],
    placeholder: "SEC",
    default: HPA_DEFAULTS.scaleDownWindowSec,
    help: "shrink only as far as all of this time agrees",
  },
  {
    name: "tolerance",
    flag: "tolerance",
    aliases: [],
    placeholder: "SHARE",
    default: HPA_DEFAULTS.tolerance,
    help: "ignore a wish this close to the present count",
  },
  {
    name: "schedules",
    flag: "schedule",
    aliases: [],
    placeholder: "SPAN",
    isList: true,
    help: 'another floor or ceiling for a while, such as "0 8 * * 1-5 for 10h in Europe/Berlin min 4"; repeatable',
  },
  {
    name: "pollIntervalSec",
    flag: "poll-interval",
    aliases: ["poll-interval-sec"],
    placeholder: "SEC",
    default: 5,
    help: "from decision to decision",
  },
  {
    name: "drainTimeoutSec",
    flag: "drain-timeout",
    aliases: ["drain-timeout-sec"],
    placeholder: "SEC",
    default: 30,
    help: "from SIGTERM to SIGKILL",
  },
  {
    name: "threadsPerWorker",
    flag: "threads-per-worker",
    aliases: [],
    placeholder: "N",
    help: "job slots of one worker (default: as the queue says)",
  },
  {
    name: "maxWorkerAgeSec",
    flag: "max-worker-age",
    aliases: ["max-worker-age-sec"],
    placeholder: "SEC",
    help: "replace workers this old, one at a time (default: no limit)",
  },
  {
    name: "maxWorkerMemory",
    flag: "max-worker-memory",
    aliases: [],
    placeholder: "SIZE",
    help: "replace workers that take this much, such as 512MB (default: no limit)",
  },
  {
    name: "maxWorkerJobs",
    flag: "max-worker-jobs",
    aliases: [],
    placeholder: "N",
    help: "replace workers that have finished so many jobs (default: no limit)",
  },
  {
    name: "metricsAddr",
    flag: "metrics-addr",
    aliases: [],
    placeholder: "HOST:PORT",
    isText: true,
    help: "serve metrics and status there (default: nowhere)",
  },
  {
    name: "metricsTokenFile",
    flag: "metrics-token-file",
    aliases: [],
    placeholder: "FILE",
    isText: true,
    help: "holds the token that everybody has to show who reads figures there (default: nobody is asked)",
  },
  {
    name: "metricsHosts",
    flag: "metrics-host",
    aliases: ["metrics-hosts"],
    placeholder: "NAME",
    isList: true,
    help: "another host name by which browsers and scrapers may ask there; repeatable",
  },
  {
    name: "ramBudget",
    flag: "ram-budget",
    aliases: [],
    placeholder: "SIZE",
    help: "memory that all workers may take together, such as 4GB (default: what the machine has left in mode slo, no limit in mode hpa)",
  },
  {
    name: "ramHeadroom",
    flag: "ram-headroom",
    aliases: [],
    placeholder: "SIZE",
    help: "instead: memory that is left to the system (default: 2GB in mode slo, no limit in mode hpa)",
  },
];

/** Flags by the key that the daemon's file has for the same: its words are ours with other names. DESIGN 6.10. */
export const SETTINGS: Readonly<Record<string, string>> = Object.fromEntries(
  FIELDS.flatMap(({ flag, aliases }) => [flag, ...aliases].map((each) => [each.replaceAll("-", "_"), `--${flag}`])),
);

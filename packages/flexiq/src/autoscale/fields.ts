/**
 * The one table of what an operator can set: the class, the flags of `flexiq autoscale`, their help and the messages about
 * wrong values all read it. DESIGN 11.3.
 */
import { HPA_DEFAULTS } from "effiqueue/decide";

/** Seconds where the name says so. What is left out, or `undefined`, takes its default. */
export interface AutoscaleOptions {
  /** `MODULE[:EXPORT]` of the queue, passed to every worker as `--app`. Required. */
  readonly appPath: string;
  /**
   * How the pool is sized. `hpa`: by what waits and runs, each worker being worth a number of jobs. `slo`: by how fast workers turn
   * out to be and how fast jobs arrive, so that a promise is kept, within the memory of the machine. Default `hpa`.
   */
  readonly mode?: AutoscaleMode | undefined;
  /** Mode slo: how long the queue may take to empty, > 0. */
  readonly sloDrainTimeSec?: number | undefined;
  /** Mode slo, in place of `sloDrainTimeSec`: how long a job may wait for a worker, > 0. */
  readonly sloWaitTimeSec?: number | undefined;
  /** Never fewer workers. Whole, >= 0; 0 lets an idle pool go. Default 1. */
  readonly minWorkers?: number | undefined;
  /** Never more workers. Whole, >= 1 and >= `minWorkers`. Default 10. */
  readonly maxWorkers?: number | undefined;
  /** Pending jobs one worker is expected to absorb, > 0. Default 15. */
  readonly targetQueueDepthPerWorker?: number | undefined;
  /** Wanted share of busy slots, > 0 and <= 1. Default 0.75. */
  readonly targetUtilisation?: number | undefined;
  /** Growth waits until every recommendation of this long agrees. >= 0; 0 follows a burst at once. Default 0. */
  readonly scaleUpWindowSec?: number | undefined;
  /** Workers go only when no recommendation of this long wanted them. >= 0. Default 300. */
  readonly scaleDownWindowSec?: number | undefined;
  /** A wish that differs from the present count by at most this share changes nothing. 0 to 1. Default 0.1. */
  readonly tolerance?: number | undefined;
  /**
   * Spans of time with a higher floor or a lower ceiling, `CRON for DURATION [in ZONE] [min N] [max N]`, such as
   * `"0 8 * * 1-5 for 10h in Europe/Berlin min 4"`. The zone is the machine's, if none is given. Default: none.
   */
  readonly schedules?: readonly string[] | undefined;
  /** From decision to decision, > 0. Default 5. */
  readonly pollIntervalSec?: number | undefined;
  /** From SIGTERM to SIGKILL, >= 0. Default 30. */
  readonly drainTimeoutSec?: number | undefined;
  /** Job slots of one worker, whole, >= 1. Default: `workers` of the queue, else 4. Live workers that publish theirs are believed instead. */
  readonly threadsPerWorker?: number | undefined;
  /** A worker this old is drained and replaced, one at a time. Seconds, > 0. Default: no limit. */
  readonly maxWorkerAgeSec?: number | undefined;
  /** So is one that takes this much with its children, bytes or `"512MB"`, > 0. Default: no limit. */
  readonly maxWorkerMemory?: number | string | undefined;
  /** So is one that has finished so many jobs, whole, >= 1. Default: no limit. */
  readonly maxWorkerJobs?: number | undefined;
  /** `HOST:PORT` to serve metrics and status at; port 0: any free one. Default: nowhere. */
  readonly metricsAddr?: string | undefined;
  /** File of the token that everybody has to show who reads figures there. Default: nobody is asked. */
  readonly metricsTokenFile?: string | undefined;
  /** Further host names by which browsers and scrapers may ask there. Default: none beside addresses and `localhost`. */
  readonly metricsHosts?: readonly string[] | undefined;
  /** Memory that all workers may take together, bytes or `"4GB"`. Not beside `ramHeadroom`. Default: what the machine has left in mode slo, no limit in mode hpa. */
  readonly ramBudget?: number | string | undefined;
  /** Instead: memory that is left to the system, bytes or `"512MB"`. Default: 2 GB in mode slo, no limit in mode hpa. */
  readonly ramHeadroom?: number | string | undefined;
}

export type AutoscaleMode = "hpa" | "slo";

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

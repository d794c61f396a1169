/**
 * The one table of what an operator can set: the class, the flags of `flexiq autoscale`, their help and the messages about
 * wrong values all read it. DESIGN 11.3.
 */
import { HPA_DEFAULTS } from "effiqueue/decide";

/** Seconds where the name says so. What is left out, or `undefined`, takes its default. */
export interface AutoscaleOptions {
  /** `MODULE[:EXPORT]` of the queue, passed to every worker as `--app`. Required. */
  readonly appPath: string;
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
  /** From decision to decision, > 0. Default 5. */
  readonly pollIntervalSec?: number | undefined;
  /** From SIGTERM to SIGKILL, >= 0. Default 30. */
  readonly drainTimeoutSec?: number | undefined;
  /** Job slots of one worker, whole, >= 1. Default: `workers` of the queue, else 4. Live workers that publish theirs are believed instead. */
  readonly threadsPerWorker?: number | undefined;
  /** `HOST:PORT` to serve metrics and status at; port 0: any free one. Default: nowhere. */
  readonly metricsAddr?: string | undefined;
}

export type FieldName = keyof AutoscaleOptions;

export interface Field {
  readonly name: FieldName;
  /** The flag, without dashes. */
  readonly flag: string;
  /** Other spellings that people try. */
  readonly aliases: readonly string[];
  readonly placeholder: string;
  /** Without a value: the field is required, or its default depends on the queue. */
  readonly default?: number;
  /** Not a number. */
  readonly isText?: true;
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
    name: "metricsAddr",
    flag: "metrics-addr",
    aliases: [],
    placeholder: "HOST:PORT",
    isText: true,
    help: "serve metrics and status there (default: nowhere)",
  },
];

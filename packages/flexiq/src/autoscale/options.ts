/** What an application says of its autoscaler. DESIGN 11.3. Types only. */

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

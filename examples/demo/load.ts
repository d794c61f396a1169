/** The load of the demo, as data: a calm start, a burst, a lull, a second burst. */

export interface Phase {
  readonly seconds: number;
  /** Jobs enqueued in one transaction when the phase begins. */
  readonly atOnce: number;
  /** Jobs that trickle in after that. */
  readonly perSec: number;
}

export const FULL: readonly Phase[] = [
  { seconds: 5, atOnce: 4, perSec: 4 },
  { seconds: 15, atOnce: 320, perSec: 8 },
  { seconds: 11, atOnce: 0, perSec: 4 },
  { seconds: 8, atOnce: 200, perSec: 8 },
];

/** `--quick`: one burst, enough for several workers and a kill. */
export const QUICK: readonly Phase[] = [
  { seconds: 1, atOnce: 4, perSec: 4 },
  { seconds: 3, atOnce: 160, perSec: 4 },
];

/** Milliseconds a job takes. */
export const jobDurationMs = (): number => 150 + Math.round(Math.random() * 250);

/** The limits and windows the autoscaler gets: the defaults are meant for days, this is a minute. */
export const AUTOSCALE = {
  minWorkers: 0,
  maxWorkers: 8,
  targetQueueDepthPerWorker: 25,
  targetUtilisation: 0.75,
  scaleUpWindowSec: 0,
  scaleDownWindowSec: 3,
  pollIntervalSec: 1,
  drainTimeoutSec: 10,
} as const;

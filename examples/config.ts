/** The fields that size the pool and run it, with their defaults; docs/autoscaler.md has all. A value out of range is a RangeError naming the field. */
import { AutoscaleConfig } from "flexiq/autoscale";

export const config = new AutoscaleConfig({
  appPath: "./tasks.js:queue", // Required: what the workers get as --app.
  minWorkers: 1, // Never fewer; 0 lets an idle pool go.
  maxWorkers: 10, // Never more.
  targetQueueDepthPerWorker: 15, // Waiting jobs per worker: the depth signal.
  targetUtilisation: 0.75, // Wanted share of busy slots: the utilisation signal.
  scaleUpWindowSec: 0, // 0 follows a burst at once.
  scaleDownWindowSec: 300, // A lull has to last this long before workers go.
  tolerance: 0.1, // A wish within 10% of the present count changes nothing.
  pollIntervalSec: 5, // Seconds between decisions; a dead worker is replaced at once all the same.
  drainTimeoutSec: 30, // Seconds between SIGTERM and SIGKILL.
  threadsPerWorker: 4, // Job slots of one worker; left out, it is the queue's `workers`.
});

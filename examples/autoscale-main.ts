/** The entry point of a service (`deploy/systemd`, `deploy/docker`): everything fixed in code, one file to start. */
import { AutoscaleConfig, serveAutoscaler } from "flexiq/autoscale";
import { queue } from "./tasks.ts";

await serveAutoscaler(
  queue,
  new AutoscaleConfig({
    appPath: "./tasks.js:queue",
    minWorkers: 2,
    maxWorkers: 20,
    targetQueueDepthPerWorker: 10,
    drainTimeoutSec: 60, // less than systemd's TimeoutStopSec and Docker's stop_grace_period
  }),
);

/** The quick start: as many worker processes as the queue needs, until SIGTERM or SIGINT; then it drains them and returns. */
import { AutoscaleConfig, serveAutoscaler } from "flexiq/autoscale";
import { queue } from "./tasks.ts";

await serveAutoscaler(queue, new AutoscaleConfig({ appPath: "./tasks.js:queue", minWorkers: 1, maxWorkers: 10 }));

/** The autoscaler as a part of your own program: you say when it decides, and can manage the processes by hand. */
import { AutoscaleController } from "flexiq/autoscale";
import { queue } from "./tasks.ts";

const controller = new AutoscaleController(queue, { appPath: "./tasks.js:queue", minWorkers: 1, maxWorkers: 4 });

const decision = await controller.tick();
console.log(`${decision.currentWorkers} -> ${decision.desiredWorkers}: ${decision.rationale}`);

const pool = controller.processManager;
const pid = pool.spawnWorker(); // one more, by hand
console.log("live:", pool.countLive(), pool.livePids().includes(pid));
console.log("ended cleanly:", await pool.terminateWorker(pid)); // SIGTERM, wait, SIGKILL
console.log("reaped:", pool.reapDead().includes(pid));

await pool.shutdown(); // drains every worker at once
pool.killAll(); // the emergency brake; here nobody is left
await controller.stop(); // ends the loop, if it runs, and gives up the pool
queue.close();

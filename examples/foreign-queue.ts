/** Somebody else's queue: any object with `stats()`, and the command that starts one of its workers. */
import { AutoscaleController } from "flexiq/autoscale";

// Stands for BullMQ's `new Queue("mail", { connection })`, which has this method.
const bullQueue = { getJobCounts: () => Promise.resolve({ waiting: 40, active: 0, delayed: 7 }) };

const mail = {
  async stats() {
    const { waiting, active } = await bullQueue.getJobCounts();
    return { pending: waiting, running: active };
  },
};

const controller = new AutoscaleController(
  mail,
  { appPath: "mail", maxWorkers: 4, threadsPerWorker: 8 },
  { command: { file: "sleep", args: ["3600"] } }, // yours would be: node mail-worker.js
);

const { currentWorkers, desiredWorkers, rationale } = await controller.tick();
console.log(`${currentWorkers} -> ${desiredWorkers}: ${rationale}`);
await controller.stop();

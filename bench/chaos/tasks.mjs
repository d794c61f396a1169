// The app of the scene flexiq; its file comes from FLEXIQ_DB_PATH.
import { setTimeout as sleep } from "node:timers/promises";
import { Queue } from "flexiq";

export const queue = new Queue({ workers: 2, busyTimeoutMs: 30_000, leaseMs: 10_000 });
queue.task("nap", (ms) => sleep(ms));

/** Your tasks: the one module that producers, workers and the autoscaler share. */
import { Queue } from "flexiq";

export const queue = new Queue({ dbPath: process.env["FLEXIQ_DB_PATH"] ?? "flexiq.db", workers: 4 });

export const resize = queue.task("resize", async (path: string) => ({ path, width: 640 }), { maxRetries: 3 });

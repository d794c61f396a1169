/** Your tasks: the one module that producers, workers and the autoscaler share. */
import { Queue } from "flexiq";

// `workers`: jobs that one worker process runs at a time.
export const queue = new Queue({ dbPath: process.env["FLEXIQ_DB_PATH"] ?? "flexiq.db", workers: 4 });

export const resize = queue.task(
  "resize",
  async (path: string, width = 640) => {
    await new Promise((resolve) => setTimeout(resolve, 20)); // the work itself
    return { path, width };
  },
  { maxRetries: 3 },
);

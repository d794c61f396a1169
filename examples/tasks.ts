/** Your tasks: the one module that producers, workers and the autoscaler share. */
import { Queue } from "flexiq";

// Its file is $FLEXIQ_DB_PATH, else .flexiq/flexiq.db; `dbPath` would name another. `workers`: jobs of one worker process at a time.
export const queue = new Queue({ workers: 4 });

export const resize = queue.task(
  "resize",
  async (path: string, width = 640) => {
    await new Promise((resolve) => setTimeout(resolve, 20)); // the work itself
    return { path, width };
  },
  { maxRetries: 3 },
);

/**
 * A worker inside a program of one's own. DESIGN 10.5.
 */
import { createLogger, type Logger } from "effiqueue";
import type { Queue } from "../queue.ts";
import { Worker } from "./worker.ts";

export interface RunWorkerOptions {
  /** Jobs at a time. Default: the queue's `workers`. */
  slots?: number;
  /** Only jobs of these queues. Default: all. */
  queues?: readonly string[];
  /** Aborting it stops the worker: it claims nothing more and finishes what runs. */
  signal?: AbortSignal;
  /** Default: JSON lines on standard error, readable ones on a terminal. */
  logger?: Logger;
}

/**
 * Runs jobs of `queue` in this process; resolves when `signal` is aborted and the last job has ended. It touches no signal
 * handlers of the process: that is the business of `flexiq worker`.
 *
 * @throws FlexiqError when an option is out of range or the file cannot be used
 */
export async function runWorker(queue: Queue, options: RunWorkerOptions = {}): Promise<void> {
  const { slots, queues, signal, logger } = options;
  const worker = new Worker(queue, {
    ...(slots === undefined ? {} : { slots }),
    ...(queues === undefined ? {} : { queues }),
    log: logger ?? createLogger({ name: "flexiq.worker" }),
  });
  const stop = (): void => void worker.stop();
  signal?.addEventListener("abort", stop);
  if (signal?.aborted === true) stop();
  try {
    await worker.start();
    await worker.done;
  } finally {
    signal?.removeEventListener("abort", stop);
  }
}

// BullMQ on a private Redis.
import { Queue, Worker } from "bullmq";

export const server = "redis";

export const variants = {
  default: { title: "BullMQ", warmUp: 4000, worker: {} },
  // What its guide recommends for jobs that do little: many at once, and finished ones not kept.
  tuned: { title: "BullMQ, tuned", warmUp: 12_000, worker: { concurrency: 100, removeOnComplete: { count: 0 } } },
};

const connection = ({ redisPort }) => ({ host: "127.0.0.1", port: redisPort, maxRetriesPerRequest: null });

export async function producer(context) {
  const queue = new Queue(context.queue, { connection: connection(context) });
  await queue.waitUntilReady();
  const left = async () => {
    const { wait, active, prioritized } = await queue.getJobCounts("wait", "active", "prioritized");
    return wait + active + prioritized;
  };
  return {
    enqueue: (task, payload) => queue.add(task, payload),
    enqueueMany: (task, payloads) => queue.addBulk(payloads.map((data) => ({ name: task, data }))),
    isDrained: async () => (await left()) === 0,
    left,
  };
}

export async function worker(context, handlers) {
  const options = { connection: connection(context), ...variants[context.variant].worker };
  const worker = new Worker(context.queue, async (job) => handlers[job.name](job.data), options);
  worker.on("error", (error) => console.error(error));
  await worker.waitUntilReady();
}

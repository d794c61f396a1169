/** Looks at a queue's workers from outside, and stops an autoscaler the way a service manager does. */
import { Queue, type WorkerRow } from "flexiq";
import { expect, onTestFinished } from "vitest";
import { waitFor } from "../../packages/effiqueue/test/support/wait-for.ts";
import { nobodyLeft, type Started } from "./processes.ts";

/** This test's own view of the file. */
export function openQueue(dbPath: string): Queue {
  const queue = new Queue({ dbPath });
  onTestFinished(() => queue.close());
  return queue;
}

/** Resolves with the workers once there are at least `count`; fails at once when the autoscaler ends before. */
export function waitForWorkers(queue: Queue, count: number, autoscaler: Started): Promise<readonly WorkerRow[]> {
  return waitFor(
    async () => {
      if (autoscaler.child.exitCode !== null) throw new Error(`the autoscaler ended:\n${autoscaler.output()}`);
      const workers = await queue.store.workers();
      return workers.length >= count ? workers : undefined;
    },
    { timeoutMs: 45_000, what: `${count} workers` },
  );
}

/** SIGTERM; it has to drain its workers and to end with 0, and none of its processes may be left. */
export async function stopGracefully(autoscaler: Started): Promise<void> {
  autoscaler.child.kill("SIGTERM");
  const { code, signal, stderr } = await autoscaler.ended();
  expect({ code, signal }, stderr).toEqual({ code: 0, signal: null });
  await nobodyLeft(autoscaler);
}

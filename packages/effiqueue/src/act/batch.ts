/**
 * Several workers started at once. Each that begins to run takes a core from the loop that starts the next, so that fifty Node
 * processes took two cores 8 s, in which nothing else was done here: no exit was seen, and no lock touched. Stopped until the
 * last of them was started they take 0.3 s. DESIGN 4.1.
 */
import { type GroupOwner, signalWorker } from "./groups.ts";
import { thisSystem } from "./platform/this-system.ts";

/**
 * Starts up to `missing` workers and lets them run when the last one is there.
 *
 * @param start one worker; `undefined`: no more
 */
export function startBatch(missing: number, start: () => GroupOwner | undefined): void {
  const held: GroupOwner[] = [];
  try {
    for (let left = missing; left > 0; left--) {
      const worker = start();
      if (worker === undefined) return;
      if (left > 1 && thisSystem.hasGroups && signalWorker(worker, "group", "SIGSTOP")) held.push(worker);
    }
  } finally {
    for (const worker of held) letRun(worker);
  }
}

/** Harmless for one that runs. */
export const letRun = (worker: GroupOwner): boolean => signalWorker(worker, "group", "SIGCONT");

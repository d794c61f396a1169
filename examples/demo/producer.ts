/** The producer: a process of its own that enqueues the load and says which jobs were acknowledged. */
import { setTimeout as wait } from "node:timers/promises";
import { FULL, jobDurationMs, type Phase, QUICK } from "./load.ts";
import { stopWithDemo, tell } from "./messages.ts";
import { queue, work } from "./tasks.ts";

const TRICKLE_EVERY_MS = 250;

const done = stopWithDemo();
for (const phase of process.argv.includes("--quick") ? QUICK : FULL) await play(phase);
queue.close();
done();

async function play({ seconds, atOnce, perSec }: Phase): Promise<void> {
  const beganAt = performance.now();
  const calls = Array.from({ length: atOnce }, () => ({ task: work, args: [jobDurationMs()] }));
  if (calls.length > 0) tell({ kind: "enqueued", ids: await queue.enqueueMany(calls) });

  for (let trickled = 0; ; ) {
    const elapsedSec = (performance.now() - beganAt) / 1000;
    for (; trickled < Math.floor(Math.min(elapsedSec, seconds) * perSec); trickled++) {
      tell({ kind: "enqueued", ids: [await work.enqueue(jobDurationMs())] });
    }
    if (elapsedSec >= seconds) return;
    await wait(TRICKLE_EVERY_MS);
  }
}

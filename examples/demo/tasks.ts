/** The demo's queue and its only task: waits a little, and keeps a journal of its runs that the queue knows nothing of. */
import { setTimeout as wait } from "node:timers/promises";
import { currentJob, Queue } from "flexiq";
import { openJournal } from "./journal.ts";

export const SLOTS = 2;

export const queue = new Queue({ workers: SLOTS });

let journal: ReturnType<typeof openJournal> | undefined;

export const work = queue.task(
  "work",
  async (durationMs: number) => {
    journal ??= openJournal();
    const { id } = currentJob();
    const run = journal.started(id);
    await wait(durationMs);
    journal.ended(id);
    return run;
  },
  { maxRetries: 5 },
);

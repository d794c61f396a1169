/** A queue is there as soon as somebody names it, so a typing error is no error; it is said. DESIGN 12.3. */
import { nearest, visible } from "effiqueue";
import type { Queue } from "../queue.ts";

/** Beside the answer, on standard error. */
export async function noteEmpty(queue: Queue, name: string | undefined): Promise<void> {
  if (name === undefined) return;
  const names = (await queue.queues()).map((each) => each.name);
  if (names.includes(name)) return;
  const meant = nearest(name, names);
  const hint = meant === undefined ? "`flexiq queues` lists those that have" : `did you mean ${meant}?`;
  process.stderr.write(`flexiq: ${visible(`queue ${name} has no jobs in ${queue.dbPath}; ${hint}`)}\n`);
}

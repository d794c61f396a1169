/**
 * A large prefetch lets few workers hold what many could do: nothing waits, a new worker finds nothing, and no number says why.
 * DESIGN 7.2. Pure.
 */
import type { QueueReading } from "../../model/observation.ts";

/** More than any worker works on at a time, as a mean over all consumers. */
const HELD_EACH = 20;

/** Readings in a row: a backlog that is just being cleared looks the same for a moment. */
const PATIENCE = 6;

export class PrefetchHint {
  #readings = 0;

  /** What is to be said now; `null`: nothing. Said once until the queue looks otherwise again. */
  after({ ready, unacked, consumers }: QueueReading): string | null {
    const isHeld = ready === 0 && (consumers ?? 0) > 0 && (unacked ?? 0) >= HELD_EACH * (consumers ?? 0);
    this.#readings = isHeld ? this.#readings + 1 : 0;
    if (this.#readings !== PATIENCE) return null;
    return (
      `${String(consumers)} consumers hold ${String(unacked)} messages and none waits: a new worker finds nothing to do ` +
      "while others have a backlog of their own; a prefetch of a few messages would share it"
    );
  }
}

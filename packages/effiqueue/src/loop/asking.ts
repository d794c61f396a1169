/** What a program asks of others at each tick, and waits for no longer than a while: the queue, what it knows of our workers, the memory. DESIGN 2.1. */
import { errorText } from "../model/errors.ts";
import type { QueueReading } from "../model/observation.ts";
import type { Clock } from "../model/ports.ts";
import type { Reading } from "../model/reading.ts";
import type { WorkerExit, WorkerView } from "../model/worker.ts";
import { Bounded, OVERDUE } from "./bounded.ts";
import type { MemoryLook, MemoryLooks } from "./memory-looks.ts";
import type { ProgramOptions } from "./program-options.ts";

export interface Answers {
  /** Workers that were found to have exited since the tick before. */
  readonly exits: readonly WorkerExit[];
  /** What the queue says of our workers; `null`: nobody can tell. */
  readonly views: readonly WorkerView[] | null;
  readonly reading: Reading<QueueReading>;
  /** `null`: memory could not be read; `undefined`: nobody looks at it. */
  readonly look: MemoryLook | null | undefined;
}

export interface AskingParts {
  /** As they are now. */
  readonly options: () => Pick<ProgramOptions, "pool" | "source">;
  readonly clock: Clock;
  readonly looks: MemoryLooks | undefined;
  /** Milliseconds after which what was asked counts as unreadable. */
  readonly limitMs: number;
}

export class Asking {
  readonly #parts: AskingParts;
  readonly #reads: Bounded;
  readonly #refreshes: Bounded;

  constructor(parts: AskingParts) {
    const { clock, limitMs } = parts;
    this.#parts = parts;
    this.#reads = new Bounded(clock, limitMs);
    this.#refreshes = new Bounded(clock, limitMs);
  }

  async ask(): Promise<Answers> {
    const { options, looks } = this.#parts;
    const exits = options().pool.reap();
    const views = await this.#views();
    const [reading, look] = await Promise.all([this.#reading(), looks?.look()]);
    return { exits, views, reading, look };
  }

  async #views(): Promise<readonly WorkerView[] | null> {
    const views = await this.#refreshes.run(() => this.#parts.options().pool.refresh());
    return views === OVERDUE ? null : views;
  }

  /** Never rejects: whatever goes wrong makes it unreadable. */
  async #reading(): Promise<Reading<QueueReading>> {
    try {
      const reading = await this.#reads.run(() => this.#parts.options().source.read());
      if (reading !== OVERDUE) return reading;
      return this.#unreadable(
        Object.assign(new Error(`no answer within ${this.#parts.limitMs} ms`), { code: "timeout" }),
      );
    } catch (error) {
      return this.#unreadable(error instanceof Error ? error : new Error(errorText(error)));
    }
  }

  #unreadable(cause: Error): Reading<QueueReading> {
    return { kind: "unreadable", cause, at: this.#parts.clock.monotonicMs() };
  }
}

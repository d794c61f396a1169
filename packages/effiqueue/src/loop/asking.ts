/** What a program asks of others at each tick, and waits for no longer than a while: the queue, and what it knows of our workers. DESIGN 2.1. */
import { errorText } from "../model/errors.ts";
import type { QueueReading } from "../model/observation.ts";
import type { Clock } from "../model/ports.ts";
import type { Reading } from "../model/reading.ts";
import type { WorkerView } from "../model/worker.ts";
import { Bounded, OVERDUE } from "./bounded.ts";
import type { ProgramOptions } from "./program-options.ts";

export class Asking {
  readonly #options: () => Pick<ProgramOptions, "pool" | "source">;
  readonly #clock: Clock;
  readonly #reads: Bounded;
  readonly #refreshes: Bounded;

  /** @param options as they are now @param limitMs after which what was asked counts as unreadable */
  constructor(options: () => Pick<ProgramOptions, "pool" | "source">, clock: Clock, limitMs: number) {
    this.#options = options;
    this.#clock = clock;
    this.#reads = new Bounded(clock, limitMs);
    this.#refreshes = new Bounded(clock, limitMs);
  }

  /** `null`: nobody can tell. */
  async views(): Promise<readonly WorkerView[] | null> {
    const views = await this.#refreshes.run(() => this.#options().pool.refresh());
    return views === OVERDUE ? null : views;
  }

  /** Never rejects: whatever goes wrong makes it unreadable. */
  async reading(): Promise<Reading<QueueReading>> {
    try {
      const reading = await this.#reads.run(() => this.#options().source.read());
      if (reading !== OVERDUE) return reading;
      const cause = Object.assign(new Error(`no answer within ${this.#reads.limitMs} ms`), { code: "timeout" });
      return { kind: "unreadable", cause, at: this.#clock.monotonicMs() };
    } catch (error) {
      const cause = error instanceof Error ? error : new Error(errorText(error));
      return { kind: "unreadable", cause, at: this.#clock.monotonicMs() };
    }
  }
}

/**
 * When the passes of one program happen: at every poll of a grid, and at once when something wakes it; never two at a time.
 * DESIGN 2.1, 2.7.
 */
import type { Clock } from "../model/ports.ts";
import type { MonotonicMs } from "../units.ts";
import { OneAtATime } from "./one-at-a-time.ts";

export interface CadenceParts<Result> {
  readonly clock: Clock;
  readonly intervalMs: number;
  readonly pass: () => Promise<Result>;
  /** Hears of every pass that threw. */
  readonly failed: (error: unknown) => void;
  /** Subscribes to what must not be slept through; returns how to end that. */
  readonly onWake: (callback: () => void) => () => void;
}

export class Cadence<Result> {
  readonly #parts: CadenceParts<Result>;
  readonly #ticks: OneAtATime<Result>;
  #stopping = false;
  #woken = false;
  #endSleep: (() => void) | null = null;

  constructor(parts: CadenceParts<Result>) {
    this.#parts = parts;
    this.#ticks = new OneAtATime(async () => {
      try {
        return await parts.pass();
      } catch (error) {
        parts.failed(error);
        throw error;
      }
    });
  }

  /** One pass: the next, if one runs already; everybody who asks until that begins gets the same one. Rejects with what it throws. */
  tick(): Promise<Result> {
    return this.#ticks.run();
  }

  /** Ticks at once, at every poll of the grid that begins at `start`, and at every wake; resolves after `stop`, and after the tick in flight. */
  async run(start: MonotonicMs): Promise<void> {
    const { clock, intervalMs } = this.#parts;
    this.#stopping = false;
    const unsubscribe = this.#parts.onWake(() => this.wake());
    try {
      let due: number = start;
      while (!this.#isStopping()) {
        this.#woken = false;
        await this.tick().catch(() => undefined);
        due = nextPoll(due, intervalMs, clock.monotonicMs());
        await this.#sleepUntil(due);
      }
    } finally {
      unsubscribe();
    }
  }

  stop(): void {
    this.#stopping = true;
    this.wake();
  }

  /** The next tick of `run` begins now; nothing while it does not run. */
  wake(): void {
    this.#woken = true;
    this.#endSleep?.();
  }

  #isStopping(): boolean {
    return this.#stopping;
  }

  #sleepUntil(due: number): Promise<void> {
    if (this.#woken) return Promise.resolve();
    return new Promise((resolve) => {
      const end = (): void => {
        this.#endSleep = null;
        cancel();
        resolve();
      };
      const cancel = this.#parts.clock.after(due - this.#parts.clock.monotonicMs(), end);
      this.#endSleep = end;
    });
  }
}

/** The first poll after `now` on the grid that `due` belongs to: the cadence is kept, missed polls are not made up. */
export function nextPoll(due: number, intervalMs: number, now: number): number {
  return due > now ? due : due + intervalMs * (Math.floor((now - due) / intervalMs) + 1);
}

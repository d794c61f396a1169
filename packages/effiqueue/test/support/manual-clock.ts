/** Time that only moves when the test says so; processes beside it stay real. */
import type { Clock } from "../../src/model/ports.ts";
import { monotonicMs, wallMs } from "../../src/units.ts";

export class ManualClock implements Clock {
  #nowMs = 1_000_000;
  #timers: { readonly atMs: number; readonly callback: () => void }[] = [];

  monotonicMs(): ReturnType<Clock["monotonicMs"]> {
    return monotonicMs(this.#nowMs);
  }

  wallMs(): ReturnType<Clock["wallMs"]> {
    return wallMs(this.#nowMs);
  }

  after(delayMs: number, callback: () => void): () => void {
    const timer = { atMs: this.#nowMs + delayMs, callback };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((each) => each !== timer);
    };
  }

  /** Calls what falls due on the way, in order, each at its own moment. */
  advance(ms: number): void {
    const end = this.#nowMs + ms;
    for (;;) {
      const due = this.#timers.filter(({ atMs }) => atMs <= end).sort((a, b) => a.atMs - b.atMs)[0];
      if (due === undefined) break;
      this.#timers = this.#timers.filter((each) => each !== due);
      this.#nowMs = Math.max(this.#nowMs, due.atMs);
      due.callback();
    }
    this.#nowMs = end;
  }
}

/**
 * A call that is waited for only so long. A queue that hangs must not keep the loop from replacing dead workers, and calls
 * must not pile up on it: while one is overdue no other is made, and the answer is `OVERDUE` at once. DESIGN 2.1.
 */
import type { Clock } from "../model/ports.ts";

export const OVERDUE = Symbol("overdue");

export class Bounded {
  readonly #clock: Clock;
  readonly #limitMs: number;
  #overdue = false;

  constructor(clock: Clock, limitMs: number) {
    this.#clock = clock;
    this.#limitMs = limitMs;
  }

  /** Rejects when the call rejects in time; what an overdue call says in the end is not heard. */
  run<T>(call: () => Promise<T>): Promise<T | typeof OVERDUE> {
    if (this.#overdue) return Promise.resolve(OVERDUE);
    return new Promise((resolve, reject) => {
      const cancel = this.#clock.after(this.#limitMs, () => {
        this.#overdue = true;
        resolve(OVERDUE);
      });
      const settled = (): void => {
        cancel();
        this.#overdue = false;
      };
      call().finally(settled).then(resolve, reject);
    });
  }
}

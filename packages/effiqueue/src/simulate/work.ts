/**
 * The messages that are being worked on, and when the next of them is done. Everything runs at one speed that can change at any
 * moment, so instants are kept in work done, not in seconds: a change moves them all at once, and exactly. DESIGN 13.1. Pure.
 */
import { Heap } from "./heap.ts";

export class Work {
  /** By the work that will have been done when they are. */
  readonly #ends = new Heap();
  /** Seconds of work that a slot which was busy all the time would have done, as of `#atSec`. */
  #done = 0;
  #atSec = 0;
  #speed = 1;

  /** `Infinity`: nothing is worked on. */
  get nextAtSec(): number {
    return this.#atSec + (this.#ends.key - this.#done) / this.#speed;
  }

  get nextMessage(): number {
    return this.#ends.first;
  }

  get nextWorker(): number {
    return this.#ends.second;
  }

  /** To be called before the speed changes or a message begins. */
  advance(nowSec: number): void {
    this.#done += (nowSec - this.#atSec) * this.#speed;
    this.#atSec = nowSec;
  }

  runAt(speed: number): void {
    this.#speed = speed;
  }

  begin(sec: number, message: number, worker: number): void {
    this.#ends.push(this.#done + sec, message, worker);
  }

  /** Takes the next one off, at its instant. */
  end(): void {
    const done = this.#ends.key;
    this.#atSec = this.nextAtSec;
    this.#done = done;
    this.#ends.pop();
  }
}

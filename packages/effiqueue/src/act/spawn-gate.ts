/**
 * Whether spawning is allowed right now. The rule is the back-off policy's, which is pure; this keeps its state, wakes
 * the loop when a pause ends, and says once that it began and once that it is over. DESIGN 4.6.
 */
import type { BackoffPolicy, BackoffState, Clock } from "../model/ports.ts";
import { msToSec, secToMs } from "../units.ts";
import type { Tell } from "./tell.ts";

export class SpawnGate {
  readonly #policy: BackoffPolicy;
  readonly #clock: Clock;
  readonly #tell: Tell;
  readonly #wake: () => void;
  #state: BackoffState;
  #cancelTimer: (() => void) | undefined;
  #paused = false;

  constructor(policy: BackoffPolicy, clock: Clock, tell: Tell, wake: () => void) {
    this.#policy = policy;
    this.#clock = clock;
    this.#tell = tell;
    this.#wake = wake;
    this.#state = policy.initial;
  }

  crashed(): void {
    const before = this.#state;
    this.#state = this.#policy.crashed(before, this.#nowSec());
    const pauseSec = this.remainingSec();
    if (pauseSec === 0 || this.#state.notBeforeSec === before.notBeforeSec) return;
    this.#paused = true;
    this.#tell("act.spawning.backed_off", {
      consecutive_crashes: this.#state.consecutiveCrashes,
      delay_sec: Math.round(pauseSec * 1000) / 1000,
    });
    this.#wakeAfter(pauseSec);
  }

  lived(): void {
    this.#state = this.#policy.lived(this.#state);
  }

  isOpen(): boolean {
    if (this.remainingSec() > 0) return false;
    if (this.#paused) {
      this.#paused = false;
      this.close();
      this.#tell("act.spawning.resumed", {});
    }
    return true;
  }

  close(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }

  #wakeAfter(sec: number): void {
    this.close();
    const end = (): void => {
      if (this.isOpen()) this.#wake();
      else this.#wakeAfter(this.remainingSec());
    };
    // Seconds do not add up exactly: a last trace of the pause, found when the timer fires, must not become a spin.
    this.#cancelTimer = this.#clock.after(Math.max(1, Math.ceil(secToMs(sec))), end, { background: true });
  }

  #nowSec(): number {
    return msToSec(this.#clock.monotonicMs());
  }

  /** Seconds until spawning may go on; 0 when it may. */
  remainingSec(): number {
    return this.#policy.remainingSec(this.#state, this.#nowSec());
  }
}

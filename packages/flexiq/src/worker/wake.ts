/**
 * When the loop of a worker sleeps and what wakes it. DESIGN 10.1.
 */
import { timerMs } from "effiqueue";

export class Wake {
  readonly #look: () => void;
  #sleepTimer: NodeJS.Timeout | undefined;
  #end: (() => void) | undefined;
  #afterTurn: NodeJS.Immediate | undefined;
  #quietUntilMs = 0;
  #quietTimer: NodeJS.Timeout | undefined;

  /** @param look called when it is time to look at the file: it changed, or a sleep is over */
  constructor(look: () => void) {
    this.#look = look;
  }

  /** One sleep at a time. */
  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.#end = resolve;
      this.#sleepTimer = setTimeout(() => this.lookNow(), timerMs(ms));
    });
  }

  /** Nothing to do when nobody sleeps: who is awake looks around before falling asleep. */
  now(): void {
    clearTimeout(this.#sleepTimer);
    const end = this.#end;
    this.#end = undefined;
    end?.();
  }

  /** At the end of this turn of the event loop: jobs that finish in the same turn share one exchange. */
  soon(): void {
    if (this.#end === undefined) return;
    this.#afterTurn ??= setImmediate(() => {
      this.#afterTurn = undefined;
      this.now();
    });
  }

  /** The file changed. Looks at once, or when the quiet time is over. */
  changed(): void {
    const quietMs = this.#quietUntilMs - performance.now();
    if (quietMs <= 0) this.lookNow();
    else this.#quietTimer ??= setTimeout(() => this.lookNow(), timerMs(quietMs));
  }

  /** Whether or not it changed. */
  lookNow(): void {
    clearTimeout(this.#quietTimer);
    this.#quietTimer = undefined;
    this.#look();
    this.now();
  }

  /** From now on, changes of the file wait this long; replaces what was said before. */
  keepQuiet(ms: number): void {
    clearTimeout(this.#quietTimer);
    this.#quietTimer = undefined;
    this.#quietUntilMs = performance.now() + ms;
  }

  close(): void {
    clearTimeout(this.#sleepTimer);
    clearTimeout(this.#quietTimer);
    clearImmediate(this.#afterTurn);
  }
}

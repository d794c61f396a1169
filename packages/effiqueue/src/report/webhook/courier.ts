/**
 * Brings messages to one address, in order, for as long as it takes, and never at the cost of who sends them: a bounded number waits,
 * and the oldest goes first when there are more. DESIGN 6.9.
 *
 * - idle: nothing waits.
 * - delivering: one is on its way; the others wait.
 * - pausing: the last try failed; the next comes after a pause that doubles.
 * - closing: what waits is tried once more, without a pause, until one fails or the time is up.
 */
import type { Clock } from "../../model/ports.ts";
import type { Posted } from "./post.ts";

export interface Parcel {
  /** What it is about, for those who hear what became of it. */
  readonly event: string;
  readonly body: string;
}

export interface CourierOptions {
  readonly post: (body: string, signal: AbortSignal) => Promise<Posted>;
  readonly clock: Clock;
  /** In [0, 1), so that many machines do not come back at once. */
  readonly chance: () => number;
  readonly hears: CourierEvents;
}

interface CourierEvents {
  delivered(parcel: Parcel, attempts: number): void;
  dropped(parcel: Parcel, why: string): void;
  /** At each try that failed. */
  failed(why: string, waiting: number): void;
}

const MOST_WAITING = 100;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** What nobody has heard of by then is no news any more. */
const STALE_MS = 3_600_000;

interface Waiting {
  readonly parcel: Parcel;
  readonly sinceMs: number;
  attempts: number;
}

export class Courier {
  readonly #options: CourierOptions;
  readonly #closing = new AbortController();
  #waiting: Waiting[] = [];
  #onItsWay: Waiting | null = null;
  #isClosing = false;
  #running: Promise<void> | null = null;
  #endPause: (() => void) | null = null;

  constructor(options: CourierOptions) {
    this.#options = options;
  }

  /** Returns at once, whatever becomes of it. */
  send(parcel: Parcel): void {
    const { clock, hears } = this.#options;
    if (this.#isClosing) {
      hears.dropped(parcel, "the daemon ends");
      return;
    }
    this.#waiting.push({ parcel, sinceMs: clock.monotonicMs(), attempts: 0 });
    if (this.#waiting.length > MOST_WAITING) {
      // What is on its way may have arrived already.
      const [oldest] = this.#waiting.splice(this.#waiting[0] === this.#onItsWay ? 1 : 0, 1);
      if (oldest !== undefined) hears.dropped(oldest.parcel, `more than ${MOST_WAITING} wait`);
    }
    this.#running ??= this.#run();
  }

  /** What waits has one more chance, all of it together `graceMs`. Harmless twice. */
  async close(graceMs: number): Promise<void> {
    this.#isClosing = true;
    this.#endPause?.();
    const cancel = this.#options.clock.after(graceMs, () => this.#closing.abort());
    await this.#running;
    cancel();
  }

  async #run(): Promise<void> {
    const { clock, hears, post } = this.#options;
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      next.attempts += 1;
      this.#onItsWay = next;
      const posted = await post(next.parcel.body, this.#closing.signal);
      this.#onItsWay = null;
      if (posted.kind === "delivered") hears.delivered(next.parcel, next.attempts);
      else if (posted.kind === "refused") hears.dropped(next.parcel, posted.why);
      else {
        hears.failed(posted.why, this.#waiting.length);
        if (this.#isClosing) break;
        if (clock.monotonicMs() - next.sinceMs < STALE_MS) {
          await this.#pause(next.attempts);
          continue;
        }
        hears.dropped(next.parcel, `${posted.why}, for an hour`);
      }
      this.#waiting.shift();
    }
    for (const { parcel } of this.#waiting.splice(0)) hears.dropped(parcel, "the daemon ends");
    this.#running = null;
  }

  #pause(attempts: number): Promise<void> {
    const { clock, chance } = this.#options;
    if (this.#isClosing) return Promise.resolve();
    const longest = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempts - 1));
    return new Promise((resolve) => {
      const cancel = clock.after(longest * (0.5 + chance() / 2), resolve, { background: true });
      this.#endPause = () => {
        cancel();
        resolve();
      };
    });
  }
}

/**
 * Waiting for a locked file without blocking the event loop: heartbeats and other jobs of the process go on. DESIGN 9.11.
 *
 * SQLite has no queue for its write lock, so who waits has to try again. Attempts of one process stand in line here and
 * share one timer; the delay grows while the file stays locked and is drawn at random, so that processes that collided
 * once do not collide for ever.
 */
import { busyError, explained, isLocked } from "./sqlite-errors.ts";

/** How soon a locked file is tried again, and how long the growing delay becomes. */
export interface Patience {
  readonly firstMs: number;
  readonly maxMs: number;
  /** Nobody is waited for. Begins with the delay that the last such wait ended with: who has met a crowd does not knock often. */
  readonly isPatient: boolean;
}

/** Somebody waits for the answer. */
export const PROMPT: Patience = { firstMs: 1, maxMs: 10, isPatient: false };

/**
 * Nobody does. Each change of hands is a cold start for whoever gets the file: its cached pages are void. Workers that let each
 * other go on for many exchanges drain a backlog faster, while one that meets another now and then waits for a moment.
 */
export const PATIENT: Patience = { firstMs: 5, maxMs: 80, isPatient: true };

interface Waiting {
  readonly attempt: () => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  readonly since: number;
  readonly patience: Patience;
  delayMs: number;
  tries: number;
}

/** A long line is served in slices, so that the event loop is not blocked by the end of a wait either. */
const SLICE_MS = 10;

export interface BusyLineOptions {
  readonly dbPath: string;
  readonly timeoutMs: number;
  readonly chance: () => number;
  /** Runs each attempt, or throws what is wrong with the file. */
  readonly guarded: <T>(attempt: () => T) => T;
}

export class BusyLine {
  readonly #dbPath: string;
  readonly #timeoutMs: number;
  readonly #chance: () => number;
  readonly #guarded: <T>(attempt: () => T) => T;
  #line: Waiting[] = [];
  #closed: Error | undefined;
  /** What the next patient wait begins with. */
  #learnedMs = 0;
  #isHurried = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: BusyLineOptions) {
    this.#dbPath = options.dbPath;
    this.#timeoutMs = options.timeoutMs;
    this.#chance = options.chance;
    this.#guarded = options.guarded;
  }

  /** Runs `attempt` now or, in turn, as soon as the file is free. Rejects with what it throws; `busy` after the timeout. */
  write<T>(attempt: () => T, patience = PROMPT): Promise<T> {
    return this.#line.length === 0 ? this.#try(attempt, patience) : this.#enter(attempt, patience);
  }

  /** As `write`, but past those who wait: readers are not in the way of writers. */
  read<T>(attempt: () => T): Promise<T> {
    return this.#try(attempt, PROMPT);
  }

  #try<T>(attempt: () => T, patience: Patience): Promise<T> {
    if (this.#closed !== undefined) return Promise.reject(this.#closed);
    try {
      return Promise.resolve(this.#guarded(attempt));
    } catch (error) {
      return isLocked(error) ? this.#enter(attempt, patience) : Promise.reject(explained(error, this.#dbPath));
    }
  }

  /** Rejects all who wait and all who come. */
  close(error: Error): void {
    this.#closed = error;
    for (const waiting of this.#line.splice(0)) waiting.reject(error);
  }

  #enter<T>(attempt: () => T, patience: Patience): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const isFirstInHurry = !patience.isPatient && this.#inHurry() === undefined;
      this.#line.push({
        attempt,
        resolve: resolve as (value: unknown) => void,
        reject,
        since: performance.now(),
        patience,
        delayMs: patience.isPatient ? Math.max(patience.firstMs, this.#learnedMs) : patience.firstMs,
        tries: 0,
      });
      if (this.#line.length === 1) this.#later();
      else if (isFirstInHurry && this.#timer !== undefined) {
        clearTimeout(this.#timer);
        this.#later();
      }
    });
  }

  #inHurry(): Waiting | undefined {
    return this.#line.find(({ patience }) => !patience.isPatient);
  }

  #later(): void {
    const [first] = this.#line;
    if (first === undefined) return;
    // Who stands before somebody that is waited for waits no longer than that one would.
    const hurryMs = this.#inHurry()?.patience.maxMs ?? Infinity;
    this.#isHurried = hurryMs < first.delayMs;
    this.#timer = setTimeout(() => this.#serve(), Math.min(first.delayMs, hurryMs) * (0.5 + this.#chance() / 2));
  }

  /** A first try that succeeds is the sign of a crowd that thins out. Who was hurried has not seen what his own delay brings. */
  #learn({ patience, delayMs, tries }: Waiting): void {
    if (patience.isPatient && !this.#isHurried) this.#learnedMs = tries === 1 ? delayMs / 2 : delayMs;
  }

  #serve(): void {
    this.#timer = undefined;
    const [waited] = this.#line;
    const sliceEnd = performance.now() + SLICE_MS;
    while (performance.now() < sliceEnd) {
      const [first] = this.#line;
      if (first === undefined) return;
      first.tries += 1;
      try {
        first.resolve(this.#guarded(first.attempt));
        if (first === waited) this.#learn(first);
      } catch (error) {
        const waitedMs = performance.now() - first.since;
        if (isLocked(error) && waitedMs < this.#timeoutMs) {
          if (!this.#isHurried) first.delayMs = Math.min(first.patience.maxMs, first.delayMs * 2);
          this.#later();
          return;
        }
        first.reject(isLocked(error) ? busyError(this.#dbPath, waitedMs, error) : explained(error, this.#dbPath));
      }
      this.#line.shift();
    }
    if (this.#line.length > 0) setImmediate(() => this.#serve());
  }
}

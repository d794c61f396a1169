/**
 * A worker watches the file while that can tell it something. In full swing it looks anyway, without a pause, and what others
 * write thousands of times a second would only wake it to be told so: a third of its speed when four share a file.
 * DESIGN 10.1.
 */

/** Exchanges without a sleep in between. A few are what one job or a small burst takes. */
const FULL_SWING = 20;

export class Watching {
  readonly #watch: () => () => void;
  #end: (() => void) | undefined;
  #sinceSleep = 0;

  /** @param watch begins a watch and returns what ends it */
  constructor(watch: () => () => void) {
    this.#watch = watch;
  }

  /** Before a sleep. True: the watch begins only now, and nobody knows what happened before, so there must be another look. */
  ensure(): boolean {
    this.#sinceSleep = 0;
    if (this.#end !== undefined) return false;
    this.#end = this.#watch();
    return true;
  }

  /** After an exchange. */
  exchanged(): void {
    this.#sinceSleep += 1;
    if (this.#sinceSleep >= FULL_SWING) this.end();
  }

  end(): void {
    this.#end?.();
    this.#end = undefined;
  }
}

/**
 * Work that must not overlap with itself: asked for while it runs, it runs once more right after, for everybody who has asked until
 * then. Whoever asks means things as they are now, which the run under way may have looked at before. DESIGN 2.1, 7.15.
 */

export class OneAtATime<Result> {
  readonly #work: () => Promise<Result>;
  /** Settles, and never rejects, when the last run that was asked for has ended. */
  #last: Promise<unknown> = Promise.resolve();
  /** The run that was asked for and has not begun. */
  #next: Promise<Result> | null = null;

  constructor(work: () => Promise<Result>) {
    this.#work = work;
  }

  /** Rejects with what the work throws. */
  run(): Promise<Result> {
    if (this.#next !== null) return this.#next;
    const next = this.#last.then(() => {
      this.#next = null;
      return this.#work();
    });
    this.#next = next;
    this.#last = next.catch(() => undefined);
    return next;
  }

  /** Resolves when no run is under way. Never rejects. */
  async settled(): Promise<void> {
    await this.#last;
  }
}

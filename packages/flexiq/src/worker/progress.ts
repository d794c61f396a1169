/**
 * Progress reports of running jobs, the last of each job only, written together: a handler may report in a tight loop.
 * DESIGN 10.4.
 */
import type { JobId } from "../model.ts";

export interface ProgressEntry {
  readonly id: JobId;
  readonly token: number;
  readonly json: string;
}

const FLUSH_EVERY_MS = 100;

export class ProgressBuffer {
  readonly #write: (entries: ProgressEntry[]) => Promise<void>;
  readonly #waiting = new Map<JobId, ProgressEntry>();
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(write: (entries: ProgressEntry[]) => Promise<void>) {
    this.#write = write;
  }

  report(entry: ProgressEntry): void {
    this.#waiting.set(entry.id, entry);
    this.#timer ??= setTimeout(() => void this.flush(), FLUSH_EVERY_MS);
  }

  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  /** Everything reported so far is written, or was tried to: progress is worth no retry, the next report replaces it. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#waiting.size > 0) {
      const entries = [...this.#waiting.values()];
      this.#waiting.clear();
      this.#writing = this.#writing.then(() => this.#write(entries)).catch(() => undefined);
    }
    return this.#writing;
  }
}

/**
 * Learning of changes in microseconds instead of polling: every commit of any process writes to the `-wal` file beside the
 * database. DESIGN 10.1.
 */
import { type FSWatcher, watch } from "node:fs";
import { basename, dirname } from "node:path";

/** Shared by all who want to know of one file. Best effort: without a watch nobody is called, and polling remains. */
export class ChangeWatch {
  readonly #walPath: string;
  readonly #callbacks = new Set<() => void>();
  #watcher: FSWatcher | undefined;
  #told = false;

  constructor(dbPath: string) {
    this.#walPath = `${dbPath}-wal`;
  }

  /** @returns stops the calls */
  subscribe(callback: () => void): () => void {
    // A function of its own, so that the same callback twice is two subscriptions.
    const call = (): void => callback();
    this.#callbacks.add(call);
    this.#watcher ??= this.#open();
    return () => {
      this.#callbacks.delete(call);
      if (this.#callbacks.size === 0) this.close();
    };
  }

  close(): void {
    this.#watcher?.close();
    this.#watcher = undefined;
  }

  #open(): FSWatcher | undefined {
    // The log exists while somebody has the file open, hence now; its folder is watched should it not.
    const watcher = this.#try(this.#walPath) ?? this.#try(dirname(this.#walPath), basename(this.#walPath));
    watcher?.on("error", () => this.close());
    return watcher;
  }

  #try(path: string, only?: string): FSWatcher | undefined {
    try {
      return watch(path, { persistent: false }, (_event, name) => {
        if (only === undefined || name === only) this.#tellSoon();
      });
    } catch {
      // Not there, or the system is out of watches.
      return undefined;
    }
  }

  /** Many writes between two turns of the event loop are one change. */
  #tellSoon(): void {
    if (this.#told) return;
    this.#told = true;
    setImmediate(() => {
      this.#told = false;
      for (const callback of this.#callbacks) callback();
    });
  }
}

/**
 * Keeping the write-ahead log short. SQLite begins it anew only when all of it has been copied into the database while nobody
 * uses it. Processes that write without a pause never leave such a moment: the log grows by tens of megabytes a
 * second until the disk is full, and SQLite's automatic checkpoints, each of them two syncs, follow every single commit.
 * DESIGN 9.11.
 */
import type { Connection, Statement } from "./drivers/driver.ts";

/** Counted in pages of our own commits: others do theirs. */
const EVERY_PAGES = 2000;

/** While somebody else has the file the time costs nobody anything, so it pays from here on. */
const EARLY_PAGES = 250;

/** 24 MB: so long a log is cut off, which holds writers up for a few milliseconds. */
const LONG_PAGES = 6000;

/** SQLite's own automatic checkpoint stays as a net, for pages that the estimates missed (40 MB). */
export const NET_PAGES = 10_000;

export class Checkpoints {
  readonly #db: Connection;
  #copy: Statement | undefined;
  #cutOff: Statement | undefined;
  #pages = 0;

  constructor(db: Connection) {
    this.#db = db;
  }

  /** After a commit of about so many pages. */
  committed(pages: number): void {
    this.#pages += pages;
    if (this.#pages >= EVERY_PAGES) this.#checkpoint();
  }

  /** Another process writes, and we have to wait. */
  lockedOut(): void {
    if (this.#pages >= EARLY_PAGES) this.#checkpoint();
  }

  /** Never throws: commits are safe in the log, whatever becomes of it later. */
  #checkpoint(): void {
    this.#pages = 0;
    try {
      this.#copy ??= this.#db.prepare("PRAGMA wal_checkpoint(PASSIVE)");
      const { log } = this.#copy.get() as { log: number };
      if (log < LONG_PAGES) return;
      // Almost everything is copied by now, so it is for the last commits only that writers are kept out.
      this.#cutOff ??= this.#db.prepare("PRAGMA wal_checkpoint(TRUNCATE)");
      this.#cutOff.get();
    } catch {
      // A full or failing disk will be told by the next write, which has a caller who can be told.
    }
  }
}

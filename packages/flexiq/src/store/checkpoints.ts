/**
 * Keeping the write-ahead log short. SQLite begins it anew only when all of it has been copied into the database while nobody
 * uses it. Processes that write without a pause never leave such a moment: the log grows by tens of megabytes a
 * second until the disk is full, and SQLite's automatic checkpoints, each of them two syncs, follow every single commit.
 * DESIGN 9.11.
 */
import type { Connection, Statement } from "./drivers/driver.ts";
import type { TimeSource } from "./options.ts";

/** Who was locked out counts on from the length of the log: were each to count its own alone, four workers would have four times this. */
const EVERY_PAGES = 4000;

/** While somebody else has the file the time costs nobody anything, so it pays from here on. */
const EARLY_PAGES = 250;

/** Who waits on copies what others write for one part of its time in so many: a copy slows a writer by a half while it lasts. */
const WAITING_PARTS = 40;

/** 36 MB: so long a log is cut off, which holds writers up for a few milliseconds. */
const LONG_PAGES = 9000;

/** SQLite's own automatic checkpoint stays as a net, for pages that the estimates missed (64 MB). */
export const NET_PAGES = 16_000;

export class Checkpoints {
  readonly #db: Connection;
  readonly #time: Pick<TimeSource, "monotonicMs">;
  #copy: Statement | undefined;
  #truncate: Statement | undefined;
  /** Of the log, as far as we know: others write too, and one of them may have begun it anew. */
  #logPages = 0;
  /** Of our own commits since we last copied. */
  #ownPages = 0;
  /** Who has not written enough for a first copy makes none: an application that enqueues now and then shall not be held up. */
  #restsUntilMs = Number.POSITIVE_INFINITY;

  constructor(db: Connection, time: Pick<TimeSource, "monotonicMs">) {
    this.#db = db;
    this.#time = time;
  }

  /** After a commit of about so many pages. */
  committed(pages: number): void {
    this.#logPages += pages;
    this.#ownPages += pages;
    if (this.#logPages < EVERY_PAGES) return;
    const length = this.#copyBack();
    // Somebody else copies just now, and will not have what was written meanwhile: it is still to be copied, and soon.
    this.#logPages = length === null ? EVERY_PAGES - EARLY_PAGES : 0;
    if (length !== null && length >= LONG_PAGES) this.#cutOff();
  }

  /** Another process writes, and we have to wait. It goes on, so the log does not begin anew now. */
  lockedOut(): void {
    const waitsOn = this.#ownPages === 0;
    if (waitsOn ? this.#time.monotonicMs() < this.#restsUntilMs : this.#ownPages < EARLY_PAGES) return;
    this.#logPages = this.#copyBack() ?? this.#logPages;
  }

  /** Almost everything is copied by now, so it is for the last commits only that writers are kept out. */
  #cutOff(): void {
    try {
      this.#truncate ??= this.#db.prepare("PRAGMA wal_checkpoint(TRUNCATE)");
      this.#truncate.get();
    } catch {
      // Somebody is at work on it: at the next checkpoint, then.
    }
  }

  /**
   * Never throws: commits are safe in the log, whatever becomes of it later.
   *
   * @returns the length of the log in pages; `null` when somebody else copies it
   */
  #copyBack(): number | null {
    this.#ownPages = 0;
    const sinceMs = this.#time.monotonicMs();
    try {
      this.#copy ??= this.#db.prepare("PRAGMA wal_checkpoint(PASSIVE)");
      const { busy, log } = this.#copy.get() as { busy: number; log: number };
      return busy === 1 ? null : log;
    } catch {
      // A full or failing disk will be told by the next write, which has a caller who can be told.
      return 0;
    } finally {
      const endMs = this.#time.monotonicMs();
      this.#restsUntilMs = endMs + (WAITING_PARTS - 1) * (endMs - sinceMs);
    }
  }
}

/**
 * An open file with its prepared statements and its write transactions; what the parts of the store work on. DESIGN 9.11.
 */
import type { Retention } from "../model.ts";
import { Checkpoints } from "./checkpoints.ts";
import type { Connection, RowStatement, Statement } from "./drivers/driver.ts";
import type { TimeSource } from "./options.ts";
import { isLocked } from "./sqlite-errors.ts";

/** The settings that rules of the store depend on; every default is filled in. */
export interface SessionSettings {
  readonly leaseMs: number;
  readonly retention: Retention;
  readonly time: TimeSource;
  readonly chance: () => number;
}

/** Rows per write transaction: the lock is held for milliseconds however much there is to do. */
export const BATCH = 256;

/** From so many jobs on, one statement for a list of them is faster than one for each; of four it is as fast. DESIGN 9.5. */
export const MANY = 8;

/** What a transaction of an operator writes: a few jobs, and the indexes they are in. */
const PAGES_OF_A_TRANSACTION = 10;

const CHARS_OF_A_PAGE = 4096;

/** Of a text that may be long. */
export const pagesOfText = (text: string | null): number => (text?.length ?? 0) / CHARS_OF_A_PAGE;

export class Session {
  readonly settings: SessionSettings;
  readonly #db: Connection;
  readonly #statements = new Map<string, Statement>();
  readonly #rowStatements = new Map<string, RowStatement>();
  readonly #begin: Statement;
  readonly #commit: Statement;
  readonly #checkpoints: Checkpoints;

  constructor(db: Connection, settings: SessionSettings) {
    this.#db = db;
    this.settings = settings;
    this.#checkpoints = new Checkpoints(db, settings.time);
    this.#begin = db.prepare("BEGIN IMMEDIATE");
    this.#commit = db.prepare("COMMIT");
  }

  /** The statement of this text, prepared at its first use. Only for texts that are constants: they are kept for ever. */
  sql(text: string): Statement {
    return this.#statements.get(text) ?? kept(this.#statements, text, this.#db.prepare(text));
  }

  /** The same of a statement that reads many rows. */
  rows(text: string): RowStatement {
    return this.#rowStatements.get(text) ?? kept(this.#rowStatements, text, this.#db.prepareRows(text));
  }

  /**
   * Runs `work` in one write transaction, all or nothing. Immediate, because a transaction that reads first and then
   * wants to write is refused at once when somebody else has written meanwhile, whatever the busy timeout.
   *
   * @param pages about how many it writes
   */
  immediate<T>(work: () => T, pages: (value: T) => number = () => PAGES_OF_A_TRANSACTION): T {
    this.#beginImmediate();
    let value: T;
    try {
      value = work();
      this.#commit.run();
    } catch (error) {
      this.#rollback();
      throw error;
    }
    this.committed(pages(value));
    return value;
  }

  /** After a statement that was a write transaction by itself. */
  committed(pages: number): void {
    this.#checkpoints.committed(pages);
  }

  /** From now on a locked file is an error at once, also for the few milliseconds that SQLite would wait for it. */
  neverBlock(): void {
    this.#db.exec("PRAGMA busy_timeout = 0");
  }

  /** Wall clock in whole milliseconds. */
  now(): number {
    return Math.floor(this.settings.time.wallMs());
  }

  close(): void {
    this.#db.close();
  }

  #beginImmediate(): void {
    try {
      this.#begin.run();
    } catch (error) {
      if (isLocked(error)) this.#checkpoints.lockedOut();
      throw error;
    }
  }

  #rollback(): void {
    try {
      this.#db.exec("ROLLBACK");
    } catch {
      // A full disk or a failed commit has rolled back already; the first error is the one to tell.
    }
  }
}

function kept<T>(statements: Map<string, T>, text: string, statement: T): T {
  statements.set(text, statement);
  return statement;
}

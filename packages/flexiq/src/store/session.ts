/**
 * An open file with its prepared statements and its write transactions; what the parts of the store work on. DESIGN 9.11.
 */
import type { Retention } from "../model.ts";
import type { Connection, Statement } from "./drivers/driver.ts";
import type { TimeSource } from "./options.ts";

/** The settings that rules of the store depend on; every default is filled in. */
export interface SessionSettings {
  readonly leaseMs: number;
  readonly retention: Retention;
  readonly time: TimeSource;
  readonly chance: () => number;
}

export class Session {
  readonly settings: SessionSettings;
  readonly #db: Connection;
  readonly #statements = new Map<string, Statement>();
  readonly #begin: Statement;
  readonly #commit: Statement;

  constructor(db: Connection, settings: SessionSettings) {
    this.#db = db;
    this.settings = settings;
    this.#begin = db.prepare("BEGIN IMMEDIATE");
    this.#commit = db.prepare("COMMIT");
  }

  /** The statement of this text, prepared at its first use. Only for texts that are constants: they are kept for ever. */
  sql(text: string): Statement {
    let statement = this.#statements.get(text);
    if (statement === undefined) {
      statement = this.#db.prepare(text);
      this.#statements.set(text, statement);
    }
    return statement;
  }

  /**
   * Runs `work` in one write transaction, all or nothing. Immediate, because a transaction that reads first and then
   * wants to write is refused at once when somebody else has written meanwhile, whatever the busy timeout.
   */
  immediate<T>(work: () => T): T {
    this.#begin.run();
    try {
      const value = work();
      this.#commit.run();
      return value;
    } catch (error) {
      this.#rollback();
      throw error;
    }
  }

  /** Wall clock in whole milliseconds. */
  now(): number {
    return Math.floor(this.settings.time.wallMs());
  }

  close(): void {
    this.#db.close();
  }

  #rollback(): void {
    try {
      this.#db.exec("ROLLBACK");
    } catch {
      // A full disk or a failed commit has rolled back already; the first error is the one to tell.
    }
  }
}

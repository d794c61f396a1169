/**
 * The little of a SQLite binding that the store uses, so that it does not matter which one is installed. DESIGN 9.1.
 *
 * Both bindings are synchronous and throw errors of their own; `sqlite-errors.ts` reads both kinds.
 */
import type { DriverName } from "../options.ts";

export type SqlValue = number | string | null;

interface RunResult {
  readonly changes: number;
  readonly lastInsertRowid: number;
}

/** Values for each `?` in order, or one object for statements with `$names`. (One binding takes no `?1`.) */
type Bound = readonly SqlValue[] | readonly [Readonly<Record<string, SqlValue>>];

/** Prepared once, run often. Rows are plain objects by column name; who wrote the SQL knows their shape. */
export interface Statement {
  run(...values: Bound): RunResult;
  /** The first row; `undefined` when there is none. */
  get(...values: Bound): unknown;
  all(...values: Bound): unknown[];
}

/** The same for many rows: each is an array in the order of the columns, which takes half the time. */
export interface RowStatement {
  all(...values: Bound): (readonly SqlValue[])[];
}

export interface Connection {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  prepareRows(sql: string): RowStatement;
  close(): void;
}

export interface Driver {
  readonly name: DriverName;
  open(path: string): Connection;
}

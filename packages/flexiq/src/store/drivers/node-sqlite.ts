/**
 * The SQLite that comes with Node 22.13 and later: nothing to install. DESIGN 9.1.
 */
import type { Connection, Driver, RowStatement, SqlValue, Statement } from "./driver.ts";

/** What we use of the module; the types of Node 20 do not know it. */
interface Database {
  exec(sql: string): void;
  prepare(sql: string): Statement & { setReturnArrays?(enabled: true): void };
  close(): void;
}
interface NodeSqlite {
  readonly DatabaseSync: new (path: string) => Database;
}

/** `undefined` where this Node has no SQLite. */
export function nodeSqlite(): Driver | undefined {
  // The types claim that it always exists, but early releases of Node 20 lack it.
  const { getBuiltinModule } = process as { readonly getBuiltinModule?: (id: string) => unknown };
  const sqlite = getBuiltinModule?.("node:sqlite") as NodeSqlite | undefined;
  return sqlite && { name: "node:sqlite", open: (path) => connection(new sqlite.DatabaseSync(path)) };
}

const connection = (db: Database): Connection => ({
  exec: (sql) => db.exec(sql),
  prepare: (sql) => db.prepare(sql),
  prepareRows: (sql) => rows(db.prepare(sql)),
  close: () => db.close(),
});

function rows(statement: ReturnType<Database["prepare"]>): RowStatement {
  if (statement.setReturnArrays !== undefined) {
    statement.setReturnArrays(true);
    return statement as Statement & RowStatement;
  }
  // Before Node 22.16. The properties of a row have the order of its columns.
  return { all: (...values) => statement.all(...values).map((row) => Object.values(row as Record<string, SqlValue>)) };
}

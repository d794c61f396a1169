/**
 * better-sqlite3, for Node 20, which has no SQLite of its own. An optional peer: the application installs it. DESIGN 9.1.
 */
import { createRequire } from "node:module";
import type { Connection, Driver, RowStatement, Statement } from "./driver.ts";

/** What we use of the module. */
interface Database {
  exec(sql: string): void;
  prepare(sql: string): Statement & { raw(): RowStatement };
  close(): void;
}

/** `undefined` when it is not installed. @throws when it is installed and does not load, e.g. built for another Node */
export function betterSqlite3(): Driver | undefined {
  const require = createRequire(import.meta.url);
  try {
    require.resolve("better-sqlite3");
  } catch {
    return undefined;
  }
  const Database = require("better-sqlite3") as new (path: string, options: { timeout: number }) => Database;
  // The native part is loaded by the first connection, so one is made here, where a failure still means "use another".
  new Database(":memory:", { timeout: 0 }).close();
  return { name: "better-sqlite3", open: (path) => connection(new Database(path, { timeout: 0 })) };
}

const connection = (db: Database): Connection => ({
  exec: (sql) => db.exec(sql),
  prepare: (sql) => db.prepare(sql),
  prepareRows: (sql) => db.prepare(sql).raw(),
  close: () => db.close(),
});

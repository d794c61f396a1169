/**
 * The SQLite that comes with Node 22.13 and later: nothing to install. DESIGN 9.1.
 */
import type { Connection, Driver } from "./driver.ts";

/** What we use of the module; the types of Node 20 do not know it. */
interface NodeSqlite {
  readonly DatabaseSync: new (path: string) => Connection;
}

/** `undefined` where this Node has no SQLite. */
export function nodeSqlite(): Driver | undefined {
  // The types claim that it always exists, but early releases of Node 20 lack it.
  const { getBuiltinModule } = process as { readonly getBuiltinModule?: (id: string) => unknown };
  const sqlite = getBuiltinModule?.("node:sqlite") as NodeSqlite | undefined;
  return sqlite && { name: "node:sqlite", open: (path) => new sqlite.DatabaseSync(path) };
}

/**
 * Which SQLite binding to use, found once per process. DESIGN 9.1.
 */
import { FlexiqError } from "../../errors.ts";
import type { DriverName } from "../options.ts";
import { betterSqlite3 } from "./better-sqlite3.ts";
import type { Driver } from "./driver.ts";
import { nodeSqlite } from "./node-sqlite.ts";

/** In order of preference. */
const FINDERS: Readonly<Record<DriverName, () => Driver | undefined>> = {
  "node:sqlite": nodeSqlite,
  "better-sqlite3": betterSqlite3,
};

const found = new Map<DriverName, Driver>();

/** @throws FlexiqError no-sqlite: none is there, or none that loads */
export function loadDriver(forced?: DriverName, finders: typeof FINDERS = FINDERS): Driver {
  const names = forced === undefined ? (Object.keys(finders) as DriverName[]) : [forced];
  let cause: unknown;
  for (const name of names) {
    try {
      const driver = (finders === FINDERS ? found.get(name) : undefined) ?? finders[name]();
      if (driver === undefined) continue;
      if (finders === FINDERS) found.set(name, driver);
      return driver;
    } catch (error) {
      cause ??= error;
    }
  }
  const node = process.versions.node;
  throw cause === undefined
    ? new FlexiqError(
        "no-sqlite",
        forced === undefined
          ? `Node ${node} has no SQLite of its own: run \`npm install better-sqlite3@12\`, or use Node 22.13 or later`
          : `${forced} is not available with Node ${node}`,
      )
    : new FlexiqError(
        "no-sqlite",
        `better-sqlite3 is installed but does not load with Node ${node}: run \`npm rebuild better-sqlite3\`, or use Node 22.13 or later`,
        { cause },
      );
}

/** Rows as arrays: the columns in the order of the statement, whatever the binding can do by itself. DESIGN 9.1. */
import { expect, it, onTestFinished } from "vitest";
import { loadDriver } from "../../src/store/drivers/load.ts";
import type { DriverName } from "../../src/store/options.ts";
import { onEachDriver } from "./contract.ts";

/** The types of Node 20 do not know it. */
interface NodeSqlite {
  readonly StatementSync: { readonly prototype: object };
}

function rowsOf(driver: DriverName) {
  const db = loadDriver(driver).open(":memory:");
  onTestFinished(() => db.close());
  db.exec(
    "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT, size INTEGER); INSERT INTO t VALUES (1, 'one', NULL), (2, 'two', 20)",
  );
  return db.prepareRows("SELECT size, name, id FROM t WHERE id >= ? ORDER BY id").all(1);
}

const EXPECTED = [
  [null, "one", 1],
  [20, "two", 2],
];

onEachDriver((driver) => {
  it("are read in the order of the columns", () => expect(rowsOf(driver)).toEqual(EXPECTED));

  if (driver === "node:sqlite")
    it("are so too before Node 22.16, which knows objects only", () => {
      const { prototype } = (process.getBuiltinModule("node:sqlite") as NodeSqlite).StatementSync;
      const own = Object.getOwnPropertyDescriptor(prototype, "setReturnArrays");
      if (own !== undefined) {
        Reflect.deleteProperty(prototype, "setReturnArrays");
        onTestFinished(() => void Object.defineProperty(prototype, "setReturnArrays", own));
      }
      expect(rowsOf(driver)).toEqual(EXPECTED);
    });
});

/** Runs a suite against every SQLite binding that this Node can load; one at least must be there. */
import { describe } from "vitest";
import { FlexiqError } from "../../src/errors.ts";
import { loadDriver } from "../../src/store/drivers/load.ts";
import type { DriverName } from "../../src/store/options.ts";

function isThere(name: DriverName): boolean {
  try {
    loadDriver(name);
    return true;
  } catch (error) {
    if (error instanceof FlexiqError && error.code === "no-sqlite") return false;
    throw error;
  }
}

const KNOWN: readonly DriverName[] = ["node:sqlite", "better-sqlite3"];

const DRIVERS: readonly DriverName[] = KNOWN.filter(isThere);

/** The binding that a test takes when any will do. */
export const [DRIVER = loadDriver().name] = DRIVERS;

export function onEachDriver(suite: (driver: DriverName) => void): void {
  if (DRIVERS.length === 0) throw new Error("no SQLite binding: run `npm install`");
  for (const driver of DRIVERS) describe(`with ${driver}`, () => suite(driver));
}

/**
 * The schema as a list of steps, each applied once, in order, in a transaction of its own. A released step is never
 * changed. DESIGN 9.2.
 */
import { INITIAL } from "./001-initial.ts";
import { TALLIES } from "./002-tallies.ts";
import { FINISHED } from "./003-finished.ts";

/** "flxq": tells our files from other SQLite databases. */
export const APPLICATION_ID = 0x666c_7871;

/** Step n leads from schema n to n + 1. */
export const MIGRATIONS: readonly string[] = [INITIAL, TALLIES, FINISHED];

export const SCHEMA_VERSION = MIGRATIONS.length;

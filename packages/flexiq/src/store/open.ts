/**
 * From a path to a database that is ours, current and writable; everything that can be wrong with a file is found here,
 * before the first job. DESIGN 9.1, 9.2.
 */
import { dirname } from "node:path";
import { makeFolder } from "effiqueue";
import { FlexiqError } from "../errors.ts";
import type { Durability } from "../model.ts";
import { NET_PAGES } from "./checkpoints.ts";
import type { Connection } from "./drivers/driver.ts";
import { loadDriver } from "./drivers/load.ts";
import { APPLICATION_ID, MIGRATIONS } from "./migrations/migrations.ts";
import { refuseNetworkFilesystem, refuseNoFile, refuseSecondName, schemaVersion } from "./open-checks.ts";
import type { StoreOptions } from "./options.ts";
import { busyError, explained, isLocked } from "./sqlite-errors.ts";

/** Blocks this thread: opening is synchronous, and a lock at that moment is another process doing the same. */
function sleepSync(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/**
 * Runs `step` until it is not refused for a lock, blocking this thread. SQLite's own busy timeout does not cover every step of opening.
 *
 * @throws FlexiqError busy, after `timeoutMs`; what `step` throws
 */
export function whileLocked<T>(step: () => T, dbPath: string, timeoutMs: number): T {
  const since = performance.now();
  for (;;) {
    try {
      return step();
    } catch (error) {
      if (!isLocked(error)) throw error;
      const waitedMs = performance.now() - since;
      if (waitedMs > timeoutMs) throw busyError(dbPath, waitedMs, error);
      sleepSync(1 + Math.random() * 9);
    }
  }
}

function transaction<T>(db: Connection, begin: string, work: () => T): T {
  db.exec(begin);
  try {
    const value = work();
    db.exec("COMMIT");
    return value;
  } catch (error) {
    try {
      db.exec("ROLLBACK");
    } catch {
      // Already rolled back; the first error is the one to tell.
    }
    throw error;
  }
}

function useWal(db: Connection, dbPath: string): void {
  const { journal_mode: mode } = db.prepare("PRAGMA journal_mode = WAL").get() as { journal_mode: string };
  if (mode === "wal") return;
  throw new FlexiqError(
    "cannot-open",
    `${dbPath} cannot use a write-ahead log (journal mode stays ${mode}): put it on a local disk`,
  );
}

/** Each step in a transaction of its own that looks again, for another process may have made it meanwhile. */
function migrate(db: Connection, dbPath: string): void {
  for (;;) {
    const done = transaction(db, "BEGIN IMMEDIATE", () => {
      const version = schemaVersion(db, dbPath);
      const step = MIGRATIONS[version];
      if (step === undefined) return true;
      db.exec(step);
      db.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${version + 1}`);
      return false;
    });
    // Even with no step to make, a write transaction was begun: a file that cannot be written is found out here.
    if (done) return;
  }
}

/**
 * How long SQLite itself waits for a lock, blocking this thread, before the store waits with timers (`busy.ts`). Most locks are
 * gone in a fraction of this. Measured with four processes on two cores: the longest waits are halved and no throughput is lost, while
 * an event loop does not notice 2 ms.
 */
const BLOCKING_WAIT_MS = 2;

const SYNCHRONOUS: Readonly<Record<Durability, string>> = { normal: "NORMAL", full: "FULL" };

function prepareFile(db: Connection, dbPath: string, durability: Durability): void {
  // Before anything is changed: the file may be another program's.
  transaction(db, "BEGIN", () => schemaVersion(db, dbPath));
  useWal(db, dbPath);
  db.exec(`PRAGMA synchronous = ${SYNCHRONOUS[durability]}; PRAGMA temp_store = MEMORY`);
  // A burst may make the log large; at the next checkpoint it shrinks to this again.
  db.exec(`PRAGMA journal_size_limit = 67108864; PRAGMA wal_autocheckpoint = ${NET_PAGES}`);
  migrate(db, dbPath);
  db.exec(`PRAGMA busy_timeout = ${BLOCKING_WAIT_MS}`);
}

/** @throws FlexiqError as `Store.open` */
export function openDatabase(options: StoreOptions, busyTimeoutMs: number): Connection {
  const { dbPath, durability = "normal", mountInfoPath = "/proc/self/mountinfo" } = options;
  const driver = loadDriver(options.driver);
  let db: Connection | undefined;
  try {
    makeFolder(dirname(dbPath));
    if (options.allowNetworkFilesystem !== true) refuseNetworkFilesystem(dbPath, mountInfoPath);
    refuseNoFile(dbPath);
    refuseSecondName(dbPath, mountInfoPath);
    const opened = driver.open(dbPath);
    db = opened;
    whileLocked(() => prepareFile(opened, dbPath, durability), dbPath, busyTimeoutMs);
    return db;
  } catch (error) {
    db?.close();
    throw explained(error, dbPath);
  }
}

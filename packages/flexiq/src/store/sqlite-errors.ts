/**
 * One kind of error out of two bindings: better-sqlite3 names its codes, `node:sqlite` numbers them. DESIGN 9.1, 9.11.
 */
import { accessSync, constants, existsSync, statfsSync } from "node:fs";
import { dirname } from "node:path";
import { FlexiqError } from "../errors.ts";
import { isOutOfFiles, reachedFileLimit } from "./process-limits.ts";

/** Primary result codes of SQLite that mean something to us. */
const NAMES: Readonly<Record<number, string>> = {
  3: "PERM",
  5: "BUSY",
  6: "LOCKED",
  8: "READONLY",
  10: "IOERR",
  11: "CORRUPT",
  13: "FULL",
  14: "CANTOPEN",
  15: "PROTOCOL",
  18: "TOOBIG",
  26: "NOTADB",
};

/** The primary code, e.g. `BUSY` for SQLITE_BUSY_SNAPSHOT; `undefined` when the error is not SQLite's. */
function sqliteCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, errcode } = error as Error & { code?: unknown; errcode?: unknown };
  if (code === "ERR_SQLITE_ERROR" && typeof errcode === "number") return NAMES[errcode & 0xff] ?? String(errcode);
  if (typeof code === "string" && code.startsWith("SQLITE_")) return code.split("_")[1];
  return undefined;
}

/** Somebody else has the file for a moment. PROTOCOL: lost a race for the shared memory of the write-ahead log. */
export function isLocked(error: unknown): boolean {
  const code = sqliteCode(error);
  return code === "BUSY" || code === "LOCKED" || code === "PROTOCOL";
}

const isWritable = (path: string): boolean => {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
};

/** Where the system keeps no files, as in /proc, there are no blocks at all. */
const isFull = (folder: string): boolean => {
  try {
    const { blocks, bavail } = statfsSync(folder);
    return blocks > 0 && bavail === 0;
  } catch {
    return false;
  }
};

/** The nearest folder above the file that exists: where making the file, or the folders to it, has failed. */
function existingFolder(dbPath: string): string {
  let folder = dirname(dbPath);
  while (!existsSync(folder) && folder !== dirname(folder)) folder = dirname(folder);
  return folder;
}

export function busyError(dbPath: string, waitedMs: number, cause: unknown): FlexiqError {
  return new FlexiqError(
    "busy",
    `${dbPath} was locked for ${Math.round(waitedMs)} ms: another process holds it; try again, or raise busyTimeoutMs`,
    { cause },
  );
}

export function corruptError(dbPath: string, state: "damaged" | "no SQLite database", cause?: unknown): FlexiqError {
  return new FlexiqError(
    "corrupt",
    `${dbPath} is ${state}: end what uses it, then restore a copy, or move it away with its -wal and -shm files to start anew`,
    { cause },
  );
}

/** What SQLite or the filesystem threw, as an error that names the file and the remedy. Others pass unchanged. */
export function explained(error: unknown, dbPath: string): Error {
  if (!(error instanceof Error)) return new Error(String(error));
  if (error instanceof FlexiqError) return error;
  const sqlite = sqliteCode(error);
  const code = sqlite ?? (error as NodeJS.ErrnoException).code;
  if (code === undefined) return error;
  const folder = existingFolder(dbPath);
  const options = { cause: error };
  const readOnly = (path: string) =>
    new FlexiqError(
      "read-only",
      `${path} is not writable: a queue writes to its file and to the folder it is in`,
      options,
    );
  const tooLarge = (limit: number) =>
    new FlexiqError(
      "disk-full",
      `${dbPath} or its log would be larger than files of this process may be (${limit} bytes): raise that limit (ulimit -f); nothing was changed`,
      options,
    );
  const outOfFiles = () =>
    new FlexiqError(
      "cannot-open",
      `cannot open ${dbPath}: no more files can be opened here; close those that are not used, or raise the limit (ulimit -n)`,
      options,
    );
  const full = () => new FlexiqError("disk-full", `no space is left for ${dbPath}; nothing was changed`, options);

  switch (code) {
    case "BUSY":
    case "LOCKED":
    case "PROTOCOL":
      return busyError(dbPath, 0, error);
    case "FULL":
    case "ENOSPC":
    case "EDQUOT":
      return full();
    case "TOOBIG":
      return new FlexiqError(
        "too-big",
        "a job's arguments or result are larger than SQLite holds in one row (about 1 GB): pass a path instead",
        options,
      );
    case "CORRUPT":
    case "NOTADB":
      return corruptError(dbPath, code === "NOTADB" ? "no SQLite database" : "damaged", error);
    case "READONLY":
    case "PERM":
    case "EROFS":
    case "EACCES":
    case "EPERM":
      return readOnly(existsSync(dbPath) && !isWritable(dbPath) ? dbPath : folder);
    case "EMFILE":
    case "ENFILE":
      return outOfFiles();
    case "ENAMETOOLONG":
      return new FlexiqError("cannot-open", `${dbPath} is longer than a path, or a name in it, may be`, options);
    case "CANTOPEN":
    case "IOERR":
    case "ENOENT":
    case "ENOTDIR":
    case "EEXIST": {
      // SQLite says no more than "cannot open" and "I/O error" of several plain causes.
      const limit = reachedFileLimit(dbPath);
      if (limit !== undefined) return tooLarge(limit);
      if (isOutOfFiles()) return outOfFiles();
      if (isFull(folder)) return full();
      if (existsSync(dbPath) && !isWritable(dbPath)) return readOnly(dbPath);
      if (!isWritable(folder)) return readOnly(folder);
      return new FlexiqError(
        code === "IOERR" ? "io" : "cannot-open",
        code === "IOERR"
          ? `reading or writing ${dbPath} failed: check the disk`
          : `cannot open ${dbPath}: check that the path exists and is a file`,
        options,
      );
    }
    default:
      return sqlite === undefined
        ? error
        : new FlexiqError("sqlite", `SQLite refused (${sqlite}) on ${dbPath}; this is a bug of flexiq`, options);
  }
}

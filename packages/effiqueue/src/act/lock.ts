/**
 * At most one living owner per state folder, without native code: owners are numbered, and the owner is whoever holds the
 * highest number. DESIGN 4.7, `docs/decisions/0002`.
 *
 * Why no two can own it: `link` creates lock.N+1 for exactly one of those who saw N. A competitor so slow that N+1 has come
 * and gone creates it again, but then sees the higher number when it looks once more, and withdraws. Since the highest
 * file is only ever rewritten, never removed, that second look always finds it.
 */
import { randomBytes } from "node:crypto";
import {
  closeSync,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { Clock } from "../model/ports.ts";
import type { ProcessIdentity } from "../model/worker.ts";
import { PoolLockedError, StateFolderError } from "./errors.ts";
import { asIdentity, parseObject } from "./json.ts";
import { livenessOf, ownIdentity } from "./platform/identity.ts";

const TOUCH_INTERVAL_MS = 5_000;

/** Three touches missed: an owner whose death cannot be proved (another pid namespace, another boot) is presumed dead. */
const PRESUMED_DEAD_MS = 15_000;

/** Each try that fails means that somebody else moved, so that many in a row only happen on a broken filesystem. */
const MAX_TRIES = 1_000;

export interface PoolLock {
  /** Lets a successor in at once. Harmless twice. */
  release(): void;
}

/**
 * @param onLost called once when this process was presumed dead and succeeded (it was suspended, or its event loop blocked,
 *   for longer than 15 s, and the successor lives in another pid namespace); nothing may be written to the folder from then on
 * @throws PoolLockedError while another living process owns the folder
 * @throws StateFolderError when the folder cannot be written
 */
export function acquireLock(folder: string, clock: Clock, onLost: (ownerPid: number) => void): PoolLock {
  const identity = ownIdentity();
  try {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const number = tryOnce(folder, identity);
      if (number !== undefined) return hold(folder, number, identity, clock, onLost);
    }
  } catch (error) {
    if (error instanceof PoolLockedError) throw error;
    throw new StateFolderError(folder, "its lock cannot be written; is it read-only, full, or without hard links?", {
      cause: error,
    });
  }
  throw new StateFolderError(folder, `its lock was taken ${MAX_TRIES} times by others in a row`);
}

/** The number now owned; `undefined` when somebody else moved at the same time, so that everything must be looked at again. */
function tryOnce(folder: string, identity: ProcessIdentity): number | undefined {
  const highest = highestNumber(folder);
  const draft = join(folder, `lock.draft-${process.pid}-${randomBytes(6).toString("hex")}`);
  writeFileSync(draft, recordOf(identity, false), { mode: 0o600, flag: "wx" });
  try {
    if (highest > 0) refuseWhileOwned(folder, highest, statSync(draft).mtimeMs);
    linkSync(draft, lockFile(folder, highest + 1));
  } catch (error) {
    if (isCode(error, "EEXIST") || isCode(error, "ENOENT")) return undefined;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  if (highestNumber(folder) !== highest + 1) {
    rmSync(lockFile(folder, highest + 1), { force: true });
    return undefined;
  }
  removeOlder(folder, highest + 1);
  return highest + 1;
}

/** @param fileNow the filesystem's own present, from a file just written: its clock need not be ours. */
function refuseWhileOwned(folder: string, number: number, fileNow: number): void {
  const file = lockFile(folder, number);
  const touchedMsAgo = fileNow - statSync(file).mtimeMs;
  const { owner, released } = readRecord(file);
  if (released) return;
  const liveness = owner === undefined ? "unknown" : livenessOf(owner);
  if (owner !== undefined && liveness === "alive") {
    const remedy =
      owner.pid === process.pid
        ? "close the first pool of this process before opening a second one"
        : `stop it first (kill -TERM ${owner.pid}), or give this one a state folder of its own`;
    throw new PoolLockedError(folder, owner.pid, remedy);
  }
  if (liveness === "unknown" && touchedMsAgo < PRESUMED_DEAD_MS) {
    const ago = Math.max(0, Math.round(touchedMsAgo / 1000));
    throw new PoolLockedError(
      folder,
      owner?.pid ?? null,
      `it belongs to another container or boot and was heard of ${ago} s ago; after ${PRESUMED_DEAD_MS / 1000} s of silence it is presumed dead`,
    );
  }
}

function hold(
  folder: string,
  number: number,
  identity: ProcessIdentity,
  clock: Clock,
  onLost: (ownerPid: number) => void,
): PoolLock {
  const file = lockFile(folder, number);
  let cancel: (() => void) | undefined;
  const touch = (): void => {
    const owner = safely(() => readRecord(lockFile(folder, highestNumber(folder))).owner);
    if (owner !== undefined && !sameProcess(owner, identity)) {
      cancel = undefined;
      onLost(owner.pid);
      return;
    }
    // Same bytes, so a reader never sees half a record; written rather than stamped, so that the filesystem's clock dates it.
    safely(() => overwrite(file, recordOf(identity, false)));
    cancel = clock.after(TOUCH_INTERVAL_MS, touch, { background: true });
  };
  cancel = clock.after(TOUCH_INTERVAL_MS, touch, { background: true });
  return {
    release: () => {
      if (cancel === undefined) return;
      cancel();
      cancel = undefined;
      // A folder that is gone or read-only by now needs no release: our death will be provable.
      safely(() => {
        const draft = `${file}.released`;
        writeFileSync(draft, recordOf(identity, true), { mode: 0o600 });
        renameSync(draft, file);
      });
    },
  };
}

const sameProcess = (a: ProcessIdentity, b: ProcessIdentity): boolean =>
  a.pid === b.pid && a.startTime === b.startTime && a.bootId === b.bootId && a.pidNamespace === b.pidNamespace;

const lockFile = (folder: string, number: number): string => join(folder, `lock.${number}`);

const recordOf = (identity: ProcessIdentity, released: boolean): string =>
  `${JSON.stringify({ ...identity, released })}\n`;

/** Locks are linked into place complete, so one that says nothing was cut by a crash of the machine: its owner is unknown. */
function readRecord(file: string): { readonly owner: ProcessIdentity | undefined; readonly released: boolean } {
  const record = parseObject(readFileSync(file, "utf8"));
  return { owner: asIdentity(record), released: record?.["released"] === true };
}

/** 0 when there was never an owner. */
function highestNumber(folder: string): number {
  return Math.max(0, ...lockNumbers(folder));
}

function lockNumbers(folder: string): number[] {
  return readdirSync(folder).flatMap((name) => {
    const digits = /^lock\.([1-9]\d{0,14})$/.exec(name)?.[1];
    return digits === undefined ? [] : [Number(digits)];
  });
}

/** Drafts of others go as well: whoever still works on one looks again. */
function removeOlder(folder: string, own: number): void {
  for (const number of lockNumbers(folder)) if (number < own) rmSync(lockFile(folder, number), { force: true });
  for (const name of readdirSync(folder)) {
    if (name.startsWith("lock.draft-") || name.endsWith(".released")) rmSync(join(folder, name), { force: true });
  }
}

function overwrite(file: string, text: string): void {
  const handle = openSync(file, "r+");
  try {
    writeFileSync(handle, text);
  } finally {
    closeSync(handle);
  }
}

const isCode = (error: unknown, code: string): boolean => (error as NodeJS.ErrnoException).code === code;

function safely<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

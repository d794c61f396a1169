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
  existsSync,
  linkSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { codeOf } from "../model/errors.ts";
import type { Clock } from "../model/ports.ts";
import type { ProcessIdentity } from "../model/worker.ts";
import { PoolLockedError, StateFolderError } from "./errors.ts";
import { type Claim, isCopy, type LockRecord, originOf, readRecord, recordOf } from "./lock-record.ts";
import { livenessOf, ownIdentity } from "./platform/identity.ts";
import { prepareFolder } from "./state-file.ts";

const TOUCH_INTERVAL_MS = 5_000;

/** Three touches missed: an owner whose death cannot be proved (another pid namespace, another boot) is presumed dead. */
const PRESUMED_DEAD_MS = 15_000;

/** Each try that fails means that somebody else moved, so that many in a row only happen on a broken filesystem. */
const MAX_TRIES = 1_000;

export interface PoolLock {
  /** Where the folder was copied from, with all that it says of the pool there; `undefined`: it is nobody's copy. */
  readonly copiedFrom: string | undefined;
  /** Lets a successor in at once. Harmless twice. */
  release(): void;
}

export interface LockEvents {
  /**
   * Once, when another process owns the folder: this one was presumed dead (it was suspended, or its event loop blocked, for longer
   * than 15 s, and the successor lives in another pid namespace), or the folder was deleted and made anew. Nothing may be written
   * to it from then on.
   */
  lost(ownerPid: number): void;
  /** The folder, or the lock in it, had been deleted and is there again; everything else in it may be gone. */
  restored(): void;
}

/**
 * @throws PoolLockedError while another living process owns the folder
 * @throws StateFolderError when the folder cannot be written
 */
export function acquireLock(folder: string, clock: Clock, events: LockEvents): PoolLock {
  try {
    const claim: Claim = { folder, identity: ownIdentity(), origin: originOf(folder) };
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const taken = tryOnce(claim);
      if (taken !== undefined) return hold(claim, taken, clock, events);
    }
  } catch (error) {
    if (error instanceof PoolLockedError) throw error;
    throw new StateFolderError(folder, "its lock cannot be written; is it read-only, full, or without hard links?", {
      cause: error,
    });
  }
  throw new StateFolderError(folder, `its lock was taken ${MAX_TRIES} times by others in a row`);
}

/** What the last owner says of itself, without taking the lock; `undefined`: there never was one. @throws as `readdirSync` */
export function lastOwner(folder: string): LockRecord | undefined {
  const highest = highestNumber(folder);
  return highest === 0 ? undefined : readRecord(lockFile(folder, highest));
}

interface Taken {
  readonly number: number;
  readonly copiedFrom: string | undefined;
}

/** The number now owned; `undefined` when somebody else moved at the same time, so that everything must be looked at again. */
function tryOnce(claim: Claim): Taken | undefined {
  const { folder, origin } = claim;
  const highest = highestNumber(folder);
  const number = highest + 1;
  let copiedFrom: string | undefined;
  const linked = linkRecord(claim, number, (fileNow) => {
    if (highest === 0) return;
    const record = readRecord(lockFile(folder, highest));
    if (isCopy(record, origin)) copiedFrom = record.origin?.path;
    else refuseWhileOwned(folder, record, fileNow - statSync(lockFile(folder, highest)).mtimeMs);
  });
  if (!linked) return undefined;
  if (highestNumber(folder) !== number) {
    rmSync(lockFile(folder, number), { force: true });
    return undefined;
  }
  removeOlder(folder, number);
  return { number, copiedFrom };
}

/**
 * Links a complete record into place. False when somebody else moved at the same time.
 *
 * @param before gets the filesystem's own present, from a file just written: its clock need not be ours
 */
function linkRecord(claim: Claim, number: number, before: (fileNow: number) => void): boolean {
  const draft = join(claim.folder, `lock.draft-${process.pid}-${randomBytes(6).toString("hex")}`);
  writeFileSync(draft, recordOf(claim, false), { mode: 0o600, flag: "wx" });
  try {
    before(statSync(draft).mtimeMs);
    linkSync(draft, lockFile(claim.folder, number));
    return true;
  } catch (error) {
    if (["EEXIST", "ENOENT"].includes(codeOf(error))) return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

function refuseWhileOwned(folder: string, { owner, released }: LockRecord, touchedMsAgo: number): void {
  if (released) return;
  const liveness = owner === undefined ? "unknown" : livenessOf(owner);
  if (owner !== undefined && liveness === "alive") {
    const remedy =
      owner.pid === process.pid
        ? "close the first pool of this process before opening a second one"
        : `stop it first (kill -TERM ${owner.pid})`;
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

function hold(claim: Claim, { number, copiedFrom }: Taken, clock: Clock, events: LockEvents): PoolLock {
  const { folder, identity } = claim;
  const file = lockFile(folder, number);
  let cancel: (() => void) | undefined;
  const touch = (): void => {
    const owner = safely(() => readRecord(lockFile(folder, highestNumber(folder))).owner);
    if (owner !== undefined && !sameProcess(owner, identity)) {
      cancel = undefined;
      events.lost(owner.pid);
      return;
    }
    cancel = clock.after(TOUCH_INTERVAL_MS, touch, { background: true });
    // Same bytes, so a reader never sees half a record; written rather than stamped, so that the filesystem's clock dates it.
    if (existsSync(file)) safely(() => overwrite(file, recordOf(claim, false)));
    else if (safely(() => restore(claim, number)) === true) events.restored();
  };
  cancel = clock.after(TOUCH_INTERVAL_MS, touch, { background: true });
  return {
    copiedFrom,
    release: () => {
      if (cancel === undefined) return;
      cancel();
      cancel = undefined;
      // A folder that is gone or read-only by now needs no release: our death will be provable.
      safely(() => {
        const draft = `${file}.released`;
        writeFileSync(draft, recordOf(claim, true), { mode: 0o600 });
        renameSync(draft, file);
      });
    },
  };
}

/**
 * False when another process has begun a sequence of its own in the empty folder: the next look will find it there. What was
 * deleted with all that is around it was meant to go.
 */
function restore(claim: Claim, number: number): boolean {
  if (!existsSync(dirname(claim.folder))) return false;
  prepareFolder(claim.folder);
  if (!linkRecord(claim, number, () => undefined)) return false;
  if (lockNumbers(claim.folder).length === 1) return true;
  rmSync(lockFile(claim.folder, number), { force: true });
  return false;
}

const sameProcess = (a: ProcessIdentity, b: ProcessIdentity): boolean =>
  a.pid === b.pid && a.startTime === b.startTime && a.bootId === b.bootId && a.pidNamespace === b.pidNamespace;

const lockFile = (folder: string, number: number): string => join(folder, `lock.${number}`);

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

function safely<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

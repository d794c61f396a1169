/**
 * What a pool leaves for its successor: its id and its workers. DESIGN 4.7, 4.8.
 *
 * `pool-id` is written once and names the pool in the environment of its workers; it is a file of its own so that it
 * outlives a `workers.json` that cannot be read. Nothing is synced to disk: the files have to survive the death of this
 * process, and no worker survives the machine's.
 */
import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { UnknownRecord } from "../model/record.ts";
import type { ProcessIdentity } from "../model/worker.ts";
import { StateFolderError } from "./errors.ts";
import { asCount, asIdentity, asObject, parseObject } from "./json.ts";
import { makeFolder } from "./make-folder.ts";

const FORMAT = 1;

export interface WorkerRecord {
  readonly identity: ProcessIdentity;
  readonly processNum: number;
  /** On the monotonic clock of the recorded boot. */
  readonly startedAtMs: number;
  /** Of its settings (`madeOf`), where it is known. */
  readonly madeOf?: string | undefined;
  /** What the successor must not do again: call it to work, or signal it a second time. */
  readonly state: "working" | "retiring" | "draining";
}

export type RecordedWorkers =
  | { readonly kind: "read"; readonly workers: readonly WorkerRecord[] }
  | { readonly kind: "unreadable"; readonly error: string; readonly keptAs: string };

/**
 * Makes the folder if need be, private to this user: who can write in it decides which processes get our signals.
 *
 * @throws StateFolderError
 */
export function prepareFolder(folder: string): void {
  const owner = attempt(folder, () => {
    makeFolder(resolve(folder), 0o700);
    return statSync(folder);
  });
  const ours = process.getuid?.();
  if (ours !== undefined && owner.uid !== ours) {
    throw new StateFolderError(
      folder,
      `it belongs to user ${owner.uid} and we are ${ours}; run as that user, or remove it`,
    );
  }
  if (ours !== undefined && (owner.mode & 0o077) !== 0) attempt(folder, () => chmodSync(folder, 0o700));
}

/** The id of the pool of this folder, made at its first opening. The caller holds the lock. */
export function poolIdOf(folder: string): string {
  const known = readPoolId(folder);
  if (known !== undefined) return known;
  const id = randomPoolId();
  attempt(folder, () => writePoolId(folder, id));
  return id;
}

/** `undefined`: there is none, or it is no id. */
export function readPoolId(folder: string): string | undefined {
  const known = read(folder, poolIdFile(folder))?.trim();
  return known !== undefined && /^[0-9a-f]{16}$/.test(known) ? known : undefined;
}

export function writePoolId(folder: string, id: string): void {
  replaceFile(poolIdFile(folder), `${id}\n`);
}

/** Puts aside what a copied folder says: it is about another pool, whose workers are not ours to touch. Undefined: it lists none. */
export function putAsideCopy(folder: string): string | undefined {
  attempt(folder, () => rmSync(poolIdFile(folder), { force: true }));
  return existsSync(workersFile(folder)) ? putAside(folder) : undefined;
}

export const randomPoolId = (): string => randomBytes(8).toString("hex");

/** The workers of the pool's last life. A file that makes no sense is put aside, for whoever wants to know what happened to it. */
export function readWorkers(folder: string): RecordedWorkers {
  const file = workersFile(folder);
  const text = read(folder, file);
  if (text === undefined) return { kind: "read", workers: [] };
  const { content, workers } = asWorkers(text);
  if (workers !== undefined) return { kind: "read", workers };

  const keptAs = putAside(folder);
  const error = content === undefined ? "it is not a JSON object" : `it is not a worker list of format ${FORMAT}`;
  return { kind: "unreadable", error, keptAs };
}

/** The same for those who only look: nothing is put aside, and of a list that makes no sense nobody is known. */
export function recordedWorkers(folder: string): readonly WorkerRecord[] {
  const text = read(folder, workersFile(folder));
  return text === undefined ? [] : (asWorkers(text).workers ?? []);
}

/** Replaces the list at once: a reader finds the old one or the new one, complete. */
export function writeWorkers(folder: string, workers: readonly WorkerRecord[]): void {
  replaceFile(workersFile(folder), `${JSON.stringify({ format: FORMAT, workers }, null, 1)}\n`);
}

const workersFile = (folder: string): string => join(folder, "workers.json");
const poolIdFile = (folder: string): string => join(folder, "pool-id");

function putAside(folder: string): string {
  const keptAs = `${workersFile(folder)}.bad`;
  attempt(folder, () => renameSync(workersFile(folder), keptAs));
  return keptAs;
}

/** Half a list is none. */
function asWorkers(text: string): { content: UnknownRecord | undefined; workers: readonly WorkerRecord[] | undefined } {
  const content = parseObject(text);
  const entries = content?.["format"] === FORMAT ? content["workers"] : undefined;
  const workers = Array.isArray(entries) ? entries.map(asWorkerRecord) : [undefined];
  const sound = workers.filter((worker) => worker !== undefined);
  return { content, workers: sound.length === workers.length ? sound : undefined };
}

function asWorkerRecord(value: unknown): WorkerRecord | undefined {
  const entry = asObject(value);
  const identity = asIdentity(entry?.["identity"]);
  const processNum = asCount(entry?.["processNum"]);
  const startedAtMs = entry?.["startedAtMs"];
  const state = entry?.["state"];
  const madeOf = entry?.["madeOf"];
  if (identity === undefined || processNum === undefined || typeof startedAtMs !== "number") return undefined;
  if (state !== "working" && state !== "retiring" && state !== "draining") return undefined;
  return { identity, processNum, startedAtMs, state, ...(typeof madeOf === "string" ? { madeOf } : {}) };
}

/** At once: a reader finds the old text or the new one, complete. */
export function replaceFile(file: string, text: string): void {
  const draft = `${file}.new`;
  writeFileSync(draft, text, { mode: 0o600 });
  renameSync(draft, file);
}

/** `undefined`: there is no such file. */
function read(folder: string, file: string): string | undefined {
  return attempt(folder, () => (existsSync(file) ? readFileSync(file, "utf8") : undefined));
}

function attempt<T>(folder: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw new StateFolderError(
      folder,
      "it cannot be made, read or written; check the path, its permissions and free space",
      {
        cause,
      },
    );
  }
}

/**
 * What an owner writes into its lock: who it is, whether it has let go, and which folder it means. DESIGN 4.7.
 */
import { readFileSync, realpathSync, statSync } from "node:fs";
import type { ProcessIdentity } from "../model/worker.ts";
import { asIdentity, asObject, parseObject } from "./json.ts";

/** What a record belongs to. A copy differs in both; a moved folder in its path alone, one that is mounted twice too. */
interface Origin {
  readonly path: string;
  readonly inode: string;
}

/** What an owner writes of itself. */
export interface LockRecord {
  /** `undefined`: locks are linked into place complete, so a crash of the machine has cut it, and its owner is unknown. */
  readonly owner: ProcessIdentity | undefined;
  readonly released: boolean;
  readonly origin: Origin | undefined;
}

/** This process as an owner of this folder. */
export interface Claim {
  readonly folder: string;
  readonly identity: ProcessIdentity;
  readonly origin: Origin;
}

export function originOf(folder: string): Origin {
  return { path: realpathSync(folder), inode: String(statSync(folder, { bigint: true }).ino) };
}

export const isCopy = ({ origin }: LockRecord, here: Origin): boolean =>
  origin !== undefined && origin.path !== here.path && origin.inode !== here.inode;

export const recordOf = ({ identity, origin }: Claim, released: boolean): string =>
  `${JSON.stringify({ ...identity, released, origin })}\n`;

export function readRecord(file: string): LockRecord {
  const record = parseObject(readFileSync(file, "utf8"));
  const origin = asObject(record?.["origin"]);
  const [path, inode] = [origin?.["path"], origin?.["inode"]];
  return {
    owner: asIdentity(record),
    released: record?.["released"] === true,
    origin: typeof path === "string" && typeof inode === "string" ? { path, inode } : undefined,
  };
}

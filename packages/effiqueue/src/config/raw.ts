/**
 * The one shape that both file formats become before anything is validated. DESIGN 5.1.
 */
import type { KeyName } from "../model/keys.ts";
import { isRecord, type UnknownRecord } from "../model/record.ts";
import type { Finding } from "./errors.ts";
import type { Names, PercentRule } from "./percent.ts";

export interface Entry {
  /** As it was typed: `numprocs` for `max_workers`. */
  readonly key: string;
  readonly value: unknown;
  /** As it was typed, where a variable of the environment has been put in: what messages may show. */
  readonly written?: string;
  readonly line?: number | undefined;
  /** The line of a part of it, such as `[0].cron`. */
  readonly lineOf?: (part: string) => number | undefined;
  /** Why the value could not be read at all; it is told instead of whatever else is wrong with it. */
  readonly fault?: string | undefined;
  /** How a `%` in it is read, where the format decides that. Default: only what begins with `%(` is special. */
  readonly percent?: PercentRule;
}

/** Texts that may differ from worker to worker: expanded when one is started, not before. */
const WORKER_TEXTS = [
  "command",
  "process_name",
  "cwd",
  "env",
  "stdout",
  "stderr",
] as const satisfies readonly KeyName[];

export type WorkerText = (typeof WORKER_TEXTS)[number];

export const isWorkerText = (name: KeyName): name is WorkerText => (WORKER_TEXTS as readonly KeyName[]).includes(name);

export type Table = UnknownRecord;

export const isTable = (value: unknown): value is Table => isRecord(value) && !(value instanceof Date);

export type Entries = ReadonlyMap<KeyName, Entry>;

export interface RawProgram {
  /** As the file calls it; absent for a file that is one program. */
  readonly label?: string;
  /** Where the format names its programs. */
  readonly name?: string;
  readonly line?: number | undefined;
  /** What `%(...)` can stand for, besides the worker's own number and name. */
  readonly names: Names;
  readonly entries: Entries;
}

export interface RawConfig {
  /** What holds for every program that does not say otherwise, and for the process. */
  readonly shared: Entries;
  /** Where such keys belong, to complete "move it ...". */
  readonly sharedPlace: string;
  /** What else the format calls a key of ours: a reader may know that name alone. */
  readonly otherNames: Readonly<Partial<Record<KeyName, string>>>;
  /** A TOML file without `[[program]]` is one program. */
  readonly programs: readonly RawProgram[];
  readonly problems: readonly Finding[];
  readonly warnings: readonly Finding[];
}

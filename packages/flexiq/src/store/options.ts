/**
 * How a store is opened. DESIGN 9.1.
 */
import type { MonotonicMs, WallMs } from "effiqueue";
import type { Durability, Retention } from "../model.ts";

/** Where the store takes the time from; a fake in tests. */
export interface TimeSource {
  wallMs(): WallMs;
  /** Comparable between processes of one boot. */
  monotonicMs(): MonotonicMs;
}

export type DriverName = "node:sqlite" | "better-sqlite3";

export const STORE_DEFAULTS = {
  leaseMs: 30_000,
  busyTimeoutMs: 10_000,
  retention: { completedSec: 86_400, deadSec: Number.POSITIVE_INFINITY },
} as const;

export interface StoreOptions {
  /** The SQLite file; its folder is made. */
  readonly dbPath: string;
  /** Default `normal`: survives the death of every process. `full` survives a power cut. */
  readonly durability?: Durability;
  /** How long a locked file is retried before it is an error. Default 10,000. */
  readonly busyTimeoutMs?: number;
  /** How long a worker may be silent before it is taken for dead, where death cannot be proved. Default 30,000. */
  readonly leaseMs?: number;
  readonly retention?: Partial<Retention>;
  /** Open the file on a network filesystem although WAL is unsafe there. Default false. */
  readonly allowNetworkFilesystem?: boolean;
  /** Default: the system's clocks. */
  readonly time?: TimeSource;
  /** In [0, 1), for the jitter of retries. Default `Math.random`. */
  readonly chance?: () => number;
  /** Default: `node:sqlite` where Node has it, else `better-sqlite3`. */
  readonly driver?: DriverName;
  /** Default `/proc/self/mountinfo`. */
  readonly mountInfoPath?: string;
}

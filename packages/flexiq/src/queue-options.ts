/** What a queue is told when it is made, checked as a whole: its file, its slots, and what its jobs inherit. DESIGN 9. */
import { resolve } from "node:path";
import { flag, invalidOption, oneOf, onlyKnown, secondsOrNever, text, wholeNumber } from "./check.ts";
import type { Durability, Retention, TaskOptions } from "./model.ts";
import { BUILT_IN, type JobDefaults, taskDefaults } from "./new-job.ts";
import { linkTarget } from "./store/link-target.ts";
import { STORE_DEFAULTS, type StoreOptions } from "./store/options.ts";

export interface QueueOptions {
  /** Default: `FLEXIQ_DB_PATH`, else `.flexiq/flexiq.db` in the working directory. */
  dbPath?: string;
  /** Jobs one worker process runs at a time. Default 4. */
  workers?: number;
  /** Default `"normal"`: survives the death of every process; `"full"` survives a power cut too. */
  durability?: Durability;
  /** How long a locked file is retried before `busy`. Default 10,000. */
  busyTimeoutMs?: number;
  /** How long a worker may be silent before it is taken for dead, where its death cannot be proved. Default 30,000. */
  leaseMs?: number;
  retention?: Partial<Retention>;
  /** Default false. */
  allowNetworkFilesystem?: boolean;
  /** Defaults of every task: 3, none, 1,000 and 3,600,000. */
  maxRetries?: number;
  timeoutMs?: number;
  retryBaseMs?: number;
  retryMaxMs?: number;
}

const QUEUE_KEYS = [
  "dbPath",
  "workers",
  "durability",
  "busyTimeoutMs",
  "leaseMs",
  "retention",
  "allowNetworkFilesystem",
  "maxRetries",
  "timeoutMs",
  "retryBaseMs",
  "retryMaxMs",
] as const satisfies readonly (keyof QueueOptions)[];

export interface QueueSettings {
  readonly store: StoreOptions & { readonly leaseMs: number };
  readonly workers: number;
  readonly defaults: JobDefaults;
}

/** @throws FlexiqError invalid-option */
export function queueSettings(options: QueueOptions): QueueSettings {
  onlyKnown("queue options", options, QUEUE_KEYS);
  const { maxRetries, timeoutMs, retryBaseMs, retryMaxMs } = options;
  const inherited = { maxRetries, timeoutMs, retryBaseMs, retryMaxMs };
  return {
    store: storeOptions(options),
    workers: wholeNumber("workers", options.workers, { min: 1, otherwise: 4 }),
    defaults: taskDefaults(inherited as TaskOptions, BUILT_IN),
  };
}

function storeOptions(options: QueueOptions): QueueSettings["store"] {
  const retention = options.retention ?? {};
  onlyKnown("retention", retention, ["completedSec", "deadSec"]);
  return {
    dbPath: pathOf(options.dbPath),
    durability: oneOf("durability", options.durability, { choices: ["normal", "full"], otherwise: "normal" as const }),
    busyTimeoutMs: wholeNumber("busyTimeoutMs", options.busyTimeoutMs, {
      min: 0,
      otherwise: STORE_DEFAULTS.busyTimeoutMs,
    }),
    leaseMs: wholeNumber("leaseMs", options.leaseMs, { min: 100, otherwise: STORE_DEFAULTS.leaseMs }),
    retention: {
      completedSec: secondsOrNever(
        "retention.completedSec",
        retention.completedSec,
        STORE_DEFAULTS.retention.completedSec,
      ),
      deadSec: secondsOrNever("retention.deadSec", retention.deadSec, STORE_DEFAULTS.retention.deadSec),
    },
    allowNetworkFilesystem: flag("allowNetworkFilesystem", options.allowNetworkFilesystem, false),
  };
}

function pathOf(option: string | undefined): string {
  const path =
    text("dbPath", option, undefined) ?? text("FLEXIQ_DB_PATH", process.env["FLEXIQ_DB_PATH"], ".flexiq/flexiq.db");
  if (path === ":memory:" || path.startsWith("file:")) {
    throw invalidOption("dbPath", "the path of a file, for a queue is shared by processes", path);
  }
  if (path.includes("\0")) throw invalidOption("dbPath", "a path, which holds no NUL", path);
  const file = linkTarget(resolve(path));
  // What is no UTF-8 has become the same sign whatever it was, also in the name of the working folder.
  if (/\uFFFD|\p{Surrogate}/u.test(file))
    throw invalidOption("dbPath", "a path in UTF-8, for Node takes all others for one", file);
  return file;
}

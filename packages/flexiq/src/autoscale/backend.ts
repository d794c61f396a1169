/** A queue as the engine sees it once it is opened: flexiq's own, or any object with `stats()`. DESIGN 11.1. */
import type { Clock, QueueSource, WorkerDirectory } from "effiqueue";
import { isBranded } from "../brand.ts";
import type { Queue } from "../queue.ts";
import type { Store } from "../store/store.ts";
import { storeDirectory } from "./directory.ts";
import type { AutoscaleMode } from "./options.ts";
import { type SilentWorker, type StatsQueue, statsSource, storeSource } from "./queue-source.ts";

export interface Backend {
  readonly source: QueueSource;
  /** `null`: the queue is not flexiq's. */
  readonly store: Store | null;
  readonly directory?: WorkerDirectory;
  readonly stateDir?: string;
  /** Added to the environment of the workers. */
  readonly env: Readonly<Record<string, string>>;
}

/** @throws FlexiqError what opening the queue says */
export function openBackend(
  queue: StatsQueue,
  clock: Clock,
  mode: AutoscaleMode,
  onSilent: (worker: SilentWorker) => void,
): Backend {
  if (!isFlexiqQueue(queue)) return { source: statsSource(queue, clock), store: null, env: {} };
  const { store, dbPath } = queue;
  return {
    source: storeSource(store, clock, mode, onSilent),
    store,
    directory: storeDirectory(store),
    stateDir: `${dbPath}.autoscale`,
    // An app that leaves the file open must get the one whose load is measured.
    env: { FLEXIQ_DB_PATH: dbPath },
  };
}

const isFlexiqQueue = (queue: StatsQueue): queue is Queue => isBranded(queue);

/**
 * Where a pool lives: a state folder with lock, id and list of workers, or nowhere, for a pool that no successor can
 * take over. DESIGN 4.7.
 */
import { errorText } from "../model/errors.ts";
import type { Clock } from "../model/ports.ts";
import { acquireLock } from "./lock.ts";
import {
  poolIdOf,
  prepareFolder,
  putAsideCopy,
  type RecordedWorkers,
  randomPoolId,
  readPoolId,
  readWorkers,
  type WorkerRecord,
  writePoolId,
  writeWorkers,
} from "./state-file.ts";
import type { Tell } from "./tell.ts";

export interface Home {
  readonly poolId: string;
  /** What the last life left; `undefined`: nobody could have left anything. */
  readonly recorded: RecordedWorkers | undefined;
  /** Never throws: a pool goes on without a state file, and says so. */
  save(workers: readonly WorkerRecord[]): void;
  /** Lets a successor in; nothing is written afterwards. Harmless twice. */
  leave(): void;
}

/**
 * @param onLost the pool is another process's. `adopted`: it knows our workers; else the folder was made anew, and nobody does
 * @throws PoolLockedError, StateFolderError
 */
export function openHome(
  folder: string | undefined,
  clock: Clock,
  tell: Tell,
  onLost: (ownerPid: number, adopted: boolean) => void,
): Home {
  if (folder === undefined) {
    return { poolId: randomPoolId(), recorded: undefined, save: () => undefined, leave: () => undefined };
  }
  prepareFolder(folder);
  let ours = true;
  let trouble: string | undefined;
  let saved: readonly WorkerRecord[] | undefined;
  let last: readonly WorkerRecord[] = [];
  let poolId: string | undefined;
  const attempt = (write: () => void): void => {
    try {
      write();
      trouble = undefined;
    } catch (error) {
      const line = errorText(error);
      if (line !== trouble) tell("act.state.unwritable", { error: line });
      trouble = line;
    }
  };
  const lock = acquireLock(folder, clock, {
    lost: (ownerPid) => {
      ours = false;
      onLost(ownerPid, isPoolOf(folder, poolId));
    },
    restored: () => {
      tell("act.state.restored", { folder });
      attempt(() => {
        if (poolId !== undefined) writePoolId(folder, poolId);
        writeWorkers(folder, last);
      });
    },
  });
  try {
    const recorded = lock.copiedFrom === undefined ? undefined : copied(folder, lock.copiedFrom);
    poolId = poolIdOf(folder);
    return {
      poolId,
      recorded: recorded ?? readWorkers(folder),
      save: (workers) => {
        if (!ours || (saved !== undefined && areSame(workers, saved))) return;
        last = workers;
        attempt(() => {
          writeWorkers(folder, workers);
          saved = workers;
        });
      },
      leave: () => {
        ours = false;
        lock.release();
      },
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** Undefined: the folder it was copied from had no workers. */
function copied(folder: string, from: string): RecordedWorkers | undefined {
  const keptAs = putAsideCopy(folder);
  return keptAs === undefined
    ? undefined
    : { kind: "unreadable", error: `it was copied from ${from} and lists the workers there`, keptAs };
}

function isPoolOf(folder: string, poolId: string | undefined): boolean {
  try {
    return readPoolId(folder) === poolId;
  } catch {
    return false;
  }
}

/** By everything that may differ from what was written: it is compared at each turn of the pool, and seldom does. */
const areSame = (workers: readonly WorkerRecord[], others: readonly WorkerRecord[]): boolean =>
  workers.length === others.length && workers.every((worker, i) => isSame(worker, others[i]));

const isSame = (worker: WorkerRecord, other: WorkerRecord | undefined): boolean =>
  worker.identity.pid === other?.identity.pid &&
  worker.identity.startTime === other.identity.startTime &&
  worker.processNum === other.processNum &&
  worker.madeOf === other.madeOf &&
  worker.state === other.state;

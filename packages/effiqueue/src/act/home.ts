/**
 * Where a pool lives: a state folder with lock, id and list of workers, or nowhere, for a pool that no successor can
 * take over. DESIGN 4.7.
 */
import type { Clock } from "../model/ports.ts";
import { acquireLock } from "./lock.ts";
import {
  poolIdOf,
  prepareFolder,
  type RecordedWorkers,
  randomPoolId,
  readWorkers,
  type WorkerRecord,
  writeWorkers,
} from "./state-file.ts";
import { errorLine, type Tell } from "./tell.ts";

export interface Home {
  readonly poolId: string;
  /** What the last life left; `undefined`: nobody could have left anything. */
  readonly recorded: RecordedWorkers | undefined;
  /** Never throws: a pool goes on without a state file, and says so. */
  save(workers: readonly WorkerRecord[]): void;
  /** Lets a successor in; nothing is written afterwards. Harmless twice. */
  leave(): void;
}

/** @throws PoolLockedError, StateFolderError */
export function openHome(
  folder: string | undefined,
  clock: Clock,
  tell: Tell,
  onLost: (ownerPid: number) => void,
): Home {
  if (folder === undefined) {
    return { poolId: randomPoolId(), recorded: undefined, save: () => undefined, leave: () => undefined };
  }
  prepareFolder(folder);
  let ours = true;
  let trouble: string | undefined;
  let saved: string | undefined;
  const lock = acquireLock(folder, clock, (ownerPid) => {
    ours = false;
    onLost(ownerPid);
  });
  try {
    return {
      poolId: poolIdOf(folder),
      recorded: readWorkers(folder),
      save: (workers) => {
        const state = JSON.stringify(workers);
        if (!ours || state === saved) return;
        try {
          writeWorkers(folder, workers);
          saved = state;
          trouble = undefined;
        } catch (error) {
          const line = errorLine(error);
          if (line !== trouble) tell("act.state.unwritable", { error: line });
          trouble = line;
        }
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

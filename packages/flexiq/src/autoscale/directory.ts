/**
 * The queue's word on its workers, for the pool: who is registered, who is idle, who takes nothing new. Rows are matched by
 * pid and start time, and only rows of this boot and pid namespace can be meant. DESIGN 11.1, 10.3, 4.4.
 */
import { thisMachine, type WorkerDirectory } from "effiqueue";
import type { WorkerRow } from "../model.ts";
import type { Store } from "../store/store.ts";

export function storeDirectory(store: Store): WorkerDirectory {
  const here = thisMachine();
  const localRows = async (): Promise<readonly WorkerRow[]> =>
    (await store.workers()).filter(
      ({ identity }) => identity.bootId === here.bootId && identity.pidNamespace === here.pidNamespace,
    );
  const rowOf = async (pid: number, startTime: string): Promise<WorkerRow | undefined> =>
    (await localRows()).find(({ identity }) => identity.pid === pid && identity.startTime === startTime);

  return {
    workers: async () =>
      (await localRows()).map(({ identity, slots, busy, finished, cordoned }) => ({
        pid: identity.pid,
        startTime: identity.startTime,
        slots,
        busy,
        finished,
        cordoned,
      })),
    cordonIfIdle: async (pid, startTime) => {
      const row = await rowOf(pid, startTime);
      // One that has not registered may do so in a moment, and claim: nothing can be promised of it.
      return row !== undefined && (await store.cordonIfIdle(row.id));
    },
    cordon: async (pid, startTime) => {
      const row = await rowOf(pid, startTime);
      if (row !== undefined) await store.cordon(row.id);
    },
    uncordon: async (pid, startTime) => {
      const row = await rowOf(pid, startTime);
      if (row !== undefined) await store.uncordon(row.id);
    },
  };
}

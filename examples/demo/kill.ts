/** The accident in the middle: one worker gets SIGKILL while it runs jobs, and we watch what becomes of them. */
import { livenessOf } from "effiqueue";
import type { WorkerRow } from "flexiq";
import type { Entry, JournalReader } from "./journal.ts";

export interface Kill {
  readonly pid: number;
  readonly atMs: number;
  /** The runs it cut off. */
  readonly cutOff: readonly Entry[];
  /** From the kill to the moment the last of these jobs ran again; `null`: not yet. */
  readonly restartSec: number | null;
}

/** Kills only in a crowd, so that the others can take over. */
const MIN_BUSY_WORKERS = 3;

export class Accident {
  #struck: { readonly worker: WorkerRow; readonly atMs: number } | null = null;
  #kill: Kill | null = null;

  /** `null` until the worker is dead and was seen to have been at work. */
  get kill(): Kill | null {
    return this.#kill;
  }

  get over(): boolean {
    return this.#kill !== null && this.#kill.restartSec !== null;
  }

  /** Kills the busiest worker, once; the one it killed, or `null`. */
  strike(workers: readonly WorkerRow[]): WorkerRow | null {
    if (this.#struck !== null) return null;
    const busy = workers.filter((worker) => worker.busy > 0 && !worker.cordoned).sort((a, b) => b.busy - a.busy);
    const [worker] = busy;
    if (worker === undefined || busy.length < MIN_BUSY_WORKERS) return null;
    if (livenessOf(worker.identity) !== "alive") return null;
    process.kill(worker.identity.pid, "SIGKILL");
    this.#struck = { worker, atMs: Date.now() };
    return worker;
  }

  /** Follows up in the journal; a sentence when there is news. */
  follow(journal: JournalReader): string | null {
    if (this.#struck === null || this.over) return null;
    const { worker, atMs } = this.#struck;
    const { pid } = worker.identity;
    if (this.#kill === null) {
      if (livenessOf(worker.identity) !== "dead") return null;
      journal.refresh();
      const cutOff = journal.cutOffIn(pid);
      // It had just finished everything: that proves nothing, so another one will be struck.
      if (cutOff.length === 0) this.#struck = null;
      else this.#kill = { pid, atMs, cutOff, restartSec: null };
      return cutOff.length === 0 ? null : `cut off in the middle: ${jobs(cutOff)}`;
    }
    const { cutOff } = this.#kill;
    const restarts = cutOff.map((entry) => journal.restartOf(entry));
    if (restarts.includes(undefined)) return null;
    const restartSec = (Math.max(...restarts.map((entry) => entry?.atMs ?? atMs)) - atMs) / 1000;
    this.#kill = { pid, atMs, cutOff, restartSec };
    return `started again ${restartSec.toFixed(2)} s after the kill: ${jobs(cutOff)}`;
  }
}

const jobs = (entries: readonly Entry[]): string => {
  const ids = entries.map(({ job }) => job).join(", ");
  return `job${entries.length === 1 ? "" : "s"} ${ids}`;
};

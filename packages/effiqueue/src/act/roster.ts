/**
 * Who is in the pool right now. DESIGN 4.1, 4.3.
 */
import { currentOf, type PoolCounts, type WorkerState } from "../model/worker.ts";
import type { WorkerRecord } from "./state-file.ts";
import type { Worker } from "./worker.ts";

export class Roster {
  readonly #workers = new Map<number, Worker>();

  add(worker: Worker): void {
    this.#workers.set(worker.identity.pid, worker);
  }

  /** False when it is not, or no more, in the pool: its pid may have another worker by now. */
  remove(worker: Worker): boolean {
    const { pid } = worker.identity;
    return this.#workers.get(pid) === worker && this.#workers.delete(pid);
  }

  get(pid: number): Worker | undefined {
    return this.#workers.get(pid);
  }

  all(): readonly Worker[] {
    return [...this.#workers.values()];
  }

  in(state: WorkerState): readonly Worker[] {
    return this.all().filter((worker) => worker.state === state);
  }

  /** How many count as there: starting and serving. */
  current(): number {
    return currentOf(this.counts());
  }

  counts(): PoolCounts {
    let starting = 0;
    let serving = 0;
    // Asked for by every program whenever one decides, so without a list of them.
    for (const { state } of this.#workers.values()) {
      if (state === "starting") starting += 1;
      if (state === "serving") serving += 1;
    }
    return { starting, serving, draining: this.#workers.size - starting - serving };
  }

  /** `wanted` if nobody has it, else the lowest number that nobody has. */
  freeNumber(wanted?: number): number {
    const taken = new Set(this.all().map(({ processNum }) => processNum));
    if (wanted !== undefined && !taken.has(wanted)) return wanted;
    let number = 0;
    while (taken.has(number)) number++;
    return number;
  }

  records(): readonly WorkerRecord[] {
    return this.all().map((worker) => ({
      identity: worker.identity,
      processNum: worker.processNum,
      startedAtMs: worker.startedAt,
      madeOf: worker.madeOf,
      state: worker.state === "retiring" || worker.state === "draining" ? worker.state : "working",
    }));
  }
}

/**
 * The simulated workers: who starts, serves and drains, which messages each one holds, and what all that costs. DESIGN 13.2. Pure.
 */

type Stage = "starting" | "serving" | "draining" | "gone";

export interface Worker {
  readonly id: number;
  readonly bornAtSec: number;
  stage: Stage;
  finished: number;
  /** Messages in its slots. */
  readonly held: number[];
}

/** Seconds times workers, or times slots, since the beginning. */
export interface Bill {
  readonly workerSec: number;
  readonly servingSlotSec: number;
  readonly busySlotSec: number;
}

export class Workers {
  readonly #slots: number;
  readonly #all: Worker[] = [];
  /** Starting and serving, in the order in which they were started. */
  readonly #live: Worker[] = [];
  readonly #draining = new Set<Worker>();
  #starting = 0;
  #busy = 0;
  #busyServing = 0;
  #turn = 0;
  #atSec = 0;
  #workerSec = 0;
  #servingSlotSec = 0;
  #busySlotSec = 0;

  constructor(slots: number) {
    this.#slots = slots;
  }

  get live(): readonly Worker[] {
    return this.#live;
  }

  get draining(): ReadonlySet<Worker> {
    return this.#draining;
  }

  get starting(): number {
    return this.#starting;
  }

  get serving(): number {
    return this.#live.length - this.#starting;
  }

  get started(): number {
    return this.#all.length;
  }

  /** Slots at work, those of draining workers included. */
  get busy(): number {
    return this.#busy;
  }

  get busyOfDraining(): number {
    return this.#busy - this.#busyServing;
  }

  get free(): number {
    return this.serving * this.#slots - this.#busyServing;
  }

  byId(id: number): Worker | undefined {
    return this.#all[id];
  }

  /** What was paid so far. */
  bill(nowSec: number): Bill {
    this.#settle(nowSec);
    return { workerSec: this.#workerSec, servingSlotSec: this.#servingSlotSec, busySlotSec: this.#busySlotSec };
  }

  start(nowSec: number): Worker {
    this.#settle(nowSec);
    const worker: Worker = { id: this.#all.length, bornAtSec: nowSec, stage: "starting", finished: 0, held: [] };
    this.#all.push(worker);
    this.#live.push(worker);
    this.#starting += 1;
    return worker;
  }

  serve(worker: Worker, nowSec: number): void {
    this.#settle(nowSec);
    worker.stage = "serving";
    this.#starting -= 1;
  }

  /** The next serving worker with a free slot, in turns, as a broker hands out. */
  nextFree(): Worker | undefined {
    for (let i = 0; i < this.#live.length; i++) {
      if (this.#turn >= this.#live.length) this.#turn = 0;
      const worker = this.#live[this.#turn++];
      if (worker?.stage === "serving" && worker.held.length < this.#slots) return worker;
    }
    return undefined;
  }

  take(worker: Worker, message: number, nowSec: number): void {
    this.#settle(nowSec);
    worker.held.push(message);
    this.#busy += 1;
    this.#busyServing += 1;
  }

  /** With its last message a worker that drains goes. */
  finish(worker: Worker, message: number, nowSec: number): void {
    this.#settle(nowSec);
    worker.held.splice(worker.held.indexOf(message), 1);
    worker.finished += 1;
    this.#busy -= 1;
    if (worker.stage === "serving") this.#busyServing -= 1;
    if (worker.stage === "draining" && worker.held.length === 0) this.#leave(worker);
  }

  /** Takes nothing more, and goes as soon as it is idle. */
  stop(worker: Worker, nowSec: number): void {
    this.#settle(nowSec);
    this.#live.splice(this.#live.indexOf(worker), 1);
    if (worker.stage === "starting") this.#starting -= 1;
    this.#busyServing -= worker.held.length;
    worker.stage = worker.held.length > 0 ? "draining" : "gone";
    if (worker.stage === "draining") this.#draining.add(worker);
  }

  /** Goes at once. @returns the messages that it held */
  kill(worker: Worker, nowSec: number): readonly number[] {
    if (worker.stage !== "draining") this.stop(worker, nowSec);
    this.#settle(nowSec);
    const held = worker.held.splice(0);
    this.#busy -= held.length;
    this.#leave(worker);
    return held;
  }

  #leave(worker: Worker): void {
    this.#draining.delete(worker);
    worker.stage = "gone";
  }

  #settle(nowSec: number): void {
    const sec = nowSec - this.#atSec;
    if (sec === 0) return;
    this.#atSec = nowSec;
    this.#workerSec += (this.#live.length + this.#draining.size) * sec;
    this.#servingSlotSec += this.serving * this.#slots * sec;
    this.#busySlotSec += this.#busyServing * sec;
  }
}

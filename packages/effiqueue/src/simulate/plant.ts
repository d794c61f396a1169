/**
 * The world of a policy as a discrete-event simulation: one queue in order of arrival, workers that take from it, and time that
 * jumps from one event to the next. DESIGN 13.1. Pure.
 */
import { Heap } from "./heap.ts";
import type { Load } from "./load.ts";
import { type PlantOptions, scriptedSpeed, speedOf } from "./plant-options.ts";
import { type Random, seeded } from "./random.ts";
import { Work } from "./work.ts";
import { type Worker, Workers } from "./workers.ts";

/** Who goes first when the pool shrinks: starting workers before all others, then by age; `idle`: nobody who works. */
export type StopOrder = "oldest" | "newest" | "idle";

export class Plant {
  readonly options: PlantOptions;
  readonly workers: Workers;
  /** Of each message, seconds; NaN: not yet. */
  readonly startedAt: Float64Array;
  readonly doneAt: Float64Array;
  /** Messages in the order in which they were done; as many as are finished. */
  readonly doneOrder: Int32Array;
  readonly endSec: number;
  nowSec = 0;
  finished = 0;
  redelivered = 0;
  crashes = 0;
  /** Workers sent away for their own sake. */
  replaced = 0;
  /** Called when a live worker has gone unasked. */
  onLoss: () => void = () => undefined;

  readonly #load: Load;
  readonly #work = new Work();
  readonly #alarms = new Heap();
  readonly #calls = new Map<number, () => void>();
  #lastCall = 0;
  readonly #chance: Random;
  /** The queue: what was put back, oldest first, then the arrivals from `#head` on. */
  readonly #putBack: number[] = [];
  #head = 0;
  #arrived = 0;
  #script = 1;
  #crowding = 1;

  constructor(load: Load, options: PlantOptions, seed: number) {
    this.#load = load;
    this.options = options;
    this.workers = new Workers(options.slots);
    this.startedAt = new Float64Array(load.arrivesAt.length).fill(Number.NaN);
    this.doneAt = new Float64Array(load.arrivesAt.length).fill(Number.NaN);
    this.doneOrder = new Int32Array(load.arrivesAt.length);
    this.endSec = load.lengthSec + options.quietSec;
    this.#chance = seeded("workers", seed);
    for (let i = 0; i < options.initialWorkers; i++) this.#serve(this.workers.start(0));
    this.at(options.kneeUntilSec, () => this.#changeSpeed());
    for (const { fromSec } of options.speed) this.at(fromSec, () => this.#followScript());
    this.#followScript();
  }

  get waiting(): number {
    return this.#putBack.length + this.#arrived - this.#head;
  }

  /** Messages that ever came. */
  get arrived(): number {
    return this.#arrived;
  }

  /** Of the message that waits first; 0 when none waits. */
  get oldestAgeSec(): number {
    if (this.waiting === 0) return 0;
    return this.nowSec - (this.#load.arrivesAt[this.#putBack[0] ?? this.#head] ?? this.nowSec);
  }

  /** Has something called at an instant that is not over. What is due at the same one is called in no particular order. */
  at(sec: number, call: () => void): void {
    this.#calls.set(++this.#lastCall, call);
    this.#alarms.push(sec, this.#lastCall, 0);
  }

  /** Lives through all of it. */
  run(): void {
    const { arrivesAt } = this.#load;
    for (;;) {
      const arrival = arrivesAt[this.#arrived] ?? Number.POSITIVE_INFINITY;
      const end = this.#work.nextAtSec;
      const alarm = this.#alarms.key;
      const next = Math.min(arrival, end, alarm);
      if (next > this.endSec) break;
      if (next === end) this.#finish();
      else {
        this.nowSec = next;
        if (next === arrival) {
          this.#arrived += 1;
          if (this.workers.free > 0) this.#handOut();
        } else this.#ring();
      }
    }
    this.nowSec = this.endSec;
  }

  /** Starts and stops until `wanted` workers start or serve, as far as the order of stopping allows. */
  resize(wanted: number, order: StopOrder): void {
    const { live } = this.workers;
    while (live.length < wanted) this.#start();
    while (live.length > wanted) {
      const victim = this.#victim(order);
      if (victim === undefined) break;
      this.#stop(victim);
    }
  }

  /** Sends a worker away as the daemon does for its own sake (DESIGN 4.10): none while others start or leave. @returns whether it goes */
  replace(id: number | undefined): boolean {
    const { live, draining, starting } = this.workers;
    const worker = live.find((each) => each.id === id);
    if (worker === undefined || starting > 0 || draining.size > 0) return false;
    this.#stop(worker);
    this.replaced += 1;
    return true;
  }

  /** Its messages go back to where they were in the queue. */
  kill(worker: Worker): void {
    const wasLive = worker.stage !== "draining";
    const held = this.workers.kill(worker, this.nowSec);
    for (const message of held) this.startedAt[message] = Number.NaN;
    this.redelivered += held.length;
    this.#putBack.push(...held);
    this.#putBack.sort((a, b) => a - b);
    this.#changeSpeed();
    this.#handOut();
    if (!wasLive) return;
    this.crashes += 1;
    this.onLoss();
  }

  /** Too little memory slows everything down. */
  crowd(speed: number): void {
    if (speed === this.#crowding) return;
    this.#crowding = speed;
    this.#changeSpeed();
  }

  #ring(): void {
    const number = this.#alarms.first;
    const call = this.#calls.get(number);
    this.#calls.delete(number);
    this.#alarms.pop();
    call?.();
  }

  #start(): void {
    const { startupSec, startupSpread } = this.options;
    const worker = this.workers.start(this.nowSec);
    this.at(this.nowSec + startupSec * (1 + startupSpread * (2 * this.#chance.next() - 1)), () => {
      if (worker.stage !== "starting") return;
      this.#serve(worker);
      this.#handOut();
    });
  }

  #serve(worker: Worker): void {
    this.workers.serve(worker, this.nowSec);
    const { crashEverySec } = this.options;
    if (crashEverySec === Number.POSITIVE_INFINITY) return;
    this.at(this.nowSec + crashEverySec * this.#chance.exponential(), () => {
      if (worker.stage !== "gone") this.kill(worker);
    });
  }

  #victim(order: StopOrder): Worker | undefined {
    const { live } = this.workers;
    const starting = live.findLast(({ stage }) => stage === "starting");
    if (starting !== undefined) return starting;
    if (order === "idle") return live.findLast(({ held }) => held.length === 0);
    return order === "oldest" ? live[0] : live.at(-1);
  }

  #stop(worker: Worker): void {
    this.workers.stop(worker, this.nowSec);
    if (worker.stage !== "draining") return;
    this.at(this.nowSec + this.options.drainTimeoutSec, () => {
      if (worker.stage === "draining") this.kill(worker);
    });
  }

  #handOut(): void {
    if (this.waiting === 0) return;
    this.#work.advance(this.nowSec);
    for (let worker = this.#nextFree(); worker !== undefined; worker = this.#nextFree()) this.#begin(worker);
    this.#run();
  }

  #nextFree(): Worker | undefined {
    return this.waiting > 0 && this.workers.free > 0 ? this.workers.nextFree() : undefined;
  }

  #begin(worker: Worker): void {
    const message = this.#putBack.length > 0 ? (this.#putBack.shift() ?? 0) : this.#head++;
    this.workers.take(worker, message, this.nowSec);
    this.startedAt[message] = this.nowSec;
    this.#work.begin(this.#load.work[message] ?? 0, message, worker.id);
  }

  #finish(): void {
    const { nextMessage: message, nextWorker, nextAtSec } = this.#work;
    const worker = this.workers.byId(nextWorker);
    this.#work.end();
    // Killed meanwhile, and the message with it.
    if (worker === undefined || worker.stage === "gone") return;
    this.nowSec = nextAtSec;
    this.doneAt[message] = this.nowSec;
    this.doneOrder[this.finished++] = message;
    this.workers.finish(worker, message, this.nowSec);
    if (worker.stage === "serving" && this.waiting > 0) this.#begin(worker);
    this.#run();
  }

  #followScript(): void {
    this.#script = scriptedSpeed(this.options.speed, this.nowSec);
    this.#changeSpeed();
  }

  #changeSpeed(): void {
    this.#work.advance(this.nowSec);
    this.#run();
  }

  /** As fast as script, knee and memory let it. */
  #run(): void {
    const { knee, kneeUntilSec } = this.options;
    const held = this.nowSec < kneeUntilSec ? speedOf(knee, this.workers.busy) : 1;
    this.#work.runAt(this.#script * held * this.#crowding);
  }
}

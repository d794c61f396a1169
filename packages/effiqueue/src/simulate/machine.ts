/**
 * The memory of the simulated machine: workers that grow and leak, and what happens when they do not fit. DESIGN 13.2. Pure.
 */
import type { MemoryReading } from "../model/observation.ts";
import type { Plant } from "./plant.ts";
import type { PlantMemory } from "./plant-options.ts";
import type { Worker } from "./workers.ts";

/** Seconds from look to look: memory moves slowly beside messages. */
const LOOK_SEC = 1;

export class Machine {
  readonly #plant: Plant;
  readonly #memory: PlantMemory;
  peakBytes = 0;
  /** Seconds in which more was in use than there is. */
  overSec = 0;
  killed = 0;

  constructor(plant: Plant, memory: PlantMemory) {
    this.#plant = plant;
    this.#memory = memory;
    plant.at(LOOK_SEC, () => this.#look());
  }

  /** What a probe on this machine finds. */
  reading(): MemoryReading {
    const { totalBytes, swapBytes } = this.#memory;
    const { live, draining } = this.#plant.workers;
    const workers = [...live, ...draining].map((worker) => ({
      pid: worker.id,
      ageSec: this.#plant.nowSec - worker.bornAtSec,
      bytes: this.#bytesOf(worker),
    }));
    const sizes = workers.map(({ bytes }) => bytes);
    const poolBytes = sum(sizes);
    const inUse = this.#memory.otherBytes + poolBytes;
    return {
      totalBytes,
      usedBytes: Math.min(inUse, totalBytes),
      poolBytes,
      largestWorkerBytes: Math.max(0, ...sizes),
      workers,
      swapUsedBytes: Math.min(swapBytes, Math.max(0, inUse - totalBytes)),
      swapTotalBytes: swapBytes,
    };
  }

  #look(): void {
    const { totalBytes, otherBytes, crowdedSpeed, killAt } = this.#memory;
    const { live, draining } = this.#plant.workers;
    let inUse = otherBytes;
    for (const worker of live) inUse += this.#bytesOf(worker);
    for (const worker of draining) inUse += this.#bytesOf(worker);
    this.peakBytes = Math.max(this.peakBytes, inUse);
    if (inUse > totalBytes) this.overSec += LOOK_SEC;
    const [first, ...others] = live;
    if (inUse > totalBytes * killAt && first !== undefined) {
      this.killed += 1;
      this.#plant.kill(others.reduce((a, b) => (this.#bytesOf(b) > this.#bytesOf(a) ? b : a), first));
    }
    this.#plant.crowd(inUse > totalBytes ? crowdedSpeed : 1);
    this.#plant.at(this.#plant.nowSec + LOOK_SEC, () => this.#look());
  }

  #bytesOf({ bornAtSec, finished }: Worker): number {
    const { youngBytes, grownBytes, growSec, leakBytesPerMessage } = this.#memory;
    const grown = 1 - Math.exp(-(this.#plant.nowSec - bornAtSec) / growSec);
    return youngBytes + (grownBytes - youngBytes) * grown + leakBytesPerMessage * finished;
  }
}

const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);

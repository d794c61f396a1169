/**
 * What can be read of the simulated queue: as RabbitMQ tells it, with totals and rates that are some seconds old, and with
 * readings that are wrong or fail. DESIGN 13.2. Pure.
 */
import type { QueueReading } from "../model/observation.ts";
import type { Plant } from "./plant.ts";
import { type Random, seeded } from "./random.ts";

/** `full`: as the daemon reads RabbitMQ. `counts`: depth and nothing else, exact and now, as of a table or a list. */
export type Sight = "full" | "counts";

interface Sample {
  readonly atSec: number;
  readonly counts: { readonly ready: number; readonly unacked: number };
  readonly totals: { readonly ackedTotal: number; readonly publishedTotal: number };
  readonly rates: { readonly ackRate: number; readonly publishRate: number };
}

export class Broker {
  readonly #plant: Plant;
  readonly #chance: Random;
  #sample: Sample | null = null;

  constructor(plant: Plant, seed: number) {
    this.#plant = plant;
    this.#chance = seeded("broker", seed);
    const { sampleSec } = plant.options.broker;
    // The phase of its samples against our polls is nobody's choice.
    const first = sampleSec * (0.1 + 0.8 * this.#chance.next());
    plant.at(first, () => this.#take());
  }

  /** @returns `null` when it cannot be read */
  read(sight: Sight): QueueReading | null {
    const { nowSec } = this.#plant;
    const { missShare, outages, counts } = this.#plant.options.broker;
    const isOut = outages.some(([from, to]) => nowSec >= from && nowSec < to);
    if (isOut || (missShare > 0 && this.#chance.next() < missShare)) return null;
    if (sight === "counts") return this.#counts();
    const sample = this.#sample;
    if (sample === null) return counts === "live" ? this.#counts() : null;
    const seen = counts === "live" ? this.#counts() : sample.counts;
    const consumers = this.#plant.workers.serving * this.#plant.options.slots;
    const age = this.#plant.options.broker.tellsAge ? { oldestAgeSec: this.#plant.oldestAgeSec } : {};
    return { ...seen, ...age, ...sample.totals, ...sample.rates, consumers };
  }

  #counts(): Sample["counts"] & { readonly unackedByDraining: number } {
    const { waiting, workers, options } = this.#plant;
    const pushed = Math.min(waiting, workers.serving * options.broker.prefetch);
    return {
      ready: Math.round(this.#noisy(waiting - pushed)),
      unacked: workers.busy + pushed,
      unackedByDraining: workers.busyOfDraining,
    };
  }

  #take(): void {
    const { nowSec, finished: ackedTotal, arrived: publishedTotal, options } = this.#plant;
    const { atSec, totals: before } = this.#sample ?? { atSec: 0, totals: { ackedTotal: 0, publishedTotal: 0 } };
    const rate = (now: number, then: number): number => this.#noisy((now - then) / (nowSec - atSec));
    this.#sample = {
      atSec: nowSec,
      counts: this.#counts(),
      totals: { ackedTotal, publishedTotal },
      rates: {
        ackRate: rate(ackedTotal, before.ackedTotal),
        publishRate: rate(publishedTotal, before.publishedTotal),
      },
    };
    this.#plant.at(nowSec + options.broker.sampleSec, () => this.#take());
  }

  #noisy(value: number): number {
    const { noise } = this.#plant.options.broker;
    return noise === 0 ? value : Math.max(0, value * (1 + noise * this.#chance.normal()));
  }
}

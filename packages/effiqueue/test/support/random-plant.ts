/**
 * A queue and its workers, message by message, as a broker shows them: for tests that ask whether an estimate is true. It obeys
 * whoever sets the number of workers, and looks at nothing of the policy.
 */
import type { QueueReading } from "../../src/decide/index.ts";

/** Numbers in [0, 1), the same for the same seed. */
export type Chance = () => number;

export interface PlantLaw {
  /** Messages/s arriving. */
  readonly lambda: number;
  /** Messages that arrive at the same moment: 1 is a Poisson process. */
  readonly burst: number;
  /** Messages/s of one worker that has work. */
  readonly mu: number;
  /** Spread of service times, their standard deviation over their mean: 0 all the same, 1 exponential. */
  readonly serviceCv: number;
  /** Messages that a worker finishes before it acknowledges them together. */
  readonly ackBatch: number;
  /** Messages handed to a worker at most; 1: one after the other. */
  readonly prefetch: number;
  /** Seconds between two counts of the broker; 0: it counts when it is asked. */
  readonly statsSec: number;
  /** Standard deviation of each rate it tells, as a share of the rate. */
  readonly noise: number;
  /** Messages waiting at the beginning. */
  readonly backlog: number;
}

interface Worker {
  doneAt: number;
  isLeaving: boolean;
  /** Finished, not acknowledged. */
  unacked: number;
}

interface Count {
  readonly atSec: number;
  readonly acked: number;
  readonly published: number;
  readonly ackRate: number;
  readonly publishRate: number;
}

export class RandomPlant {
  readonly #law: PlantLaw;
  readonly #chance: Chance;
  #mu: number;
  #lambda: number;
  #now = 0;
  #nextArrival: number;
  #nextCount: number;
  #waiting: number;
  #acked = 0;
  #published: number;
  #workers: Worker[] = [];
  #count: Count;

  constructor(law: PlantLaw, chance: Chance) {
    this.#law = law;
    this.#chance = chance;
    this.#mu = law.mu;
    this.#lambda = law.lambda;
    this.#waiting = law.backlog;
    this.#published = law.backlog;
    this.#nextArrival = this.#gap();
    this.#nextCount = law.statsSec * chance();
    this.#count = { atSec: 0, acked: 0, published: this.#published, ackRate: 0, publishRate: 0 };
  }

  get serving(): number {
    return this.#workers.filter(({ isLeaving }) => !isLeaving).length;
  }

  get draining(): number {
    return this.#workers.length - this.serving;
  }

  /** From now on a worker does so many messages/s; what is in work is finished as it began. */
  set mu(perSec: number) {
    this.#mu = perSec;
  }

  /** From now on so many messages/s arrive. */
  set lambda(perSec: number) {
    this.#lambda = perSec;
    this.#nextArrival = this.#now + this.#gap();
  }

  /** New workers serve at once; those that go finish what they have. */
  set workers(wanted: number) {
    for (let n = this.serving; n < wanted; n += 1) {
      this.#workers.push({ doneAt: Number.POSITIVE_INFINITY, isLeaving: false, unacked: 0 });
    }
    for (const worker of this.#workers.slice(0, Math.max(0, this.serving - wanted))) worker.isLeaving = true;
    for (const worker of this.#workers) if (isIdle(worker)) this.#next(worker);
    this.#dismiss();
  }

  advance(sec: number): void {
    const end = this.#now + sec;
    for (;;) {
      const first = this.#firstDone();
      this.#now = Math.min(end, first?.doneAt ?? end, this.#nextArrival, this.#nextCountAt());
      if (this.#now === end) return;
      if (this.#now === this.#nextCountAt()) this.#takeCount();
      else if (this.#now === this.#nextArrival) this.#arrive();
      else if (first !== null) this.#finish(first);
    }
  }

  /** Everything a broker counts; `rates: false`: only what waits, as a passive declare tells. */
  reading({ rates = true }: { rates?: boolean } = {}): QueueReading {
    const handedOut = Math.min(this.#waiting, this.serving * (this.#law.prefetch - 1));
    if (!rates) return { ready: this.#waiting - handedOut, unacked: null };
    if (this.#law.statsSec === 0) this.#takeCount();
    const { acked, published, ackRate, publishRate } = this.#count;
    const inHand = this.#workers.reduce((sum, { doneAt, unacked }) => sum + unacked + (doneAt < Infinity ? 1 : 0), 0);
    return {
      ready: this.#waiting - handedOut,
      unacked: handedOut + inHand,
      ackedTotal: acked,
      publishedTotal: published,
      ackRate,
      publishRate,
    };
  }

  #nextCountAt(): number {
    return this.#law.statsSec === 0 ? Number.POSITIVE_INFINITY : this.#nextCount;
  }

  #takeCount(): void {
    const { acked, published, atSec } = this.#count;
    const sec = this.#now - atSec;
    const rate = (messages: number) =>
      sec > 0 ? Math.max(0, (messages / sec) * (1 + this.#law.noise * this.#normal())) : 0;
    this.#count = {
      atSec: this.#now,
      acked: this.#acked,
      published: this.#published,
      ackRate: rate(this.#acked - acked),
      publishRate: rate(this.#published - published),
    };
    this.#nextCount = this.#now + this.#law.statsSec;
  }

  #firstDone(): Worker | null {
    let first: Worker | null = null;
    for (const worker of this.#workers) if (first === null || worker.doneAt < first.doneAt) first = worker;
    return first;
  }

  #arrive(): void {
    const someWereIdle = this.#waiting === 0;
    this.#waiting += this.#law.burst;
    this.#published += this.#law.burst;
    this.#nextArrival = this.#now + this.#gap();
    if (someWereIdle) for (const worker of this.#workers) if (isIdle(worker)) this.#next(worker);
  }

  #finish(worker: Worker): void {
    worker.doneAt = Number.POSITIVE_INFINITY;
    worker.unacked += 1;
    if (worker.unacked >= this.#law.ackBatch || worker.isLeaving) {
      this.#acked += worker.unacked;
      worker.unacked = 0;
    }
    if (worker.isLeaving) this.#dismiss();
    else this.#next(worker);
  }

  #next(worker: Worker): void {
    if (this.#waiting === 0) return;
    this.#waiting -= 1;
    worker.doneAt = this.#now + this.#service();
  }

  /** Whoever leaves and has nothing in work is gone, and what it had finished is acknowledged. */
  #dismiss(): void {
    const gone = this.#workers.filter(({ isLeaving, doneAt }) => isLeaving && doneAt === Number.POSITIVE_INFINITY);
    for (const { unacked } of gone) this.#acked += unacked;
    this.#workers = this.#workers.filter((worker) => !gone.includes(worker));
  }

  #gap(): number {
    if (this.#lambda === 0) return Number.POSITIVE_INFINITY;
    return (-Math.log(1 - this.#chance()) * this.#law.burst) / this.#lambda;
  }

  /** Uniform while that is positive, as it costs least; else log-normal, which is of any spread. */
  #service(): number {
    const { serviceCv } = this.#law;
    if (serviceCv < MOST_UNIFORM) return (1 + Math.sqrt(3) * serviceCv * (2 * this.#chance() - 1)) / this.#mu;
    const variance = Math.log(1 + serviceCv ** 2);
    return Math.exp(Math.sqrt(variance) * this.#normal() - variance / 2) / this.#mu;
  }

  #normal(): number {
    return Math.sqrt(-2 * Math.log(1 - this.#chance())) * Math.cos(2 * Math.PI * this.#chance());
  }
}

/** Times from next to nothing to twice the mean. */
const MOST_UNIFORM = 0.57;

const isIdle = ({ isLeaving, doneAt }: Worker): boolean => !isLeaving && doneAt === Number.POSITIVE_INFINITY;

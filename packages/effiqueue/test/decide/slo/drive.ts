/** Drives `step` as a loop would: frozen inputs, state through JSON, a plant that obeys. */
import {
  initialState,
  type MemoryReading,
  type Observation,
  type ProgramConfig,
  type ProgramDecision,
  programConfig,
  type QueueReading,
  type State,
  step,
} from "../../../src/decide/index.ts";

export const MB = 1024 ** 2;
export const GB = 1024 ** 3;

/** A program with an SLO of 60 s and at most 20 workers, unless told otherwise. */
export function program(options: object = {}): ProgramConfig {
  return programConfig({
    command: "worker",
    queueConnection: "amqp://localhost",
    queueName: "q",
    sloDrainTime: 60,
    maxWorkers: 20,
    ...options,
  });
}

const memory = (reading: Partial<MemoryReading> = {}): MemoryReading => ({
  totalBytes: 64 * GB,
  usedBytes: 8 * GB,
  poolBytes: 0,
  largestWorkerBytes: 0,
  swapUsedBytes: 0,
  swapTotalBytes: 0,
  ...reading,
});

export interface Seen {
  readonly dtSec?: number;
  readonly queue?: Partial<QueueReading> | null;
  readonly serving?: number;
  readonly starting?: number;
  readonly draining?: number;
  readonly memory?: Partial<MemoryReading>;
  readonly budgetBytes?: number;
  readonly interference?: boolean;
  readonly oomKills?: number;
  /** Of the processors. */
  readonly busyShare?: number;
}

export function observation(seen: Seen): Observation {
  return {
    dtSec: seen.dtSec ?? 10,
    queue: seen.queue === null ? null : { ready: 0, unacked: 0, ...seen.queue },
    workers: { starting: seen.starting ?? 0, serving: seen.serving ?? 0, draining: seen.draining ?? 0 },
    memory: memory(seen.memory),
    budgetBytes: seen.budgetBytes,
    interference: seen.interference,
    ...(seen.oomKills === undefined ? {} : { oomKills: seen.oomKills }),
    cpus: seen.busyShare === undefined ? undefined : { count: 2, busyShare: seen.busyShare, limitedBy: "host" },
  };
}

export function frozen<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(frozen);
  }
  return value;
}

/** A program at work: every tick gets what it sees, and answers what it decided. */
export class Driver {
  readonly program: ProgramConfig;
  state: State;

  constructor(options: object = {}) {
    this.program = frozen(program(options));
    this.state = initialState(this.program);
  }

  tick(seen: Seen): ProgramDecision {
    const { state, decision } = step(this.program, frozen(this.state), frozen(observation(seen)));
    this.state = JSON.parse(JSON.stringify(state)) as State;
    return decision;
  }

  /** The same for several ticks; the last decision. */
  ticks(count: number, seen: Seen | ((tick: number) => Seen)): ProgramDecision {
    let decision = this.tick(typeof seen === "function" ? seen(0) : seen);
    for (let i = 1; i < count; i += 1) decision = this.tick(typeof seen === "function" ? seen(i) : seen);
    return decision;
  }

  /** The same with a pool that is what was decided, from `serving` on. */
  follow(serving: number, count: number, seen: (tick: number, serving: number) => Seen): ProgramDecision {
    let decision = this.tick({ ...seen(0, serving), serving });
    for (let i = 1; i < count; i += 1) {
      decision = this.tick({ ...seen(i, decision.desired), serving: decision.desired });
    }
    return decision;
  }
}

/** What a broker says of `n` workers that are saturated, at its `at`th news. */
export function busy({ n, mu, lambda, ready }: { n: number; mu: number; lambda: number; ready: number }, at = 0): Seen {
  return {
    serving: n,
    queue: {
      ready,
      unacked: n,
      ackRate: mu * n,
      publishRate: lambda,
      ackedTotal: 10_000 + 1_000 * at,
      publishedTotal: 20_000 + 1_000 * at,
    },
  };
}

/** Numbers in [0, 1) that look like chance and are the same every time (mulberry32). */
export function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

import { describe, expect, it } from "vitest";
import type { ProgramDecision } from "../../../src/decide/index.ts";
import { chance, Driver, type Seen } from "./drive.ts";

/** The seed's rules of one tick, written down a second time, with the two exceptions that DESIGN 2.6 makes to its dead zone. */
class Seed {
  readonly #limits: { min: number; max: number; hysteresis: number; cooldown: number; spike: number };
  #sinceChange = Number.POSITIVE_INFINITY;
  #surplus = 0;

  constructor(limits: { min: number; max: number; hysteresis: number; cooldown: number; spike: number }) {
    this.#limits = limits;
  }

  /** A tick before the rates were known. */
  bootstrapped(isChange: boolean): void {
    this.#sinceChange = isChange ? 0 : this.#sinceChange + 1;
  }

  next(running: number, backlog: number, unacked: number, needed: number, capacity: number): number {
    const { min, max, hysteresis, cooldown, spike } = this.#limits;
    this.#sinceChange += 1;
    const target = Math.min(max, Math.max(min, Math.min(needed, capacity), unacked > 0 ? Math.min(1, running) : 0));
    this.#surplus = target < running ? this.#surplus + 1 : 0;
    if (target === running) return running;
    if (running > 0) {
      const isNothingToDo = backlog === 0 && needed === 0;
      const isStanding = target < running && this.#surplus >= 12;
      if (Math.abs(needed - running) <= hysteresis && !isNothingToDo && !isStanding) return running;
      const isSpike = target > running && backlog > spike;
      if (this.#sinceChange < cooldown && !isSpike) return running;
    }
    this.#sinceChange = 0;
    this.#surplus = 0;
    return target > running ? running + 1 : running - 1;
  }
}

const LIMITS = [
  { min: 0, max: 20, hysteresis: 1, cooldown: 2, spike: 1_000 },
  { min: 2, max: 12, hysteresis: 0, cooldown: 0, spike: 1_000 },
  { min: 1, max: 30, hysteresis: 3, cooldown: 5, spike: 200 },
  { min: 0, max: 8, hysteresis: 1, cooldown: 3, spike: 100_000 },
] as const;

/** A queue whose load changes now and then, and a pool that obeys: what was seen at each tick, and what was decided. */
function transcript(limits: (typeof LIMITS)[number], seed: number): { seen: Seen; decision: ProgramDecision }[] {
  const random = chance(seed);
  const { min, max, hysteresis, cooldown, spike } = limits;
  const driver = new Driver({
    minWorkers: min,
    maxWorkers: max,
    hysteresis,
    cooldownTicks: cooldown,
    spikeBacklog: spike,
    maxStep: 1,
    sloDrainTime: 120,
  });
  const mu = 1 + Math.floor(random() * 8);
  let lambda = mu * max * 0.3;
  let waiting = 200;
  let serving = Math.max(1, min);
  let [arrived, done] = [1_000, 800];
  const ticks: { seen: Seen; decision: ProgramDecision }[] = [];
  let ackRate = mu * serving;
  for (let tick = 0; tick < 400; tick += 1) {
    if (random() < 0.04) lambda = mu * max * random() * random() * 1.3;
    if (random() < 0.02) waiting += Math.floor(random() * 3_000);
    const unacked = Math.min(serving, waiting);
    const seen: Seen = {
      serving,
      queue: {
        ready: waiting - unacked,
        unacked,
        ackRate,
        publishRate: Math.round(lambda * 10) / 10,
        ackedTotal: done,
        publishedTotal: arrived,
      },
    };
    const decision = driver.tick(seen);
    ticks.push({ seen, decision });
    serving = decision.desired;
    const came = Math.round(lambda * 10);
    const did = Math.min(waiting + came, mu * serving * 10);
    waiting += came - did;
    arrived += came;
    done += did;
    ackRate = did / 10;
  }
  return ticks;
}

describe("DESIGN 2.6: max_step = 1 is the seed, tick for tick", () => {
  const rows = LIMITS.flatMap((limits) => [1, 2, 3, 4, 5].map((seed) => ({ limits, seed })));

  it.each(rows)("with $limits on load $seed", ({ limits, seed }) => {
    const oracle = new Seed(limits);
    let compared = 0;
    for (const { seen, decision } of transcript(limits, seed)) {
      const { needed, mu, lambda, capacity, current, desired } = decision;
      if (needed === null || mu === null || lambda === null) {
        oracle.bootstrapped(desired !== current);
        continue;
      }
      const { ready = 0, unacked } = seen.queue ?? {};
      const backlog = ready + (unacked ?? 0);
      const work = backlog + lambda * 120;
      expect(needed).toBe(Math.min(Math.ceil(work / (mu * 120) - 1e-9), Math.ceil(work - 1e-9)));
      const expected = oracle.next(current, backlog, unacked ?? 0, needed, capacity);
      expect({ tick: compared, desired, why: decision.rationale }).toMatchObject({ desired: expected });
      compared += 1;
    }
    expect(compared).toBeGreaterThan(300);
  });
});

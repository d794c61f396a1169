import fc from "fast-check";
import { describe, it } from "vitest";
import { type BudgetClaim, sharedBudget } from "../../src/decide/index.ts";
import { chance } from "./slo/drive.ts";

const policy = sharedBudget({ ramBudgetBytes: 0 });

/** A pool that does what its capacity and step allow; what it stops takes some rounds to go. */
class Pool {
  readonly workerBytes: number;
  readonly floor: number;
  wants: number;
  live: number;
  draining: number[] = [];

  constructor({
    workerBytes,
    floor,
    wants,
    live,
  }: { workerBytes: number; floor: number; wants: number; live: number }) {
    this.workerBytes = workerBytes;
    this.floor = floor;
    this.wants = Math.max(wants, floor);
    this.live = live;
  }

  get held(): number {
    return (this.live + this.draining.length) * this.workerBytes;
  }

  claim(): BudgetClaim {
    const { live: workers, workerBytes, floor, wants: wanted } = this;
    return { workers, draining: this.draining.length, workerBytes, wanted, floor };
  }

  age(): void {
    this.draining = this.draining.flatMap((rounds) => (rounds > 0 ? [rounds - 1] : []));
  }

  /** As `capacityOf` and the step of the policy do it. True if it changed. */
  decide(bytes: number, random: () => number): boolean {
    const capacity = Math.max(1, Math.floor(bytes / this.workerBytes) - this.draining.length);
    const target = Math.max(this.floor, Math.min(this.wants, capacity));
    const most = 1 + Math.floor(random() * 4);
    const next = target > this.live ? Math.min(target, this.live + most) : Math.max(target, this.live - most);
    for (let i = next; i < this.live; i += 1) this.draining.push(Math.floor(random() * 5));
    const changed = next !== this.live;
    this.live = next;
    return changed;
  }
}

const spec = fc.record({
  workerBytes: fc.integer({ min: 1, max: 50 }),
  floor: fc.integer({ min: 0, max: 3 }),
  wants: fc.integer({ min: 0, max: 40 }),
  live: fc.integer({ min: 0, max: 40 }),
});
const scene = fc.record({
  budget: fc.integer({ min: 0, max: 1_000 }),
  specs: fc.array(spec, { minLength: 1, maxLength: 5 }),
  seed: fc.integer(),
});

/** The first kept from the second what it had coming, the second from the first, and the third gave nothing back. */
const BLOCKED_BY_EACH_OTHER = {
  budget: 31,
  specs: [
    { workerBytes: 4, floor: 0, wants: 5, live: 0 },
    { workerBytes: 1, floor: 0, wants: 3, live: 0 },
    { workerBytes: 1, floor: 0, wants: 14, live: 14 },
  ],
  seed: 1018199429,
};

interface Round {
  readonly pools: readonly Pool[];
  readonly claims: () => readonly BudgetClaim[];
}

/** Every pool decides once, in an order of chance. True if any changed. */
function round({ pools, claims }: Round, budget: number, random: () => number, seen: (pool: Pool) => void): boolean {
  let changed = false;
  const order = pools.map((_, i) => i).sort(() => random() - 0.5);
  for (const i of order) {
    const pool = pools[i];
    if (pool === undefined) continue;
    const before = pool.live;
    pool.age();
    changed = pool.decide(policy.shareBytes(budget, claims(), i), random) || changed;
    if (pool.live > before) seen(pool);
  }
  return changed;
}

function stage(specs: readonly ConstructorParameters<typeof Pool>[0][]): Round {
  const pools = specs.map((each) => new Pool(each));
  return { pools, claims: () => pools.map((pool) => pool.claim()) };
}

/** Enough for pools of forty that move one worker in five rounds. */
const ROUNDS = 120;
const heldBy = (pools: readonly Pool[]): number => pools.reduce((sum, { held }) => sum + held, 0);

describe("DESIGN 7.8: programs that share a budget", () => {
  it("never grow beyond it, save for a floor or the first worker of an empty pool", () => {
    fc.assert(
      fc.property(scene, ({ budget, specs, seed }) => {
        const all = stage(specs);
        const random = chance(seed);
        for (let i = 0; i < 100; i += 1) {
          round(all, budget, random, (pool) => {
            if (pool.live > Math.max(1, pool.floor) && heldBy(all.pools) > budget) {
              throw new Error(`round ${i}: ${heldBy(all.pools)} of ${budget} are held after a growth to ${pool.live}`);
            }
          });
        }
      }),
    );
  });

  it("settle under steady demands, and stay", () => {
    fc.assert(
      fc.property(scene, ({ budget, specs, seed }) => {
        const all = stage(specs);
        const random = chance(seed);
        for (let i = 0; i < ROUNDS; i += 1) round(all, budget, random, () => undefined);
        for (let i = 0; i < 20; i += 1) {
          const before = JSON.stringify(all.claims());
          if (round(all, budget, random, () => undefined)) {
            throw new Error(`still moving: ${before} -> ${JSON.stringify(all.claims())}`);
          }
        }
      }),
    );
  });

  it("leave nobody hungry who has less than its equal part, by more than one worker", () => {
    fc.assert(
      fc.property(scene, ({ budget, specs, seed }) => {
        const all = stage(specs.map((each) => ({ ...each, floor: 0 })));
        const random = chance(seed);
        for (let i = 0; i < ROUNDS; i += 1) round(all, budget, random, () => undefined);
        // A next worker may be too large for what is left, and one less is near enough.
        const largest = Math.max(...all.pools.map(({ workerBytes }) => workerBytes));
        const equal = budget / all.pools.length - largest;
        for (const { live, wants, workerBytes } of all.pools) {
          const due = Math.max(Math.min(wants, 1), Math.min(wants, Math.floor(equal / workerBytes)) - 1);
          if (live < due) throw new Error(`${live} of ${wants}, ${due} are due: ${JSON.stringify(all.claims())}`);
        }
      }),
      { examples: [[BLOCKED_BY_EACH_OTHER]] },
    );
  });

  it("find a new rest when what they want, or the budget, changes", () => {
    fc.assert(
      fc.property(scene, fc.integer({ min: 0, max: 1_000 }), fc.array(fc.nat(40)), (first, later, wants) => {
        const all = stage(first.specs);
        const random = chance(first.seed);
        for (let i = 0; i < ROUNDS; i += 1) round(all, first.budget, random, () => undefined);
        for (const [i, pool] of all.pools.entries()) pool.wants = Math.max(pool.floor, wants[i] ?? pool.wants);
        for (let i = 0; i < ROUNDS; i += 1) round(all, later, random, () => undefined);
        if (round(all, later, random, () => undefined)) throw new Error("still moving");
        const overdraft = heldBy(all.pools) - later;
        const needless = all.pools.filter(({ live, floor }) => live > Math.max(1, floor));
        if (overdraft > 0 && needless.length > 0)
          throw new Error(`over by ${overdraft}: ${JSON.stringify(all.claims())}`);
      }),
    );
  });
});

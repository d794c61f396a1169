import fc from "fast-check";
import { describe, it } from "vitest";
import { type BudgetClaim, sharedBudget } from "../../src/decide/index.ts";
import { fairShares } from "../../src/decide/shared/fair-shares.ts";
import { chance } from "./slo/drive.ts";

const policy = sharedBudget({ ramBudgetBytes: 0 });

interface PoolSpec {
  readonly workerBytes: number;
  readonly floor: number;
  readonly wants: number;
  readonly live: number;
  readonly priority: number;
  /** Share of what it wants that only keeps up with what arrives; `null`: its need is unknown. */
  readonly keepUp: number | null;
}

/** A pool that does what its capacity and step allow; what it stops takes some rounds to go. */
class Pool {
  readonly program: string;
  readonly workerBytes: number;
  readonly floor: number;
  readonly priority: number;
  readonly keepUp: number | null;
  wants: number;
  live: number;
  draining: number[] = [];

  constructor(program: string, { workerBytes, floor, wants, live, priority, keepUp }: PoolSpec) {
    this.program = program;
    this.workerBytes = workerBytes;
    this.floor = floor;
    this.priority = priority;
    this.keepUp = keepUp;
    this.wants = Math.max(wants, floor);
    this.live = live;
  }

  get held(): number {
    return (this.live + this.draining.length) * this.workerBytes;
  }

  claim(): BudgetClaim {
    const { program, priority, live: workers, workerBytes, floor, wants: wanted, keepUp } = this;
    const need = keepUp === null ? null : { needed: wanted, keepUp: keepUp * wanted };
    return { program, priority, workers, draining: this.draining.length, workerBytes, wanted, need, floor };
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
  priority: fc.integer({ min: -1, max: 1 }),
  keepUp: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
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
    { workerBytes: 4, floor: 0, wants: 5, live: 0, priority: 0, keepUp: null },
    { workerBytes: 1, floor: 0, wants: 3, live: 0, priority: 0, keepUp: null },
    { workerBytes: 1, floor: 0, wants: 14, live: 14, priority: 0, keepUp: null },
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

function stage(specs: readonly PoolSpec[]): Round {
  const pools = specs.map((each, i) => new Pool(`p${i}`, each));
  return { pools, claims: () => pools.map((pool) => pool.claim()) };
}

/** Enough for pools of forty that move one worker in five rounds. */
const ROUNDS = 120;
/** What is near enough to a share for nobody else to be stopped. */
const nearly = (share: number): number => share - Math.max(1, share / 8);
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

  it("leave nobody hungry who has less than its equal part, by more than a worker and an eighth, unless others come first", () => {
    fc.assert(
      fc.property(scene, ({ budget, specs, seed }) => {
        const all = stage(specs.map((each) => ({ ...each, floor: 0, priority: 0, keepUp: null })));
        const random = chance(seed);
        for (let i = 0; i < ROUNDS; i += 1) round(all, budget, random, () => undefined);
        // A next worker may be too large for what is left, and one less is near enough.
        const largest = Math.max(...all.pools.map(({ workerBytes }) => workerBytes));
        const equal = budget / all.pools.length - largest;
        for (const { live, wants, workerBytes } of all.pools) {
          const due = Math.max(Math.min(wants, 1), nearly(Math.min(wants, Math.floor(equal / workerBytes))));
          if (live < due) throw new Error(`${live} of ${wants}, ${due} are due: ${JSON.stringify(all.claims())}`);
        }
      }),
      { examples: [[BLOCKED_BY_EACH_OTHER]] },
    );
  });

  it("give a program that comes before all others what it would have alone, but for their floors and first workers", () => {
    fc.assert(
      fc.property(scene, ({ budget, specs, seed }) => {
        const all = stage(specs.map((each, i) => ({ ...each, priority: i === 0 ? 2 : each.priority })));
        const [first, ...others] = all.pools;
        if (first === undefined) return;
        const random = chance(seed);
        for (let i = 0; i < ROUNDS; i += 1) round(all, budget, random, () => undefined);
        const kept = others.reduce(
          (sum, { wants, floor, workerBytes }) => sum + Math.min(wants, Math.max(1, floor)) * workerBytes,
          0,
        );
        const due = Math.min(first.wants, Math.max(1, first.floor, Math.floor((budget - kept) / first.workerBytes)));
        // One worker more may never be missed.
        if (first.live < due - 1) throw new Error(`${first.live} of ${due}: ${JSON.stringify(all.claims())}`);
      }),
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

const text = (value: unknown): string => JSON.stringify(value);

describe("DESIGN 7.8: fair shares", () => {
  const claims = fc.array(spec, { minLength: 1, maxLength: 5 }).map((specs) => stage(specs).claims());
  const budget = fc.integer({ min: 0, max: 1_000 });

  it("are the same in whatever order the programs stand in the file", () => {
    fc.assert(
      fc.property(budget, claims, fc.integer(), (totalBytes, inOrder, seed) => {
        const random = chance(seed);
        const order = inOrder.map((_, i) => i).sort(() => random() - 0.5);
        const shuffled = fairShares(
          totalBytes,
          order.map((i) => inOrder[i] as BudgetClaim),
        );
        const shares = fairShares(totalBytes, inOrder);
        if (order.some((i, at) => shuffled[at] !== shares[i]))
          throw new Error(`${text(shares)} became ${text(shuffled)} by ${text(order)}`);
      }),
    );
  });

  it("of a higher priority do not depend on what a lower one wants, beyond its first worker", () => {
    fc.assert(
      fc.property(budget, claims, fc.integer({ min: 1, max: 90 }), (totalBytes, all, more) => {
        const alike = all.map((each) => ({ ...each, floor: 0 }));
        const greedy = alike.map((each) =>
          each.priority < 0 && each.wanted > 0 ? { ...each, wanted: each.wanted + more } : each,
        );
        const [before, after] = [alike, greedy].map((each) => fairShares(totalBytes, each));
        for (const [i, { priority }] of alike.entries()) {
          if (priority >= 0 && before?.[i] !== after?.[i]) throw new Error(`${text(before)} became ${text(after)}`);
        }
      }),
    );
  });

  it("leave no queue later than another whose worker it could have", () => {
    /** Multiples of the promised time; where it is never done, the more the less of what arrives is. */
    const lateness = ({ need }: BudgetClaim, workers: number): number => {
      const { needed, keepUp } = need ?? { needed: 0, keepUp: 0 };
      return workers > keepUp ? (needed - keepUp) / (workers - keepUp) : 1e9 * (2 - workers / keepUp);
    };
    fc.assert(
      fc.property(budget, claims, (totalBytes, all) => {
        const alike = all.map((each, i) => ({
          ...each,
          workerBytes: 20,
          priority: 0,
          floor: 0,
          need: { needed: each.wanted, keepUp: each.wanted * ((i + 1) / (all.length + 1)) },
        }));
        const shares = fairShares(totalBytes, alike);
        for (const [i, late] of alike.entries()) {
          for (const [k, other] of alike.entries()) {
            const [mine = 0, theirs = 0] = [shares[i], shares[k]];
            if (mine >= late.wanted || theirs <= 1) continue;
            const worse = Math.max(lateness(late, mine), lateness(other, theirs));
            const moved = Math.max(lateness(late, mine + 1), lateness(other, theirs - 1));
            if (moved < worse * (1 - 1e-9))
              throw new Error(`${text(shares)}: one of ${k} would help ${i}, ${JSON.stringify(alike)}`);
          }
        }
      }),
    );
  });
});

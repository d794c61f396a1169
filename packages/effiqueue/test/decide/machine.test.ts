/** A machine that is full gets no more workers, whatever the mode. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { initialState, type ProgramDecision, programPolicy, step, stepHpa } from "../../src/decide/index.ts";
import { Driver, GB, MB, observation, program, type Seen } from "./slo/drive.ts";

/** Modes that ask for many more workers at `flood`; without an SLO there is nothing else that memory would be asked for. */
const MODES = ["hpa", "threshold"] as const;
type Mode = (typeof MODES)[number];

const FREE = { mode: "hpa", sloDrainTime: undefined, maxWorkers: 20 };
const driver = (mode: Mode, options: object = {}): Driver => new Driver({ ...FREE, mode, ...options });

const flood = { ready: 5_000, unacked: 0 };
const worker = { largestWorkerBytes: 512 * MB };

describe.each(MODES)("DESIGN 2.19: memory as a limit in mode %s", (mode) => {
  it("keeps the pool within a budget that is set", () => {
    const seen = { queue: flood, memory: worker };
    const decision = driver(mode, { ramBudget: "2GB" }).follow(1, 20, () => seen);
    expect(decision).toMatchObject({ desired: 4, capacity: 4, boundBy: "ram", reason: "ram", workerBytes: 512 * MB });
    expect(decision.rationale).toContain("memory allows 4");
  });

  it("keeps the headroom that is set free", () => {
    const memory = { totalBytes: 8 * GB, usedBytes: 3 * GB, poolBytes: GB, ...worker };
    expect(driver(mode, { ramHeadroom: "4GB" }).tick({ serving: 2, queue: flood, memory }).capacity).toBe(4);
  });

  it("takes all that the machine has where nothing is set, and no more", () => {
    const roomy = { totalBytes: 8 * GB, usedBytes: 3 * GB, poolBytes: GB, ...worker };
    expect(driver(mode).tick({ serving: 2, queue: flood, memory: roomy })).toMatchObject({ capacity: 12 });
    const full = { ...roomy, usedBytes: 8 * GB };
    expect(driver(mode, { ramRatioCap: 1 }).tick({ serving: 2, queue: flood, memory: full })).toMatchObject({
      desired: 2,
      capacity: 2,
      boundBy: "ram",
    });
  });

  it("takes what the other programs leave of a shared budget", () => {
    const seen = { serving: 3, queue: flood, memory: worker, budgetBytes: 1.5 * GB };
    expect(driver(mode).tick(seen)).toMatchObject({ desired: 3, capacity: 3, boundBy: "ram" });
  });

  it.each<[string, Seen, string]>([
    ["swap is in use", { memory: { swapUsedBytes: 30, swapTotalBytes: 100 } }, "swap"],
    ["somebody waits for memory", { memory: { pressure: 0.2 } }, "pressure"],
    ["the kernel has just killed for want of memory", { oomKills: 1 }, "oom"],
  ])("does not grow while %s", (_, brake, boundBy) => {
    const seen = { serving: 3, queue: flood, ...brake };
    expect(driver(mode).tick(seen)).toMatchObject({ desired: 3, capacity: 3, boundBy, reason: boundBy });
    const off = { swapRatioCap: 1, memoryPressureCap: 1 };
    if (boundBy !== "oom") expect(driver(mode, off).tick(seen).desired).toBeGreaterThan(3);
  });

  it("gives workers up when the machine has become too small for them, and none while the queue cannot be read", () => {
    const seen = { serving: 8, memory: worker };
    const small = { ramBudget: "2GB" };
    expect(driver(mode, small).tick({ ...seen, queue: flood })).toMatchObject({ desired: mode === "hpa" ? 4 : 7 });
    expect(driver(mode, small).follow(8, 12, () => ({ queue: flood, memory: worker })).desired).toBe(4);
    expect(driver(mode, small).tick({ ...seen, queue: null })).toMatchObject({ desired: 8, reason: "unreadable" });
  });

  it("keeps the floor, and lets a first worker start", () => {
    const full = { ramBudget: "64MB" };
    expect(driver(mode, { ...full, minWorkers: 3 }).tick({ queue: flood, memory: worker }).desired).toBe(3);
    expect(driver(mode, full).tick({ queue: flood, memory: worker })).toMatchObject({ desired: 1, capacity: 1 });
  });

  it("remembers what a worker takes, from an earlier life too", () => {
    const policy = programPolicy(program({ ...FREE, mode, ramBudget: "2GB" }));
    const before = policy.step(policy.initialState(), observation({ serving: 1, queue: flood, memory: worker }));
    const learned = policy.learned?.(before.state);
    const known = { mu: null, lambda: null, workerBytes: 512 * MB, grownBytes: null };
    expect(learned).toEqual(known);
    const state = policy.initialState({ ...known, ageSec: 60 });
    expect(policy.step(state, observation({ queue: flood })).decision).toMatchObject({ capacity: 4 });
  });
});

describe("DESIGN 2.19: a mode that goes all the way at once", () => {
  const unseen = { queue: flood, memory: { largestWorkerBytes: 0 } };

  it("goes one at a time into a budget that is set, until a worker was measured", () => {
    const hpa = driver("hpa", { ramBudget: "4GB" });
    const first = hpa.tick(unseen);
    expect(first).toMatchObject({ desired: 1, reason: "ram" });
    expect(first.rationale).toContain("what a worker takes is not known: 1 at a time");
    expect(hpa.tick({ ...unseen, starting: 1, memory: worker })).toMatchObject({ desired: 8, capacity: 8 });
  });

  it("is as ever where none is set", () => {
    expect(driver("hpa").tick(unseen)).toMatchObject({ desired: 20, boundBy: "max_workers" });
  });

  it("says what it would have, so that a share is kept for it", () => {
    expect(driver("hpa", { ramBudget: "1GB" }).tick({ serving: 2, queue: flood, memory: worker })).toMatchObject({
      desired: 2,
      wanted: 20,
    });
  });

  it("replaces no more lost workers than fit while nobody sees the queue", () => {
    const hpa = driver("hpa", { ramBudget: "4GB" });
    hpa.tick({ serving: 8, queue: flood, memory: worker });
    const fewer = { serving: 3, queue: null, memory: worker };
    expect(hpa.tick(fewer)).toMatchObject({ desired: 8, reason: "unreadable" });
    expect(hpa.tick({ ...fewer, budgetBytes: 2 * GB })).toMatchObject({ desired: 4, reason: "ram" });
    expect(hpa.tick({ ...fewer, budgetBytes: GB })).toMatchObject({ desired: 3 });
  });
});

const TICK = fc.record({
  serving: fc.nat(12),
  draining: fc.nat(2),
  queue: fc.option(fc.record({ ready: fc.nat(400), unacked: fc.nat(40) })),
  workerMb: fc.integer({ min: 0, max: 900 }),
  usedShare: fc.double({ min: 0, max: 1, noNaN: true }),
  pressure: fc.constantFrom(null, 0, 0.05, 0.3),
  oomKills: fc.constantFrom(0, 0, 0, 1),
});

describe("DESIGN 2.19: whatever happens", () => {
  it("no mode grows beyond what fits, or shrinks while nobody sees the queue", () => {
    fc.assert(
      fc.property(fc.constantFrom(...MODES), fc.array(TICK, { minLength: 1, maxLength: 15 }), (mode, ticks) => {
        const pool = driver(mode, { minWorkers: 1, maxWorkers: 10, ramBudget: "3GB", ramRatioCap: 1 });
        for (const { workerMb, usedShare, serving, ...rest } of ticks) {
          const memory = { largestWorkerBytes: workerMb * MB, usedBytes: usedShare * 64 * GB, pressure: rest.pressure };
          const decision = pool.tick({ ...rest, serving, memory });
          const from = Math.min(Math.max(serving, 1), 10);
          expect(decision.desired).toBeGreaterThanOrEqual(1);
          expect(decision.desired).toBeLessThanOrEqual(Math.max(from, decision.capacity));
          if (rest.queue === null && serving >= 1) expect(decision.desired).toBeGreaterThanOrEqual(from);
        }
      }),
    );
  });

  it("without a reading of memory mode hpa decides as its formula does", () => {
    fc.assert(
      fc.property(fc.array(TICK, { minLength: 1, maxLength: 15 }), (ticks) => {
        const options = program({ ...FREE, minWorkers: 1, maxWorkers: 10, ramBudget: "1GB" });
        const config = {
          ...options,
          scaleUpWindowSec: options.scaleUpWindow,
          scaleDownWindowSec: options.scaleDownWindow,
        };
        let [all, alone] = [initialState(options), { history: null, target: null } as Parameters<typeof stepHpa>[1]];
        for (const { serving, draining, queue } of ticks) {
          const seen = { dtSec: 10, queue, workers: { starting: 0, serving, draining } };
          const [one, other] = [step(options, all, seen), stepHpa(config, alone, seen)];
          expect(one.decision).toMatchObject(other.decision satisfies Partial<ProgramDecision>);
          [all, alone] = [one.state, other.state];
        }
      }),
    );
  });
});

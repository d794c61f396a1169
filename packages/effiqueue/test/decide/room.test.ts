/** A machine whose memory wavers, and a pool that does not. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chance, Driver, GB, MB } from "./slo/drive.ts";

const MODES = ["hpa", "threshold"] as const;
type Mode = (typeof MODES)[number];

const TICK_SEC = 10;
const WORKER = 300 * MB;

/** A pool with work for many more than fit, of what others leave of 8 GB; workers that are told to go take some ticks. */
class Pool {
  readonly #driver: Driver;
  readonly #drainTicks: number;
  /** When each that drains has gone. */
  #draining: number[] = [];
  #tick = 0;
  workers: number;
  readonly changes: { readonly tick: number; readonly by: number }[] = [];

  constructor(mode: Mode, workers: number, drainTicks = 0) {
    this.#driver = new Driver({ sloDrainTime: undefined, mode, maxWorkers: 20, ramHeadroom: "1GB", ramRatioCap: 1 });
    this.workers = workers;
    this.#drainTicks = drainTicks;
  }

  get draining(): number {
    return this.#draining.length;
  }

  /** @param fits workers that memory has room for */
  tick(fits: number): number {
    this.#tick += 1;
    this.#draining = this.#draining.filter((until) => until > this.#tick);
    const count = this.workers + this.draining;
    const workers = Array.from({ length: count }, (_, i) => ({ pid: 100 + i, ageSec: 0, bytes: WORKER }));
    const poolBytes = count * WORKER;
    const memory = { totalBytes: 8 * GB, usedBytes: 7 * GB - fits * WORKER + poolBytes, poolBytes, workers };
    const queue = { ready: 5_000, unacked: 0 };
    const seen = { dtSec: TICK_SEC, serving: this.workers, draining: this.draining, queue, memory };
    const { desired } = this.#driver.tick({ ...seen, memory: { ...memory, largestWorkerBytes: WORKER } });
    for (let i = desired; i < this.workers; i += 1) this.#draining.push(this.#tick + this.#drainTicks);
    if (desired !== this.workers) this.changes.push({ tick: this.#tick, by: desired - this.workers });
    this.workers = desired;
    return desired;
  }

  ticks(count: number, fits: number): number {
    for (let i = 0; i < count; i += 1) this.tick(fits);
    return this.workers;
  }
}

describe.each(MODES)("DESIGN 2.21: memory that wavers, in mode %s", (mode) => {
  it("takes a worker away at once, and gives it back when there was room for half a minute, the second time for five", () => {
    const pool = new Pool(mode, 12);
    expect(pool.tick(11.9)).toBe(11);
    expect(pool.ticks(2, 12.1)).toBe(11);
    expect(pool.ticks(3, 12.1)).toBe(12);
    expect(pool.tick(11.9)).toBe(11);
    expect(pool.ticks(29, 12.1)).toBe(11);
    expect(pool.ticks(3, 12.1)).toBe(12);
  });

  it("forgets after five minutes that a worker was given back for nothing", () => {
    const pool = new Pool(mode, 12);
    pool.tick(11.9);
    expect(pool.ticks(40, 12.1)).toBe(12);
    expect(pool.tick(11.9)).toBe(11);
    expect(pool.ticks(6, 12.1)).toBe(12);
  });

  it("gives it back at once where there is room for another beside it", () => {
    const pool = new Pool(mode, 12);
    expect(pool.ticks(3, 11.9)).toBe(11);
    expect(pool.ticks(8, 13.1)).toBe(13);
  });

  it("takes nobody else while those that go are still there", () => {
    const pool = new Pool(mode, 12, 6);
    // Naive: one at each look, down to 6.
    expect(pool.ticks(6, 11.9)).toBe(11);
  });

  it("does not grow into what those that drain still hold", () => {
    const pool = new Pool(mode, 12, 6);
    pool.tick(10.9);
    const { workers, draining } = pool;
    pool.tick(11.9);
    expect(pool.workers + pool.draining).toBeLessThanOrEqual(workers + draining);
  });

  it("turns no worker back and forth: no third growth and no third loss within five minutes, however it wavers", () => {
    const wave = fc.record({
      fits: fc.double({ min: 3, max: 15, noNaN: true }),
      by: fc.double({ min: 0, max: 0.99, noNaN: true }),
      everyTicks: fc.integer({ min: 1, max: 60 }),
      seed: fc.nat(),
    });
    fc.assert(
      fc.property(wave, fc.boolean(), ({ fits, by, everyTicks, seed }, isNoise) => {
        const pool = new Pool(mode, Math.floor(fits));
        const random = chance(seed);
        for (let tick = 0; tick < 300; tick += 1) {
          const share = isNoise ? random() : Math.floor(tick / everyTicks) % 2;
          pool.tick(fits + by * share);
        }
        for (const direction of [1, -1]) {
          const ticks = pool.changes.filter((change) => Math.sign(change.by) === direction).map(({ tick }) => tick);
          for (const [i, tick] of ticks.slice(2).entries()) {
            expect(tick - (ticks[i] ?? 0)).toBeGreaterThanOrEqual(300 / TICK_SEC);
          }
        }
        for (const { by: change } of pool.changes) expect(Math.abs(change)).toBe(1);
      }),
      { numRuns: 60 },
    );
  });
});

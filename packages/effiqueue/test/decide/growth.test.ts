/** Workers that leak, told from those that are large. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { programPolicy } from "../../src/decide/index.ts";
import type { MeasuredWorker } from "../../src/model/observation.ts";
import type { Growth } from "../../src/model/recycling.ts";
import { chance, Driver, MB, observation, program } from "./slo/drive.ts";

const TICK_SEC = 60;
const MINUTE = 60;

/** MB that a worker takes, by its age and by the time of day. */
type Size = (ageSec: number, atSec: number) => number;

interface Worker {
  readonly pid: number;
  readonly bornSec: number;
  readonly size: Size;
}

interface Options {
  readonly ramBudget?: string;
  readonly maxWorkers?: number;
  readonly minWorkers?: number;
  readonly maxWorkerMemory?: string;
  readonly mode?: "hpa" | "threshold";
}

/** A program with endless work whose workers are replaced as the loop does: one at a time, and the oldest go when it shrinks. */
class Crew {
  readonly #driver: Driver;
  readonly #size: (pid: number) => Size;
  workers: Worker[] = [];
  atSec = 0;
  #pids = 0;
  readonly replaced: { readonly pid: number; readonly ageSec: number; readonly atSec: number }[] = [];
  readonly capacities: number[] = [];
  growth: Growth | undefined;

  constructor(size: (pid: number) => Size, options: Options = {}) {
    this.#driver = new Driver({
      sloDrainTime: undefined,
      mode: "hpa",
      maxWorkers: 12,
      ramBudget: "3000MB",
      ...options,
    });
    this.#size = size;
  }

  start(count: number): void {
    for (let i = 0; i < count; i += 1) {
      const pid = ++this.#pids;
      this.workers.push({ pid, bornSec: this.atSec, size: this.#size(pid) });
    }
  }

  get measured(): readonly MeasuredWorker[] {
    return this.workers.map(({ pid, bornSec, size }) => {
      const ageSec = this.atSec - bornSec;
      return { pid, ageSec, bytes: Math.round(size(ageSec, this.atSec) * MB) };
    });
  }

  tick(ready = 1_000): void {
    this.atSec += TICK_SEC;
    const workers = this.measured;
    const memory = { workers, largestWorkerBytes: Math.max(0, ...workers.map(({ bytes }) => bytes)) };
    const { desired, capacity, growth } = this.#driver.tick({
      dtSec: TICK_SEC,
      serving: workers.length,
      queue: { ready, unacked: 0 },
      memory,
    });
    this.capacities.push(capacity);
    this.growth = growth;
    const isWhole = workers.length === desired;
    this.workers = this.workers.slice(Math.max(0, workers.length - desired));
    this.start(desired - this.workers.length);
    const worst = growth?.worst;
    if (worst == null || !isWhole) return;
    const ageSec = workers.find(({ pid }) => pid === worst.pid)?.ageSec ?? 0;
    this.replaced.push({ pid: worst.pid, ageSec, atSec: this.atSec });
    this.workers = this.workers.filter(({ pid }) => pid !== worst.pid);
  }

  run(sec: number, ready?: number): this {
    for (const end = this.atSec + sec; this.atSec < end; ) this.tick(ready);
    return this;
  }
}

const HOUR = 3_600;

/** Has what it needs within two minutes. */
const loaded =
  (mb: number): Size =>
  (ageSec) =>
    mb * Math.min(1, 0.2 + ageSec / 120);
const leaking =
  (mb: number, perMinute: number): Size =>
  (ageSec) =>
    loaded(mb)(ageSec, 0) + (perMinute * ageSec) / MINUTE;

/** Numbers in [-1, 1] that look like chance, another for each worker and moment. */
const noise = (pid: number, sec: number): number => 2 * chance(pid * 7919 + sec)() - 1;

describe("DESIGN 4.13: who grows for ever", () => {
  /** One worker among those that take 100 MB, on a machine that is too small for all of them: whether it is ever replaced. */
  const goes = (size: Size): boolean => {
    const crew = new Crew((pid) => (pid === 6 ? size : loaded(100)), { maxWorkers: 8, ramBudget: "700MB" });
    crew.start(6);
    crew.run(10 * HOUR);
    return crew.replaced.some(({ pid }) => pid === 6);
  };

  it.each<[boolean, string, Size]>([
    [true, "leaks", leaking(100, 2)],
    [true, "leaks slowly: it has come to twice as much", leaking(100, 0.2)],
    [false, "is like the others", loaded(100)],
    [false, "is larger, and stays so", loaded(190)],
    [false, "becomes larger late, and stays so", (age) => (age < 2 * HOUR ? 100 : 190)],
    [false, "has a large message of ten minutes now and then", (age) => (age % 1_800 < 600 ? 900 : 100)],
    [false, "collects its garbage now and then", (age) => 60 + 10 * ((age / 30) % 20)],
    [false, "wavers", (age) => 140 + 30 * noise(6, age)],
  ])("%s for a worker that %s", (expected, _, size) => {
    expect(goes(size)).toBe(expected);
  });

  it("nobody while memory is not short, though it is known", () => {
    const crew = new Crew(() => leaking(100, 2), { ramBudget: "50000MB" });
    crew.start(12);
    expect(crew.run(3 * HOUR).replaced).toEqual([]);
    expect(crew.growth).toMatchObject({ worst: null });
  });

  it("nobody where somebody has said how large a worker may be", () => {
    const crew = new Crew(() => leaking(100, 4), { maxWorkerMemory: "900MB" });
    crew.start(12);
    expect(crew.run(2 * HOUR).replaced).toEqual([]);
    expect(crew.growth).toBeUndefined();
  });

  it("nobody among workers that come to take more when work comes, as those do that come with it", () => {
    const crew = new Crew((pid) => (pid <= 3 ? (_, at) => (at < 2 * HOUR ? 40 : 250) : loaded(250)), {
      minWorkers: 3,
    });
    crew.start(3);
    crew.run(2 * HOUR, 0).run(3 * HOUR);
    expect(crew.replaced).toEqual([]);
  });

  it("is known to the next life of the program", () => {
    const size = leaking(100, 2);
    const policy = programPolicy(program({ ramBudget: "600MB" }));
    let state = policy.initialState();
    for (let at = 0; at <= 900; at += TICK_SEC) {
      const workers = [{ pid: 7, ageSec: at, bytes: size(at, 0) * MB }];
      state = policy.step(state, observation({ serving: 1, dtSec: TICK_SEC, memory: { workers } })).state;
    }
    const learned = policy.learned?.(state);
    expect(learned?.grownBytes).toBeCloseTo(110 * MB);
  });
});

describe("DESIGN 4.13: pools of any workers", () => {
  it("keep a third of what fits of new workers, however those leak", () => {
    const leak = fc.record({
      mb: fc.integer({ min: 50, max: 400 }),
      /** Until it has become twice as large. */
      doublesMin: fc.integer({ min: 30, max: 600 }),
      workers: fc.integer({ min: 6, max: 16 }),
      minWorkers: fc.constantFrom(0, 2),
      mode: fc.constantFrom("hpa" as const, "threshold" as const),
    });
    fc.assert(
      fc.property(leak, ({ mb, doublesMin, workers, minWorkers, mode }) => {
        const ramBudget = `${workers * mb}MB`;
        const crew = new Crew(() => leaking(mb, mb / doublesMin), { maxWorkers: 16, minWorkers, ramBudget, mode });
        crew.start(Math.ceil(workers / 2));
        crew.run(8 * HOUR);
        // Naive: 1, of whatever number.
        expect(Math.min(...crew.capacities.slice(30))).toBeGreaterThanOrEqual(Math.floor(workers / 3));
        for (const { ageSec } of crew.replaced) expect(ageSec).toBeGreaterThanOrEqual(15 * MINUTE);
      }),
      { numRuns: 30 },
    );
  });

  it("replace nobody where nobody leaks", () => {
    const large = fc.record({
      mb: fc.integer({ min: 50, max: 400 }),
      loadsSec: fc.integer({ min: 0, max: 240 }),
      wavers: fc.double({ min: 0, max: 0.15, noNaN: true }),
      /** How much a message may take on top, for how long, and how often. */
      times: fc.double({ min: 0, max: 8, noNaN: true }),
      sec: fc.integer({ min: 0, max: 570 }),
      everySec: fc.integer({ min: 1_200, max: 5_000 }),
      workers: fc.integer({ min: 2, max: 12 }),
    });
    fc.assert(
      fc.property(large, ({ mb, loadsSec, wavers, times, sec, everySec, workers }) => {
        const size =
          (pid: number): Size =>
          (age, at) =>
            mb *
            (Math.min(1, 0.2 + age / Math.max(1, loadsSec)) +
              wavers * noise(pid, at) +
              ((at + pid * 977) % everySec < sec ? times : 0));
        const crew = new Crew(size, { ramBudget: `${workers * mb}MB`, maxWorkers: 16 });
        crew.start(workers);
        for (let i = 0; i < 400; i += 1) {
          crew.tick();
          expect(crew.growth).toBeUndefined();
        }
      }),
      { numRuns: 30 },
    );
  });
});

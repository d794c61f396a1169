import { describe, expect, it } from "vitest";
import type { ProgramDecision } from "../../../src/decide/index.ts";
import { answerOf, grown, isWhole, joined, type Level, pooled } from "../../../src/decide/slo/knee/level.ts";
import { growthOf } from "../../../src/decide/slo/knee/suspicion.ts";
import { Driver, GB, type Seen } from "./drive.ts";

const level = (workers: number, perSec: number, windows = 4): Level => {
  let seen: Level | null = null;
  for (let i = 0; i < windows; i += 1) seen = grown(seen, { workers, messages: 10 * perSec, sec: 10, busyShare: null });
  if (seen === null) throw new RangeError("windows: expected at least 1");
  return seen;
};

describe("DESIGN 2.16: what a comparison answers", () => {
  const question = { low: 0.75, high: 1 };

  it.each([
    ["as much", level(8, 40), level(6, 40), 1, "high"],
    ["more", level(8, 40), level(6, 50), 1, "high"],
    ["as much less as there are fewer workers", level(8, 40), level(6, 30), 1, "low"],
    ["nothing at all", level(8, 40), level(6, 0), 1, "low"],
    ["as much, as far as one window shows", level(8, 40), level(6, 40, 1), 1, null],
    ["as much, of counts that vary as bursts do", level(8, 40), level(6, 40), 100, null],
    ["as much, of next to no messages", level(8, 0.4), level(6, 0.4), 1, null],
    ["as much, after as long as anybody waits", level(8, 0.4), level(6, 0.4, 60), 1, "high"],
  ] as const)("%s", (_, from, to, dispersion, answer) => {
    expect(answerOf(question, from, to, dispersion)).toBe(answer);
  });

  it("forgets what is older than sixty windows", () => {
    let seen: Level | null = level(4, 10, 600);
    for (let i = 0; i < 120; i += 1) seen = grown(seen, { workers: 4, messages: 200, sec: 10, busyShare: 0.5 });
    expect(seen.messages / seen.sec).toBeGreaterThan(18);
    const other = { workers: 5, messages: 10, sec: 10, busyShare: null };
    expect(grown(seen, other)).toEqual({ ...other, windows: 1 });
  });

  it.each([
    ["what both did, where chance explains how they differ", level(8, 42), level(6, 40), 41],
    ["the later one alone, where more was surely finished", level(8, 40), level(6, 80), 80],
    ["the later one alone, where less was surely finished", level(8, 80), level(8, 40), 40],
  ])("compares with %s", (_, from, to, perSec) => {
    const { workers, messages, sec } = pooled(from, to, 1);
    expect({ workers, perSec: messages / sec }).toEqual({ workers: to.workers, perSec });
  });

  it("joins what is too short to be a window, unless others worked in it", () => {
    const short = { workers: 4, messages: 7, sec: 0.5, busyShare: 0.5 };
    expect(isWhole(short)).toBe(false);
    expect(joined(null, short)).toBe(short);
    const whole = joined(short, { ...short, messages: 9, busyShare: 1 });
    expect(whole).toEqual({ workers: 4, messages: 16, sec: 1, busyShare: 0.75 });
    expect(isWhole(whole)).toBe(true);
    expect(joined(short, { ...short, workers: 5 })).toEqual({ ...short, workers: 5 });
  });

  it.each([
    ["as the workers did", level(4, 20), level(8, 40), "good"],
    ["far more than the workers did", level(4, 15), level(8, 40), null],
    ["by a third of that", level(4, 20), level(8, 26), "poor"],
    ["not at all", level(4, 20), level(8, 20), "poor"],
    ["by little, but hardly anything was seen", level(4, 0.2, 2), level(8, 0.2, 2), null],
    ["but there were not more workers", level(8, 20), level(8, 20), null],
  ] as const)("throughput grew %s", (_, from, to, growth) => {
    expect(growthOf(from, to, 1)).toBe(growth);
  });
});

/** A pool that obeys, and a queue that never runs empty: so many messages/s for so many workers, exactly. */
class Pool {
  readonly driver: Driver;
  readonly said: ProgramDecision[] = [];
  readonly #seen: Partial<Seen>;
  serving = 1;
  #acked = 10_000;

  readonly #dtSec: number;

  constructor(options: object, seen: Partial<Seen> = {}) {
    this.#dtSec = seen.dtSec ?? 10;
    this.driver = new Driver({ sloDrainTime: 30, ...options });
    this.#seen = seen;
  }

  ticks(
    count: number,
    throughput: (workers: number) => number,
    busyShare?: (workers: number) => number,
  ): readonly ProgramDecision[] {
    return Array.from({ length: count }, () => {
      const ackRate = throughput(this.serving);
      this.#acked += this.#dtSec * ackRate;
      const queue = { ready: 50_000, unacked: this.serving, ackRate, ackedTotal: this.#acked, publishRate: 1_000 };
      const cpus = busyShare === undefined ? {} : { busyShare: busyShare(this.serving) };
      const decision = this.driver.tick({ ...this.#seen, ...cpus, serving: this.serving, queue });
      this.serving = decision.desired;
      this.said.push(decision);
      return decision;
    });
  }
}

const atMost = (slots: number) => (workers: number) => 50 * Math.min(slots, workers);
const LARGEST = { memory: { poolBytes: 8 * GB, largestWorkerBytes: GB / 2 } };

describe("DESIGN 2.16: a pool at the knee", () => {
  it("ends at the fewest workers that finish as much, and says what binds and that memory is not missing", () => {
    const pool = new Pool({ maxWorkers: 16 }, LARGEST);
    const last = pool.ticks(120, atMost(5)).at(-1);
    expect(last).toMatchObject({ desired: 5, capacity: 5, boundBy: "downstream", reason: "downstream" });
    expect(last?.gap).toMatchObject({ bytes: null, bestDrainSec: Number.POSITIVE_INFINITY });
    expect(last?.gap?.workers).toBeGreaterThan(40);
    expect(last?.rationale).toContain("more than 5 finish no more");
    const trials = pool.said.filter(({ reason }) => reason === "trial");
    expect(trials.length).toBeGreaterThan(10);
    expect(Math.min(...trials.map(({ desired }) => desired))).toBeGreaterThanOrEqual(2);
  });

  it.each([
    ["busy with any number of workers that is tried", () => 0.97, "cpu"],
    ["busy with as many as it takes, less so with the fewer that are tried", (n: number) => Math.min(1, n / 5), "cpu"],
    ["half idle", () => 0.4, "downstream"],
  ] as const)("is bound by processors that are %s: %s", (_, busyShare, boundBy) => {
    expect(new Pool({ maxWorkers: 16 }).ticks(120, atMost(5), busyShare).at(-1)).toMatchObject({ desired: 5, boundBy });
  });

  it("is no longer bound by processors that were busy for somebody else while it was tried, and only then", () => {
    const pool = new Pool({ maxWorkers: 16 });
    expect(pool.ticks(60, atMost(5), () => 1).at(-1)).toMatchObject({ desired: 5, boundBy: "cpu" });
    expect(pool.ticks(60, atMost(5), () => 0.2).at(-1)).toMatchObject({ desired: 5, boundBy: "downstream" });
    expect(pool.ticks(30, atMost(5), () => 1).at(-1)).toMatchObject({ desired: 5, boundBy: "downstream" });
  });

  it.each([0.2, 0.5, 1, 2])(
    "is found by a queue that tells something new every %d s, though it never grew",
    (dtSec) => {
      const pool = new Pool({ maxWorkers: 16, pollInterval: dtSec }, { dtSec });
      pool.serving = 16;
      expect(pool.ticks(200 / dtSec, atMost(5)).at(-1)).toMatchObject({ desired: 5, boundBy: "downstream" });
    },
  );

  it("asks again after ten minutes, with a quarter more, and stays where nothing has changed", () => {
    const pool = new Pool({ maxWorkers: 16 });
    pool.ticks(120, atMost(5));
    const later = pool.ticks(80, atMost(5));
    expect(later.map(({ desired }) => desired)).toContain(7);
    expect(Math.max(...later.map(({ desired }) => desired))).toBe(7);
    expect(later.filter(({ desired }) => desired === 7).length).toBeLessThan(20);
    expect(later.at(-1)).toMatchObject({ desired: 5, boundBy: "downstream" });
  });

  it("grows as far as it is asked to when the knee has gone", () => {
    const pool = new Pool({ maxWorkers: 16 });
    pool.ticks(120, atMost(5));
    expect(pool.ticks(100, atMost(100)).at(-1)).toMatchObject({ desired: 16, boundBy: "max_workers" });
  });

  it("finds another one when it has moved", () => {
    const pool = new Pool({ maxWorkers: 16 });
    pool.ticks(120, atMost(5));
    expect(pool.ticks(300, atMost(9)).at(-1)).toMatchObject({ desired: 9, boundBy: "downstream" });
  });

  it("is found though the first workers were slow at first, so that throughput grew more than they did", () => {
    const pool = new Pool({ maxWorkers: 16 });
    for (let i = 0; i < 4; i += 1) {
      pool.serving = 7;
      pool.ticks(1, () => 60);
    }
    expect(pool.ticks(58, atMost(5)).at(-1)).toMatchObject({ desired: 5, boundBy: "downstream" });
  });

  it.each([4, 6])("comes down to %d when it has moved down", (slots) => {
    const pool = new Pool({ maxWorkers: 16 });
    expect(pool.ticks(120, atMost(9)).at(-1)).toMatchObject({ desired: 9, boundBy: "downstream" });
    expect(pool.ticks(150, atMost(slots)).at(-1)).toMatchObject({ desired: slots, boundBy: "downstream" });
  });

  it("never goes below the floor for it", () => {
    const pool = new Pool({ maxWorkers: 16, minWorkers: 8 });
    const said = pool.ticks(120, atMost(5));
    expect(Math.min(...said.slice(1).map(({ desired }) => desired))).toBe(8);
    expect(said.at(-1)).toMatchObject({ desired: 8, boundBy: "downstream" });
  });

  it("is left alone with a step that is a number", () => {
    const said = new Pool({ maxWorkers: 16, maxStep: 4 }).ticks(120, atMost(5));
    expect(said.at(-1)).toMatchObject({ desired: 16, boundBy: "max_workers" });
    expect(said.some(({ reason }) => reason === "trial")).toBe(false);
  });
});

describe("DESIGN 2.16: a pool without a knee", () => {
  it("gives up a quarter of its workers for three ticks, not a second time for ten minutes, and keeps its limit", () => {
    const pool = new Pool({ maxWorkers: 16 });
    const said = pool.ticks(80, atMost(100));
    const trials = said.filter(({ reason }) => reason === "trial");
    expect(trials.every(({ desired }) => desired === 12)).toBe(true);
    expect(trials.length).toBeLessThanOrEqual(5);
    expect(said.every(({ boundBy }) => boundBy === "max_workers")).toBe(true);
    expect(said.at(-1)?.desired).toBe(16);
  });

  it("is not taken for one that has a knee because its workers become faster during the trial", () => {
    const pool = new Pool({ maxWorkers: 16 });
    let faster = 1;
    for (let i = 0; i < 200; i += 1) {
      const [decision] = pool.ticks(1, (workers) => 50 * workers * faster);
      if (decision?.reason === "trial") faster = 16 / 12;
      expect(decision?.boundBy).toBe("max_workers");
    }
    expect(faster).toBeGreaterThan(1);
  });

  it("is doubted again later where fewer finished nearly as much, but none of them quite as much", () => {
    const pool = new Pool({ maxWorkers: 4 });
    const nearly = (workers: number) => 50 * Math.min(workers, 2.1 + 0.3 * workers);
    const isTrial = ({ reason }: ProgramDecision) => reason === "trial";
    const first = pool.ticks(70, nearly);
    expect(first.map(({ desired }) => desired)).toContain(2);
    expect(first.at(-1)).toMatchObject({ desired: 4, boundBy: "max_workers" });
    expect(pool.ticks(90, nearly).some(isTrial)).toBe(true);
    expect(pool.said.every(({ boundBy }) => boundBy === "max_workers")).toBe(true);
  });

  it("stops asking when the queue runs empty", () => {
    const pool = new Pool({ maxWorkers: 16 });
    while (pool.ticks(1, atMost(100)).at(-1)?.reason !== "trial");
    const calm = { serving: 12, queue: { ready: 0, unacked: 3, ackRate: 9, publishRate: 9 } };
    const decision = pool.driver.ticks(3, (tick) => ({
      ...calm,
      queue: { ...calm.queue, ackedTotal: 1e6 + 90 * tick },
    }));
    expect(decision.reason).not.toBe("trial");
    expect(decision.boundBy).toBe("max_workers");
  });
});

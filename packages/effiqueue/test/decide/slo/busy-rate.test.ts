import { describe, expect, it } from "vitest";
import { isSurelyMore, learnBusy, leastRate, likelyRate, NEVER_BUSY } from "../../../src/decide/slo/busy-rate.ts";
import { Driver } from "./drive.ts";

const sure = (sec: number) => ({ mostSec: sec, likelySec: sec });

const windows = (count: number, messages: number, inWork: number) =>
  Array.from({ length: count }).reduce<typeof NEVER_BUSY>(
    (busy) => learnBusy(busy, messages, sure(5 * inWork), 5),
    NEVER_BUSY,
  );

describe("DESIGN 2.17: mu from busy time", () => {
  it("is messages over what was seen in work, whoever had none", () => {
    expect(leastRate(windows(10, 20, 2))?.rate).toBeCloseTo(2, 9);
  });

  it("is unknown while nobody was seen at work, or nothing was finished", () => {
    expect(leastRate(NEVER_BUSY)).toBeNull();
    expect(leastRate(windows(10, 3, 0))).toBeNull();
    expect(leastRate(windows(10, 0, 3))).toBeNull();
  });

  it("is kept through windows without any work", () => {
    const busy = windows(3, 2, 1);
    expect(learnBusy(busy, 0, sure(0), 5)).toBe(busy);
  });

  it("remembers work that takes far longer than a window, of which it sees one end in forty", () => {
    // Three workers, two minutes a message, one of them done every 40 s: eight windows of 5 s.
    const cycle = (busy: typeof NEVER_BUSY) => {
      const waited = Array.from({ length: 7 }).reduce<typeof NEVER_BUSY>((b) => learnBusy(b, 0, sure(15), 5), busy);
      return learnBusy(waited, 1, sure(15), 5);
    };
    const busy = Array.from({ length: 12 }).reduce<typeof NEVER_BUSY>(cycle, NEVER_BUSY);
    expect((leastRate(busy)?.rate ?? 0) * 120).toBeCloseTo(1, 1);
    // It is no other a moment before the next one is done than just after it.
    expect(leastRate(learnBusy(busy, 0, sure(7 * 15), 35))?.rate).toBeGreaterThan(0.9 / 120);
  });

  it("is no less where counts waver, of which the larger one would be too much", () => {
    const wavering = Array.from({ length: 40 }).reduce<typeof NEVER_BUSY>(
      (busy) => learnBusy(busy, 20, { mostSec: 15, likelySec: 10 }, 5),
      NEVER_BUSY,
    );
    expect(leastRate(wavering)?.rate).toBeCloseTo(20 / 15, 9);
    expect(likelyRate(wavering)?.rate).toBeCloseTo(2, 9);
  });

  it("replaces what is known only when chance does not explain that it is more", () => {
    const twice = leastRate(windows(20, 20, 2)) ?? { rate: 0, counts: 0 };
    expect(isSurelyMore(twice, 0.6)).toBe(true);
    expect(isSurelyMore(twice, 1.8)).toBe(false);
    expect(isSurelyMore(twice, 4)).toBe(false);
  });
});

describe("DESIGN 2.17: the busy rate in a program", () => {
  it("sizes the pool for a flood from its first messages, where one worker was idle before", () => {
    const driver = new Driver({ sloDrainTime: 30 });
    const quiet = { dtSec: 5, serving: 1 };
    driver.ticks(3, { ...quiet, queue: { ackRate: 0, publishRate: 0, ackedTotal: 0, publishedTotal: 0 } });
    const decision = driver.tick({
      ...quiet,
      queue: { ready: 400, unacked: 1, ackRate: 1.2, publishRate: 80, ackedTotal: 6, publishedTotal: 406 },
    });
    expect(decision).toMatchObject({ muSource: 1, desired: 20 });
    // A worker does at least what it did.
    expect(decision.mu).toBeCloseTo(1.2, 9);
  });

  it("is unknown while most of what was begun is still in work: one message done of nine says nothing of the others", () => {
    const driver = new Driver({ sloDrainTime: 300 });
    const counted = (acked: number, unacked: number) => ({
      dtSec: 5,
      serving: 8,
      queue: { unacked, ackRate: 0.2, publishRate: 0.2, ackedTotal: acked, publishedTotal: acked + unacked },
    });
    driver.ticks(3, { ...counted(0, 8), queue: { ...counted(0, 8).queue, ackRate: 0, publishRate: 0 } });
    expect(driver.tick(counted(1, 8))).toMatchObject({ mu: null, desired: 8 });
    const mus = [2, 3, 4, 5, 6, 7, 8, 9].map((acked) => driver.tick(counted(acked, 8)).mu);
    expect(mus[0]).toBeNull();
    expect(mus.at(-1)).not.toBeNull();
  });

  it("of the seed is unknown until everybody had work all the time", () => {
    const driver = new Driver({ maxStep: 1 });
    const seen = { dtSec: 5, serving: 1 };
    driver.tick({ ...seen, queue: { ackRate: 0, publishRate: 0, ackedTotal: 0, publishedTotal: 0 } });
    const counted = { unacked: 1, ackRate: 1, publishRate: 1, ackedTotal: 5, publishedTotal: 6 };
    expect(driver.tick({ ...seen, queue: counted }).mu).toBeNull();
  });

  it("notices workers that have become faster while nothing waits for them", () => {
    const driver = new Driver();
    const load = (at: number, unacked: number, ready: number) => ({
      dtSec: 5,
      serving: 12,
      queue: {
        ready,
        unacked,
        ackRate: 8,
        publishRate: 8,
        ackedTotal: 1_000 + 40 * at,
        publishedTotal: 1_000 + 40 * at + unacked + ready,
      },
    });
    expect(driver.ticks(12, (tick) => load(tick, 12, 60)).mu).toBeCloseTo(8 / 12, 6);
    expect(driver.ticks(24, (tick) => load(12 + tick, 4, 0)).mu).toBeCloseTo(2, 1);
  });

  it("notices them too where what is handed out wavers, and is looked at twice for each count", () => {
    const driver = new Driver();
    const load = (count: number, unacked: number, ready: number, perSec: number) => ({
      dtSec: 2.5,
      serving: 12,
      queue: {
        ready,
        unacked,
        ackRate: perSec,
        publishRate: perSec,
        ackedTotal: 1_000 + 40 * count,
        publishedTotal: 1_000 + 40 * count + unacked + ready,
      },
    });
    const countOf = (tick: number) => Math.floor(tick / 2);
    driver.ticks(24, (tick) => load(countOf(tick), 12, 60, 8));
    const { mu } = driver.ticks(80, (tick) => load(12 + countOf(tick), countOf(tick) % 2 === 0 ? 7 : 1, 0, 7.9));
    // Four on average, each of whom does 2/s. The larger one of two counts would make them five and a half, of 1.4/s.
    expect(mu).toBeGreaterThan(1.7);
    expect(mu).toBeLessThan(2.3);
  });
});

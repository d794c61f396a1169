import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Ages, aged, waitingFor } from "../../../../src/decide/slo/pace/ages.ts";
import { expectedRate, learnArrivals, learnSurge, NO_ARRIVALS } from "../../../../src/decide/slo/pace/arrivals.ts";
import { comingSec, learnStartup, NO_STARTUP, startupSec } from "../../../../src/decide/slo/pace/startup.ts";
import { NO_WATCH, outlookOf, type Watch, watched } from "../../../../src/decide/slo/pace/watch.ts";
import { tickOf } from "../../../../src/decide/slo/reading.ts";
import { UNKNOWN_TOPOLOGY } from "../../../../src/decide/slo/topology.ts";
import { observation, type Seen } from "../drive.ts";

describe("DESIGN 2.14: ages", () => {
  it("are those of the messages that came last", () => {
    const ages = aged(aged([], 10, 100, 100), 10, 50, 90);
    expect(waitingFor(ages, 0)).toBe(90);
    expect(waitingFor(ages, 10)).toBe(40);
    expect(ages[0]).toEqual({ messages: 40, oldestSec: 14, youngestSec: 10 });
  });

  it("of those that nobody saw come are those of the oldest", () => {
    expect(aged([], 5, 0, 7)).toEqual([{ messages: 7, oldestSec: 5, youngestSec: 5 }]);
    expect(aged([{ messages: 1, oldestSec: 9, youngestSec: 9 }], 1, 0, 3)[0]).toMatchObject({
      messages: 2,
      oldestSec: 10,
    });
  });

  it("account for exactly what waits, oldest first, however long the story", () => {
    const window = fc.record({
      sec: fc.integer({ min: 1, max: 20 }),
      arrived: fc.integer({ min: 0, max: 500 }),
      waiting: fc.integer({ min: 0, max: 800 }),
    });
    fc.assert(
      fc.property(fc.array(window, { minLength: 1, maxLength: 150 }), (windows) => {
        let ages: Ages = [];
        for (const { sec, arrived, waiting } of windows) ages = aged(ages, sec, arrived, waiting);
        expect(ages.length).toBeLessThanOrEqual(61);
        expect(waitingFor(ages, 0)).toBeCloseTo(windows.at(-1)?.waiting ?? 0, 6);
        for (const [i, batch] of ages.entries()) {
          expect(batch.oldestSec).toBeGreaterThanOrEqual(batch.youngestSec);
          expect(batch.oldestSec).toBeLessThanOrEqual((ages[i - 1]?.youngestSec ?? Number.POSITIVE_INFINITY) + 1e-9);
        }
      }),
    );
  });
});

describe("DESIGN 2.14: arrivals", () => {
  const came = (messages: number, sec: number, vagueSec = 0) => ({ messages, sec, vagueSec });
  const steady = () =>
    Array.from({ length: 20 }).reduce<typeof NO_ARRIVALS>((known) => learnArrivals(known, came(50, 5)), NO_ARRIVALS);

  it("are averaged while chance explains them", () => {
    const { rate, rise } = learnArrivals(steady(), came(60, 5));
    expect(rate).toBeGreaterThan(10);
    expect(rate).toBeLessThan(10.5);
    expect(rise).toBe(0);
  });

  it("are known anew from a window that chance does not explain, up or down", () => {
    expect(learnArrivals(steady(), came(200, 5)).rate).toBe(40);
    expect(learnArrivals(steady(), came(5, 5))).toMatchObject({ rate: 1, rise: 0 });
  });

  it("may still rise by thrice what a first window shows of a jump beyond chance, and by once what the next one does", () => {
    const first = learnArrivals(steady(), came(200, 5));
    expect(first.rise).toBeCloseTo((3 * (200 - 50 - 3 * Math.sqrt(50))) / 5, 6);
    const second = learnArrivals(first, came(400, 5));
    expect(second.rise).toBeCloseTo((400 - 200 - 3 * Math.sqrt(200)) / 5, 6);
    expect(learnArrivals(second, came(400, 5)).rise).toBe(0);
    // A count that chance hardly explains is another rate, but nearly none of it is a jump.
    expect(learnArrivals(steady(), came(72, 5)).rise).toBeLessThan(1);
  });

  const after = (...counts: readonly number[]) =>
    counts.reduce((known, messages) => learnArrivals(known, came(messages, 5)), steady());
  const batches = (count: number) => Array.from({ length: count }, () => [200, 50, 50]).flat();

  it.each([
    { note: "nothing jumped before", history: [], isFlood: true },
    { note: "two batches came before", history: batches(2), isFlood: true },
    { note: "four batches came before", history: batches(4), isFlood: false },
    {
      note: "sixteen batches, and after them six jumps that went on",
      history: [...batches(16), ...Array.from({ length: 6 }, () => [200, 200, 50, 50]).flat()],
      isFlood: true,
    },
    {
      note: "ten jumps that went on, and two batches",
      history: [...Array.from({ length: 10 }, () => [200, 150, 50, 50]).flat(), ...batches(2)],
      isFlood: true,
    },
  ])("of a jump are those of a flood: $isFlood, where $note", ({ history, isFlood }) => {
    const before = after(...history);
    const jump = learnArrivals(before, came(200, 5));
    expect(jump.rate).toBe(40);
    expect(jump.rise > 0).toBe(isFlood);
    expect(expectedRate(jump)).toBe(isFlood ? 40 : before.rate);
    // What the next count shows is believed in any case.
    expect(expectedRate(learnArrivals(jump, came(200, 5)))).toBe(40);
  });

  it("of a batch that the backlog shows first are judged by the next count", () => {
    const seen = Array.from({ length: 4 }).reduce<typeof NO_ARRIVALS>(
      (known) =>
        [100, 50, 50].reduce(
          (then, messages) => learnArrivals(then, came(messages, 5)),
          learnSurge(known, came(90, 2)),
        ),
      steady(),
    );
    expect(learnSurge(seen, came(90, 2)).rise).toBe(0);
    expect(learnSurge(steady(), came(90, 2)).rise).toBeGreaterThan(0);
  });

  it("are at least what the backlog grew by before the broker has counted", () => {
    const surge = learnSurge(steady(), came(90, 2));
    expect(surge.rate).toBe(45);
    expect(surge.rise).toBeCloseTo((3 * (90 - 20 - 3 * Math.sqrt(20))) / 2, 6);
    expect(learnSurge(steady(), came(25, 2))).toEqual(steady());
  });

  it("are given up less easily when they have long been usual, and when nobody knows how long the window was", () => {
    const rise = (arrived: ReturnType<typeof came>, usual: number | null) =>
      learnArrivals(steady(), arrived, usual).rise;
    expect(rise(came(75, 5), null)).toBeGreaterThan(0);
    expect(rise(came(75, 5), 10)).toBe(0);
    expect(rise(came(100, 5), 10)).toBeGreaterThan(0);
    expect(rise(came(75, 5, 5), null)).toBe(0);
    expect(learnSurge(steady(), came(40, 2), 10).rise).toBe(0);
  });
});

describe("DESIGN 2.14: the start-up", () => {
  const workers = (starting: number, serving: number) => ({ starting, serving, draining: 0 });

  it("is seen from the counts, to half a tick", () => {
    let startup = learnStartup(NO_STARTUP, workers(0, 1), 2);
    for (const starting of [1, 1, 1, 1]) startup = learnStartup(startup, workers(starting, 1), 2);
    expect(comingSec(startup)).toEqual([0]);
    startup = learnStartup(startup, workers(0, 2), 2);
    expect(startupSec(startup)).toBe(9);
  });

  it("is not that of a worker that was stopped before it served", () => {
    const pending = learnStartup(NO_STARTUP, workers(2, 1), 2);
    expect(learnStartup(pending, workers(0, 1), 2).sec).toBeNull();
  });

  it("believes a slow start at once and a fast one by a tenth", () => {
    const once = { sec: 8, pendingSec: [20, 1], serving: 1 };
    expect(learnStartup(once, workers(1, 2), 2).sec).toBe(21);
    expect(learnStartup({ ...once, pendingSec: [2, 1] }, workers(1, 2), 2).sec).toBeCloseTo(7.5, 9);
  });
});

describe("DESIGN 2.14: two clocks", () => {
  const look = (
    watch: Watch,
    seen: Seen,
    { mu = 2, rateSec = null }: { mu?: number; rateSec?: number | null } = {},
  ): Watch => {
    const sight = observation(seen);
    const tick = tickOf(sight, UNKNOWN_TOPOLOGY, false);
    return watched(watch, {
      tick,
      workers: sight.workers,
      slotsPerWorker: 1,
      mu: { value: mu, interval: null },
      rateSec,
      dtSec: sight.dtSec,
    });
  };
  const totals = (published: number, acked: number) => ({ publishedTotal: published, ackedTotal: acked });

  it("does not count an arrival twice when live counts showed it before the totals", () => {
    let watch = look(NO_WATCH, { dtSec: 1, serving: 1, queue: { ready: 0, unacked: 1, ...totals(100, 99) } });
    // 40 came within 4 s, of which 8 were served; the totals say so a second later.
    for (const ready of [8, 16, 24, 32]) {
      watch = look(watch, { dtSec: 1, serving: 1, queue: { ready, unacked: 1, ...totals(100, 99) } });
    }
    watch = look(watch, { dtSec: 1, serving: 1, queue: { ready: 40, unacked: 1, ...totals(150, 109) } });
    const ages = watch.counts?.ages ?? [];
    expect(waitingFor(ages, 0)).toBe(40);
    // First come, first served: the oldest that waits came when a fifth of the 50 had come.
    expect(ages[0]?.oldestSec).toBeGreaterThan(3);
    expect(ages[0]?.oldestSec).toBeLessThanOrEqual(5);
  });

  it("takes the rate of a second for no more than that when it has counted ten, and one of five for all of its window", () => {
    const said = (published: number, publishRate: number) => ({
      ready: 0,
      unacked: 1,
      ...totals(published, published),
      publishRate,
      ackRate: publishRate,
    });
    const rateAfter = (dtSec: number, rateSec: number, [published, publishRate]: [number, number]) => {
      const first = look(NO_WATCH, { dtSec, serving: 1, queue: said(100, 10) }, { rateSec });
      return look(first, { dtSec, serving: 1, queue: said(published, publishRate) }, { rateSec }).arrivals.rate;
    };
    expect(rateAfter(10, 1, [200, 18])).toBe(10);
    expect(rateAfter(6, 5, [150, 10])).toBe(10);
  });

  it("takes a message handed out beyond the slots of the workers for a waiting one", () => {
    const watch = look(NO_WATCH, { serving: 2, queue: { ready: 0, unacked: 22, ...totals(100, 78) } });
    expect(waitingFor(watch.counts?.ages ?? [], 0)).toBe(20);
  });

  it("knows of a total that fell no arrivals, and of a lost reading only that time went by", () => {
    let watch = look(NO_WATCH, { serving: 1, queue: { ready: 5, unacked: 1, ...totals(100, 94) } });
    watch = look(watch, { serving: 1, queue: { ready: 5, unacked: 1, ...totals(20, 14) } });
    expect(watch.arrivals.rate).toBe(0);
    watch = look(watch, { serving: 1, queue: null });
    expect(outlookOf(watch, { starting: 0, serving: 1, draining: 0 }, { mu: 2, lambda: 0 }, 60)).toMatchObject({
      sinceSec: 10,
      workerSec: 10,
    });
  });
});

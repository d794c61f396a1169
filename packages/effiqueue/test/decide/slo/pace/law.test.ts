import { describe, expect, it } from "vitest";
import { type Pace, paceOf, type Situation } from "../../../../src/decide/slo/pace/law.ts";
import type { Outlook } from "../../../../src/decide/slo/pace/outlook.ts";

/** Workers of 2/s, an SLO of 30 s (15 s by plan), looks every 2 s, starts of 5 s: a new worker has caught up in 14.5 s. */
function pace(outlook: Partial<Outlook>, situation: Partial<Situation> = {}): Pace {
  const whole: Outlook = {
    ages: [],
    sinceSec: 0,
    workerSec: 0,
    lambda: 0,
    rise: 0,
    steady: null,
    mu: 2,
    serving: 1,
    comingSec: [],
    ...outlook,
  };
  const current = whole.serving + whole.comingSec.length;
  return paceOf({
    outlook: whole,
    sloSec: 30,
    tickSec: 2,
    gapSec: 5,
    startupSec: 5,
    grewTwiceSec: 1e9,
    isRestless: false,
    capacity: 20,
    current,
    ...situation,
  });
}

const waiting = (messages: number, oldestSec = 0, youngestSec = 0) => ({
  ages: [{ messages, oldestSec, youngestSec }],
});

describe("DESIGN 2.13: the pace law", () => {
  it.each([
    { note: "19 wait and one is in time", outlook: waiting(19, 2), workers: 1, reason: "on-time" },
    // 37.5 of them are due in 14.5 s, of which one worker begins 29, and each new one 19 in the 9.5 s that it serves.
    { note: "50 wait, more than one can begin in time", outlook: waiting(50, 2), workers: 2, reason: "late" },
    {
      note: "the same with two that are about to serve",
      outlook: { ...waiting(50, 2), comingSec: [0, 0] },
      workers: 3,
    },
    { note: "the same, but just arrived", outlook: waiting(50), workers: 1, reason: "on-time" },
    { note: "arrivals of 1.5 workers' worth and an empty queue", outlook: { lambda: 3, serving: 2 }, workers: 1 },
    { note: "the same with a queue", outlook: { ...waiting(20, 6), lambda: 3, serving: 2 }, workers: 2 },
    { note: "the same with as much as may wait", outlook: { ...waiting(45, 15), lambda: 3, serving: 1 }, workers: 2 },
    { note: "nothing at all", outlook: { serving: 9 }, workers: 0, reason: "spare" },
    {
      note: "a third more than one worker does, nobody late yet",
      outlook: { ...waiting(8, 3), lambda: 2.6 },
      workers: 1,
    },
  ])("asks for $workers: $note", ({ outlook, workers, reason }) => {
    const decided = pace(outlook);
    expect(decided.workers).toBe(workers);
    if (reason !== undefined) expect(decided.reason).toBe(reason);
  });

  it("starts the full pool for a jump that the next count would show too late, and not for one that it can wait for", () => {
    expect(pace({ lambda: 45, rise: 44 })).toMatchObject({ workers: 45, reason: "surge" });
    expect(pace({ lambda: 6, rise: 5 }).reason).not.toBe("surge");
    expect(pace({ lambda: 45, rise: 0 }).reason).not.toBe("surge");
  });

  it("stops nobody whom it would have to start again at once", () => {
    // A start takes longer than messages may wait by plan: an empty pool would be late before it served.
    const slow = { sloSec: 15, startupSec: 10 };
    expect(pace({ lambda: 1 }, slow)).toMatchObject({ workers: 1 });
    expect(pace({ lambda: 0 }, slow)).toMatchObject({ workers: 0 });
  });

  it.each([
    { note: "3 wait for half a minute, one second of work", outlook: waiting(3, 30, 30), workers: 0 },
    {
      note: "the same, and a worker that starts at the next look would be late",
      outlook: waiting(3, 54, 54),
      workers: 1,
    },
    { note: "as many as one worker begins within half of the SLO", outlook: waiting(90, 2), workers: 0 },
    { note: "far more", outlook: waiting(300, 2), workers: 2 },
    { note: "half a worker's work arrives", outlook: { ...waiting(10, 10), lambda: 1 }, workers: 0 },
    { note: "more arrives than one worker begins in time", outlook: { ...waiting(10, 10), lambda: 6 }, workers: 1 },
    {
      note: "arrivals have jumped, and may be too much for the full pool",
      outlook: { ...waiting(10, 1), lambda: 80, rise: 80 },
      workers: 80,
    },
  ])("asks an empty pool for $workers, at an SLO of two minutes: $note", ({ outlook, workers }) => {
    expect(pace({ ...outlook, serving: 0 }, { sloSec: 120 }).workers).toBe(workers);
  });

  it.each([
    { note: "of 1.5 workers' work keeps two, though the queue is empty", serving: 2, lambda: 3, workers: 2 },
    { note: "lets go those that it does not take", serving: 6, lambda: 3, workers: 2 },
    {
      note: "of just under two keeps three that it took twice lately",
      serving: 3,
      lambda: 3.9,
      since: 600,
      workers: 3,
    },
    { note: "lets the third go after a while", serving: 3, lambda: 3.9, since: 3_000, workers: 2 },
    { note: "of far less than two does so at once", serving: 3, lambda: 3, since: 600, workers: 2 },
  ])("under a load that stands still and is $note", ({ serving, lambda, since, workers }) => {
    const outlook = { lambda, steady: { lambda, mu: 2 }, serving };
    expect(pace(outlook, since === undefined ? {} : { grewTwiceSec: since }).workers).toBe(workers);
  });

  it("does not turn again with a load that stands still, once it has turned often", () => {
    const idle = { lambda: 3, serving: 6 };
    const steady = { lambda: 3, mu: 2 };
    expect(pace({ ...idle, steady }, { isRestless: true })).toEqual({ workers: 6, reason: "on-time" });
    expect(pace({ ...idle, steady: null }, { isRestless: true }).workers).toBe(1);
  });

  it("reckons on between two counts", () => {
    const counted = waiting(20, 5);
    expect(pace({ ...counted, serving: 2, sinceSec: 0 }).reason).toBe("on-time");
    expect(pace({ ...counted, serving: 2, sinceSec: 9, workerSec: 18 }).reason).toBe("spare");
  });
});

import { monotonicMs, type WorkerSnapshot } from "effiqueue";
import { describe, expect, it } from "vitest";
import { type Subscriptions, subscribed } from "../../src/loop/subscriptions.ts";

const NOW = 1_000_000;

/** Serving workers by their age in seconds. */
const workers = (...agesSec: number[]): WorkerSnapshot[] =>
  agesSec.map((sec, pid) => ({
    identity: { pid, startTime: `t${pid}`, bootId: "boot", pidNamespace: "ns" },
    processNum: pid,
    state: "serving",
    startedAt: monotonicMs(NOW - sec * 1_000),
    adopted: false,
  }));

const seen = (consumers: number, secAgo: number): Subscriptions => ({
  consumers,
  at: monotonicMs(NOW - secAgo * 1_000),
});

function startingOf(
  before: Subscriptions | null,
  agesSec: readonly number[],
  queue: { consumers?: number | null; unacked?: number } | null,
) {
  const counts = { starting: 0, serving: agesSec.length, draining: 1 };
  const reading = queue && { ready: 5, unacked: 0, ...queue };
  const result = subscribed(before, counts, workers(...agesSec), reading, monotonicMs(NOW));
  expect(result.workers.starting + result.workers.serving).toBe(agesSec.length);
  return { starting: result.workers.starting, after: result.subscriptions };
}

describe("DESIGN 7.7: a new worker counts as starting until a consumer came for it", () => {
  it.each([
    { starting: 2, before: seen(3, 10), ages: [99, 99, 99, 5, 5], consumers: 3, note: "nobody has subscribed" },
    { starting: 1, before: seen(3, 10), ages: [99, 99, 99, 5, 5], consumers: 4, note: "one has" },
    { starting: 0, before: seen(3, 10), ages: [99, 99, 99, 5, 5], consumers: 5, note: "both have" },
    { starting: 0, before: seen(3, 10), ages: [99, 99, 99, 5, 5], consumers: 9, note: "each holds several consumers" },
    {
      starting: 0,
      before: seen(5, 1),
      ages: [99, 99, 99, 5, 5],
      consumers: 5,
      note: "who was known to serve still does",
    },
    { starting: 0, before: seen(3, 40), ages: [99, 30], consumers: 3, note: "half a minute is long enough" },
    { starting: 1, before: seen(3, 40), ages: [99, 29], consumers: 3, note: "one moment less is not" },
    { starting: 2, before: seen(7, 10), ages: [5, 5], consumers: 7, note: "strangers' consumers are not ours" },
    { starting: 1, before: seen(4, 10), ages: [5], consumers: 3, note: "one that left is none that came" },
    { starting: 0, before: seen(0, 10), ages: [99, 5], consumers: 0, note: "pollers subscribe nothing" },
    { starting: 1, before: seen(0, 10), ages: [5], consumers: 0, note: "the first one, whatever it is" },
    { starting: 2, before: null, ages: [5, 5], consumers: 0, note: "at the first look" },
    { starting: 0, before: null, ages: [99, 5], consumers: 2, note: "the first look at an adopted pool" },
    { starting: 0, before: seen(3, 10), ages: [], consumers: 3, note: "nobody is there" },
  ])("$starting of $ages.length with $consumers consumers: $note", ({ starting, before, ages, consumers }) => {
    expect(startingOf(before, ages, { consumers }).starting).toBe(starting);
  });

  it("is polled when work is handed out and nobody subscribes", () => {
    expect(startingOf(seen(0, 10), [5], { consumers: 0, unacked: 1 }).starting).toBe(0);
  });

  it("believes the pool where consumers are not counted, or the pool itself knows who starts", () => {
    expect(startingOf(seen(3, 10), [5], {}).starting).toBe(0);
    expect(startingOf(seen(3, 10), [5], { consumers: null }).starting).toBe(0);
    expect(startingOf(seen(3, 10), [5], null)).toEqual({ starting: 0, after: seen(3, 10) });
    const counts = { starting: 1, serving: 1, draining: 0 };
    const reading = { ready: 0, unacked: 0, consumers: 9 };
    expect(subscribed(null, counts, workers(5, 5), reading, monotonicMs(NOW)).workers).toBe(counts);
  });

  it("remembers the consumers of the moment in which everybody served, and only those", () => {
    expect(startingOf(seen(3, 10), [99, 5], { consumers: 4 }).after).toEqual({ consumers: 4, at: NOW });
    expect(startingOf(seen(3, 10), [99, 5], { consumers: 3 }).after).toEqual(seen(3, 10));
  });

  it("sees one come after others have gone", () => {
    const { starting, after } = startingOf(seen(5, 10), [99, 5], { consumers: 3 });
    expect(starting).toBe(1);
    expect(startingOf(after, [99, 5], { consumers: 4 }).starting).toBe(0);
  });
});

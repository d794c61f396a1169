import { systemClock } from "effiqueue";
import { describe, expect, it } from "vitest";
import { type StatsQueue, statsSource } from "../../src/autoscale/queue-source.ts";

const read = (stats: () => unknown) => statsSource({ stats } as StatsQueue, systemClock).read();

describe("DESIGN 11.1: what a queue that is not flexiq's says of itself", () => {
  it.each([
    { note: "at once", stats: () => ({ pending: 3, running: 2 }) },
    { note: "later", stats: () => Promise.resolve({ pending: 3, running: 2 }) },
    { note: "with more", stats: () => ({ pending: 3, running: 2, dead: -1 }) },
  ])("is read, said $note", async ({ stats }) => {
    expect(await read(stats)).toMatchObject({ kind: "ok", value: { ready: 3, unacked: 2 } });
  });

  it.each([
    { note: "throws", stats: () => boom(), says: "connection refused" },
    { note: "rejects", stats: () => Promise.reject(new Error("connection refused")), says: "connection refused" },
    {
      note: "is nothing",
      stats: () => undefined,
      says: "stats().pending: expected a whole number >= 0, got undefined",
    },
    { note: "is null", stats: () => null, says: "stats().pending: " },
    { note: "lacks a count", stats: () => ({ pending: 3 }), says: "stats().running: " },
    { note: "is negative", stats: () => ({ pending: -1, running: 0 }), says: "got -1" },
    { note: "is NaN", stats: () => ({ pending: 0, running: Number.NaN }), says: "got NaN" },
    { note: "is a fraction", stats: () => ({ pending: 0.5, running: 0 }), says: "got 0.5" },
    { note: "is text", stats: () => ({ pending: "3", running: 0 }), says: "got 3" },
    {
      note: "is beyond counting",
      stats: () => ({ pending: Number.POSITIVE_INFINITY, running: 0 }),
      says: "got Infinity",
    },
  ])("is unreadable when it $note, and never zero", async ({ stats, says }) => {
    const reading = await read(stats);
    expect(reading.kind).toBe("unreadable");
    expect(reading.kind === "unreadable" && reading.cause.message).toContain(says);
  });
});

function boom(): never {
  throw new Error("connection refused");
}

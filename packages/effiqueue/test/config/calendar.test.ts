/** When spans hold, also in the nights in which the clocks change: every moment is given in UTC. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openCalendar } from "../../src/config/calendar.ts";
import { type ActiveSpan, limitsIn, type Schedule } from "../../src/model/schedule.ts";
import { wallMs } from "../../src/units.ts";

const HOUR = 3600;

const schedule = (changed: Partial<Schedule>): Schedule => ({
  name: "it",
  cron: "0 8 * * 1-5",
  forSec: 10 * HOUR,
  timeZone: "UTC",
  minWorkers: 5,
  maxWorkers: undefined,
  ...changed,
});

const at = (moment: string): ReturnType<typeof wallMs> => wallMs(Date.parse(`${moment}Z`));

const spanAt = (each: Schedule, moment: string): ActiveSpan | undefined => openCalendar([each]).at(at(moment))[0];

interface Span {
  readonly zone: string;
  readonly cron: string;
  readonly hours: number;
  readonly from: string;
  readonly until: string;
  readonly note: string;
}

// In Berlin the clocks change on 29 March (01:00 UTC) and 25 October (01:00 UTC), in New York on 8 March (07:00 UTC) and 1 November (06:00 UTC).
const SPANS: readonly Span[] = [
  ["UTC", "0 8 * * 1-5", 10, "2026-11-30T08:00", "2026-11-30T18:00", "a Monday without any change"],
  ["Europe/Berlin", "0 8 * * 1-5", 10, "2026-03-27T07:00", "2026-03-27T17:00", "the Friday before, in winter time"],
  ["Europe/Berlin", "0 8 * * 1-5", 10, "2026-03-30T06:00", "2026-03-30T16:00", "the Monday after, in summer time"],
  ["Europe/Berlin", "0 8 * * 1-5", 10, "2026-10-23T06:00", "2026-10-23T16:00", "the Friday before, in summer time"],
  ["Europe/Berlin", "0 8 * * 1-5", 10, "2026-10-26T07:00", "2026-10-26T17:00", "the Monday after, in winter time"],
  [
    "Europe/Berlin",
    "0 22 * * *",
    10,
    "2026-03-28T21:00",
    "2026-03-29T06:00",
    "a night of 23 hours: until 08:00, nine hours",
  ],
  [
    "Europe/Berlin",
    "0 22 * * *",
    10,
    "2026-10-24T20:00",
    "2026-10-25T07:00",
    "a night of 25 hours: until 08:00, eleven hours",
  ],
  [
    "Europe/Berlin",
    "0 0 * * *",
    24,
    "2026-03-28T23:00",
    "2026-03-29T22:00",
    "a day of 23 hours ends where the next begins",
  ],
  ["Europe/Berlin", "0 0 * * *", 24, "2026-10-24T22:00", "2026-10-25T23:00", "a day of 25 hours has no hour without"],
  [
    "Europe/Berlin",
    "30 2 * * 0",
    2,
    "2026-03-29T01:00",
    "2026-03-29T03:00",
    "02:30 is jumped over: it begins at 03:00",
  ],
  [
    "Europe/Berlin",
    "30 2 * * 0",
    2,
    "2026-10-25T00:30",
    "2026-10-25T03:30",
    "02:30 comes twice: the first one begins it",
  ],
  ["Europe/Berlin", "0 22 * * 6", 4.5, "2026-03-28T21:00", "2026-03-29T01:30", "its end, 02:30, is jumped over: 03:30"],
  [
    "Europe/Berlin",
    "0 22 * * 6",
    4.5,
    "2026-10-24T20:00",
    "2026-10-25T00:30",
    "its end comes twice: the first one ends it",
  ],
  ["America/New_York", "0 8 * * 1-5", 10, "2026-03-06T13:00", "2026-03-06T23:00", "the Friday before, in winter time"],
  ["America/New_York", "0 8 * * 1-5", 10, "2026-03-09T12:00", "2026-03-09T22:00", "the Monday after, in summer time"],
  ["America/New_York", "0 22 * * *", 10, "2026-03-08T03:00", "2026-03-08T12:00", "a night of 23 hours"],
  ["America/New_York", "0 22 * * *", 10, "2026-11-01T02:00", "2026-11-01T13:00", "a night of 25 hours"],
  [
    "America/New_York",
    "30 1 * * 0",
    1,
    "2026-11-01T05:30",
    "2026-11-01T07:30",
    "01:30 comes twice, and 02:30 is after both",
  ],
  ["Australia/Lord_Howe", "0 0 * * *", 24, "2026-04-04T13:00", "2026-04-05T13:30", "a day of 24 hours and a half"],
  [
    "Asia/Kolkata",
    "0 8 * * *",
    10,
    "2026-03-29T02:30",
    "2026-03-29T12:30",
    "a zone of half an hour that never changes",
  ],
].map(([zone, cron, hours, from, until, note]) => ({ zone, cron, hours, from, until, note }) as Span);

const shifted = (moment: string, ms: number): string => new Date(at(moment) + ms).toISOString().slice(0, -1);

describe("DESIGN 5.5: a span on the wall clock of its zone", () => {
  it.each(SPANS)("$cron for $hours h in $zone: $note", ({ zone, cron, hours, from, until }) => {
    const each = schedule({ cron, timeZone: zone, forSec: hours * HOUR });
    const name = "it";
    expect(spanAt(each, from)).toEqual({ name, minWorkers: 5, maxWorkers: undefined, until: at(until) });
    expect(spanAt(each, shifted(until, -1))?.until).toBe(at(until));
    // Daily ones follow each other; before and after the others there is nothing.
    if (hours === 24) {
      expect(spanAt(each, until)?.until).toBeGreaterThan(at(until));
    } else {
      expect(spanAt(each, shifted(from, -1))).toBeUndefined();
      expect(spanAt(each, until)).toBeUndefined();
    }
  });

  it("goes on when it begins again within itself", () => {
    const each = schedule({ cron: "0 * * * *", forSec: 2 * HOUR });
    expect(spanAt(each, "2026-11-30T10:59:59")?.until).toBe(at("2026-11-30T12:00"));
    expect(spanAt(each, "2026-11-30T11:00")?.until).toBe(at("2026-11-30T13:00"));
  });

  it("knows the nicknames, and the zone of the machine where none is given", () => {
    const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    const [own, named] = [undefined, zone].map((timeZone) => schedule({ cron: "@daily", forSec: HOUR, timeZone }));
    if (!own || !named) throw new Error("none");
    for (let hour = 0; hour < 24; hour += 1) {
      const moment = `2026-11-30T${String(hour).padStart(2, "0")}:30`;
      expect(spanAt(own, moment)).toEqual(spanAt(named, moment));
    }
  });

  it("is one a day of the same length by the clock on the wall, whatever the day", () => {
    const wall = (zone: string, moment: number): string =>
      new Intl.DateTimeFormat("en-GB", { timeZone: zone, hour: "2-digit", minute: "2-digit" }).format(moment);
    fc.assert(
      fc.property(
        fc.constantFrom("Europe/Berlin", "America/New_York", "Australia/Sydney", "Asia/Kolkata"),
        fc.integer({ min: 4, max: 23 }),
        fc.integer({ min: 0, max: 365 * 24 }),
        (zone, startHour, hour) => {
          // From an hour and to an hour that no clock jumps over.
          const hours = (24 - startHour + 12) % 24 || 24;
          const each = schedule({ cron: `0 ${startHour} * * *`, timeZone: zone, forSec: hours * HOUR });
          const span = spanAt(each, shifted("2026-01-01T00:00", hour * HOUR * 1000));
          if (span !== undefined) expect(wall(zone, span.until)).toBe("12:00");
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe("DESIGN 5.5: floors and ceilings of several schedules", () => {
  const span = (name: string, minWorkers?: number, maxWorkers?: number): ActiveSpan => ({
    name,
    minWorkers,
    maxWorkers,
    until: at("2026-11-30T18:00"),
  });

  it.each([
    { note: "none", spans: [], limits: { minWorkers: 2, maxWorkers: 10 } },
    { note: "a floor", spans: [span("a", 5)], limits: { minWorkers: 5, maxWorkers: 10, floorBy: "a" } },
    { note: "a floor below the program's", spans: [span("a", 1)], limits: { minWorkers: 2, maxWorkers: 10 } },
    { note: "a ceiling", spans: [span("a", undefined, 4)], limits: { minWorkers: 2, maxWorkers: 4, ceilingBy: "a" } },
    {
      note: "a ceiling above the program's",
      spans: [span("a", undefined, 40)],
      limits: { minWorkers: 2, maxWorkers: 10 },
    },
    {
      note: "the highest floor and the lowest ceiling",
      spans: [span("a", 3, 9), span("b", 5), span("c", 4, 8)],
      limits: { minWorkers: 5, maxWorkers: 8, floorBy: "b", ceilingBy: "c" },
    },
    {
      note: "a ceiling below the floor: the ceiling holds",
      spans: [span("a", 8), span("b", undefined, 3)],
      limits: { minWorkers: 3, maxWorkers: 3, floorBy: "b", ceilingBy: "b" },
    },
    {
      note: "no workers at all",
      spans: [span("a", undefined, 0)],
      limits: { minWorkers: 0, maxWorkers: 0, floorBy: "a", ceilingBy: "a" },
    },
  ])("$note", ({ spans, limits }) => {
    expect(limitsIn({ minWorkers: 2, maxWorkers: 10 }, spans)).toEqual(limits);
  });
});

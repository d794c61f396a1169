import { constant, diurnal, formatTrace, onOff, parseTrace, ramp, type Trace } from "effiqueue/simulate";
import { describe, expect, it } from "vitest";

describe("DESIGN 13.2: traces", () => {
  it.each([
    ["bare counts, and comments", "# of somebody\n3\n0\n\n2.5\n", { intervalSec: 1, arrivals: [3, 0, 2.5] }],
    ["the last of several columns", "9,3\n9,4", { intervalSec: 1, arrivals: [3, 4] }],
    ["named columns in any order", "arrivals;sec\n3;10\n4;20", { intervalSec: 10, arrivals: [3, 4] }],
    ["cells in quotes", '"sec","arrivals"\n"10","3"\n"20","4"', { intervalSec: 10, arrivals: [3, 4] }],
    ["facts", "# service_sec = 0.5\narrivals\n3", { intervalSec: 1, arrivals: [3], facts: { service_sec: 0.5 } }],
    [
      "what was measured, as far as it is known",
      "sec,arrivals,backlog,other\n5,3,7,x\n10,4,,x",
      { intervalSec: 5, arrivals: [3, 4], measured: { backlog: [7, null], workers: [null, null] } },
    ],
  ])("reads %s", (_, text, trace) => {
    expect(parseTrace(text)).toEqual({ ...trace, spread: "exact" });
  });

  it.each([
    ["nothing", "", "line 1: expected rows with arrivals, got none"],
    ["a head alone", "sec,arrivals\n", "line 1: expected rows with arrivals below the head, got none"],
    ["a head without arrivals", "sec,count\n1,2", 'line 1: expected a column "arrivals", got sec, count'],
    ["what is no count", "arrivals\n1\nmany", 'line 3: expected a number of arrivals >= 0, got "many"'],
    ["fewer than none", "1\n-1", 'line 2: expected a number of arrivals >= 0, got "-1"'],
    ["times of day", "time,arrivals\n09:00,5\n10:00,7", 'line 1: expected a column "sec" with the second'],
    ["unequal steps", "sec,arrivals\n1,1\n2,1\n4,1", 'line 4: expected "sec" in equal steps, got "4"'],
    ["a fact that is none", "# slots=many\n1", "line 1: expected slots as a number >= 0, got many"],
  ])("refuses %s, and says where", (_, text, message) => {
    expect(() => parseTrace(text)).toThrow(message);
  });

  it("takes several columns without times where it is told how long a row is", () => {
    expect(parseTrace("time,arrivals\n09:00,5\n10:00,7", { intervalSec: 3600 })).toMatchObject({ intervalSec: 3600 });
  });

  it("a file of a trace gives the trace back", () => {
    const trace: Trace = {
      intervalSec: 0.1,
      arrivals: [1, 2, 3],
      spread: "exact",
      measured: { backlog: [1, null, 0], workers: [2, 2, null] },
      facts: { service_sec: 0.25, slots: 2, memory_bytes: 8e9 },
    };
    expect(parseTrace(formatTrace(trace))).toEqual(trace);
  });

  it.each([
    ["constant", constant({ lengthSec: 40 }, { perSec: 2 }), [20, 20, 20, 20]],
    ["ramp", ramp({ lengthSec: 40 }, { fromPerSec: 0, toPerSec: 4 }), [5, 15, 25, 35]],
    ["on and off", onOff({ lengthSec: 40 }, { onPerSec: 3, offPerSec: 1, onSec: 10, offSec: 10 }), [10, 30, 10, 30]],
  ])("generates: %s", (_, { arrivals, intervalSec }, expected) => {
    expect(intervalSec).toBe(10);
    for (const [i, count] of expected.entries()) expect(arrivals[i]).toBeCloseTo(count);
  });

  it("a day begins and ends at its lowest", () => {
    const { arrivals } = diurnal({ lengthSec: 2400 }, { lowPerSec: 1, highPerSec: 9, periodSec: 2400 });
    expect(arrivals[0]).toBeCloseTo(10, 0);
    expect(arrivals[120]).toBeCloseTo(90, 0);
    expect(arrivals.at(-1)).toBeCloseTo(10, 0);
  });
});

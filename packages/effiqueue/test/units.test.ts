import { describe, expect, it } from "vitest";
import { MAX_TIMER_MS, msToSec, secToMs, timerMs } from "../src/units.ts";

describe("DESIGN 1.2: units and time", () => {
  it.each([
    [0, 0, "now"],
    [-5, 0, "already past"],
    [0.2, 1, "rounded up: a timer never fires early"],
    [1500, 1500, "as it is"],
    [2 ** 31 - 1, 2 ** 31 - 1, "the longest there is"],
    [2 ** 31, 2 ** 31 - 1, "Node would fire after 1 ms"],
    [Infinity, 2 ** 31 - 1, "Node would fire after 1 ms"],
  ])("a timer for %d ms is set to %d (%s)", (delayMs, set) => {
    expect(timerMs(delayMs)).toBe(set);
    expect(set).toBeLessThanOrEqual(MAX_TIMER_MS);
  });

  it("converts seconds and milliseconds there and back", () => {
    expect(secToMs(2.5)).toBe(2500);
    expect(msToSec(secToMs(7))).toBe(7);
  });
});

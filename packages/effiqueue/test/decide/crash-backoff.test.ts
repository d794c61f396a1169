import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type BackoffState,
  CRASHES_BEFORE_PAUSE,
  crashBackoff,
  FIRST_PAUSE_SEC,
  LONGEST_PAUSE_SEC,
} from "../../src/decide/index.ts";

const { initial } = crashBackoff;
const crashed = (state: BackoffState, nowSec: number): BackoffState => crashBackoff.crashed(state, nowSec);
const lived = (state: BackoffState): BackoffState => crashBackoff.lived(state);
const remainingSec = (state: BackoffState, nowSec: number): number => crashBackoff.remainingSec(state, nowSec);

/** The pauses that a worker meets which always crashes `afterSec` after its spawn and is replaced as soon as allowed. */
function pausesOf(crashes: number, afterSec: number): number[] {
  let state = initial;
  let nowSec = 1000;
  return Array.from({ length: crashes }, () => {
    nowSec += afterSec;
    state = crashed(state, nowSec);
    const pause = remainingSec(state, nowSec);
    nowSec += pause;
    return pause;
  });
}

describe("DESIGN 4.6: crash back-off", () => {
  it("replaces the first two crashes at once, then pauses for 1, 2, 4 ... 60 s", () => {
    expect(pausesOf(11, 2)).toEqual([0, 0, 1, 2, 4, 8, 16, 32, 60, 60, 60]);
    expect([CRASHES_BEFORE_PAUSE, FIRST_PAUSE_SEC, LONGEST_PAUSE_SEC]).toEqual([3, 1, 60]);
  });

  it("stays at the longest pause for ever, with numbers that stay numbers", () => {
    expect(pausesOf(3000, 0).at(-1)).toBe(60);
  });

  it("begins anew when a worker has lived", () => {
    let state = [1, 2, 3, 4].reduce((past, sec) => crashed(past, sec * 100), initial);
    expect(remainingSec(state, 400)).toBe(2);
    state = lived(state);
    expect(remainingSec(state, 400)).toBe(0);
    expect(remainingSec(crashed(crashed(state, 500), 501), 501)).toBe(0);
  });

  it("takes ten workers that fall at one moment for one fault: a pause of a second, not of a minute", () => {
    const state = Array.from({ length: 10 }, () => 50).reduce(crashed, initial);
    expect(remainingSec(state, 50)).toBe(1);
    expect(state.consecutiveCrashes).toBe(3);
  });

  it("counts a crash at the very end of a pause, and none just before", () => {
    const paused = [0, 0, 0].reduce(crashed, initial);
    expect(crashed(paused, 0.999)).toEqual(paused);
    expect(crashed(paused, 1)).toEqual({ consecutiveCrashes: 4, notBeforeSec: 3 });
  });

  it("spawns a worker that crashes at any age below the limit at most 17 times in ten minutes", () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0, max: 9.99, noNaN: true }), { minLength: 700, maxLength: 700 }),
        (ages) => {
          let state: BackoffState = initial;
          let nowSec = 0;
          let spawns = 0;
          for (const ageSec of ages) {
            if (nowSec > 600) break;
            spawns++;
            nowSec += ageSec;
            state = crashed(state, nowSec);
            nowSec += remainingSec(state, nowSec);
          }
          expect(nowSec).toBeGreaterThan(600);
          expect(spawns).toBeLessThanOrEqual(17);
        },
      ),
      { numRuns: 100 },
    );
  });

  it("never pauses longer than a minute, nor for a negative time, whatever happens in whatever order", () => {
    const event = fc.record({
      kind: fc.constantFrom("crashed", "lived"),
      afterSec: fc.double({ min: 0, max: 90, noNaN: true }),
    });
    fc.assert(
      fc.property(fc.array(event), (events) => {
        let state: BackoffState = initial;
        let nowSec = 0;
        for (const { kind, afterSec } of events) {
          nowSec += afterSec;
          const before = Object.freeze({ ...state });
          state = kind === "crashed" ? crashed(before, nowSec) : lived(before);
          expect(JSON.parse(JSON.stringify(state))).toEqual(state);
          expect(remainingSec(state, nowSec)).toBeGreaterThanOrEqual(0);
          expect(remainingSec(state, nowSec)).toBeLessThanOrEqual(60.000001);
        }
      }),
    );
  });
});

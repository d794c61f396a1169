import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isRestless, learnTurns, NO_TURNS } from "../../../../src/decide/slo/pace/turns.ts";
import { chance } from "../drive.ts";

const HOUR_SEC = 3_600;

describe("DESIGN 2.20: turns", () => {
  it("are changes that go the other way than the one before, waking for a single message aside", () => {
    const orders = [2, 3, 4, 3, 1, 0, 1, 0, 1, 2];
    let turns = NO_TURNS;
    for (const [i, ordered] of orders.entries()) {
      turns = learnTurns(turns, ordered, orders[i - 1] ?? ordered, 10, true);
    }
    expect(turns.agesSec).toEqual([0, 60]);
  });

  it("that a change of the load brought are forgotten", () => {
    const turned = { way: 1, agesSec: [10, 20, 30, 40, 50] };
    expect(isRestless(turned)).toBe(true);
    expect(isRestless(learnTurns(turned, 3, 3, 5, true))).toBe(true);
    expect(isRestless(learnTurns(turned, 3, 3, 5, false))).toBe(false);
  });

  it("are no more than six in any hour of a pool that grows whenever it likes and shrinks when it may", () => {
    fc.assert(
      fc.property(fc.nat(2 ** 30), fc.integer({ min: 1, max: 120 }), (seed, dtSec) => {
        const random = chance(seed);
        const turnedAt: number[] = [];
        let turns = NO_TURNS;
        let workers = 3;
        for (let at = 0; at < 4 * HOUR_SEC; at += dtSec) {
          const wished = 1 + Math.floor(6 * random());
          const ordered = isRestless(turns) ? Math.max(workers, wished) : wished;
          turns = learnTurns(turns, ordered, workers, dtSec, true);
          workers = ordered;
          if (turns.agesSec[0] === 0) turnedAt.push(at);
          expect(turnedAt.filter((then) => then > at - HOUR_SEC).length).toBeLessThanOrEqual(6);
        }
        expect(turnedAt.length).toBeGreaterThan(12);
      }),
      { numRuns: 100 },
    );
  });
});

import { describe, expect, it } from "vitest";
import { learnSteady, NEVER_STEADY, type Steady, steadyLoad } from "../../../../src/decide/slo/pace/steady.ts";
import { rateWithin } from "../../../../src/decide/slo/rate.ts";
import { chance } from "../drive.ts";

const WINDOW_SEC = 5;

/** Counts of a Poisson process: chance is as it is, and the same every time. */
function poisson(mean: number, random: () => number): number {
  let count = -1;
  for (let left = 1; left > Math.exp(-mean); left *= random()) count += 1;
  return count;
}

interface Load {
  readonly perSec: (atSec: number) => number;
  readonly mu?: (atSec: number) => number;
  /** The interval of mu reaches from a part of it to as much more. */
  readonly factor?: number;
  readonly sec: number;
  readonly seed?: number;
}

/** @returns for each window, whether the load had stood still */
function seen({ perSec, mu = () => 2, factor = 1.1, sec, seed = 1 }: Load): {
  at: (sec: number) => boolean;
  last: Steady;
} {
  const random = chance(seed);
  const verdicts: boolean[] = [];
  let steady = NEVER_STEADY;
  for (let at = 0; at < sec; at += WINDOW_SEC) {
    const arrived = { messages: poisson(perSec(at) * WINDOW_SEC, random), sec: WINDOW_SEC, vagueSec: 0 };
    steady = learnSteady(steady, arrived, rateWithin(mu(at), factor));
    verdicts.push(steadyLoad(steady) !== null);
  }
  return { at: (when) => verdicts[Math.ceil(when / WINDOW_SEC) - 1] ?? false, last: steady };
}

describe("DESIGN 2.18: a load that stands still", () => {
  it.each([0.5, 3, 20])(
    "is known after a quarter of an hour of %d messages/s, but for a false alarm in many hours",
    (rate) => {
      const minutes = Array.from({ length: 10 }, (_, luck) => {
        const { at, last } = seen({ perSec: () => rate, sec: 4 * 3600, seed: luck + 1 });
        expect(at(890)).toBe(false);
        expect(at(910)).toBe(true);
        expect(Math.abs(last.all.messages / last.all.sec / rate - 1)).toBeLessThan(0.1);
        return Array.from({ length: 220 }, (__, minute) => at(920 + 60 * minute));
      }).flat();
      expect(minutes.filter((steady) => steady).length / minutes.length).toBeGreaterThan(0.95);
    },
  );

  it.each([
    { note: "doubles", factor: 2, withinSec: 120 },
    { note: "is halved", factor: 0.5, withinSec: 180 },
    { note: "grows by a quarter", factor: 1.25, withinSec: 1_500 },
  ])("is another soon after it $note", ({ factor, withinSec }) => {
    const { at } = seen({ perSec: (sec) => (sec < 3_600 ? 4 : 4 * factor), sec: 7_200 });
    expect(at(3_600)).toBe(true);
    expect(Array.from({ length: withinSec / 5 }, (_, i) => at(3_605 + 5 * i))).toContain(false);
  });

  it("is none that climbs by a half in an hour and more", () => {
    const { at } = seen({ perSec: (sec) => 4 + (4 * sec) / 3_600, sec: 3_600 });
    expect([1_200, 1_800, 2_400, 3_000, 3_600].map(at)).toContain(false);
  });

  it("is none the less one where the broker counts every ten seconds, and now and then a look comes a window late", () => {
    let steady = NEVER_STEADY;
    let longestSec = 0;
    for (let window = 0; window < 720; window += 1) {
      // Fifteen seconds by our clock and then five, of the ten that it counted.
      const sec = window % 20 === 0 ? 15 : window % 20 === 1 ? 5 : 10;
      steady = learnSteady(steady, { messages: 120, sec, vagueSec: 10 }, rateWithin(2, 1.1));
      expect(steady.all.sec).toBeGreaterThan(longestSec);
      longestSec = steady.all.sec;
    }
  });

  it("is another when a message takes three times as long, and not for the noise of few messages", () => {
    const slower = seen({ perSec: () => 4, mu: (sec) => (sec < 3_600 ? 2 : 0.7), sec: 4_200 });
    expect(slower.at(3_600)).toBe(true);
    expect(slower.at(3_800)).toBe(false);
    // As an estimate of it follows, step by step.
    const following = seen({
      perSec: () => 4,
      mu: (sec) => (sec < 3_600 ? 2 : 0.7 + 1.3 * 0.7 ** ((sec - 3_600) / 5)) + 1e-6 * sec,
      sec: 4_200,
    });
    expect(following.at(3_600)).toBe(true);
    expect(following.at(3_800)).toBe(false);
    const random = chance(7);
    const noisy = seen({ perSec: () => 4, mu: () => 1.6 + 0.8 * random(), sec: 7_200 });
    expect(noisy.at(7_200)).toBe(true);
  });

  it("is not another by a rate that few messages tell, for as long as that may stand", () => {
    const few = { perSec: () => 4, mu: (sec: number) => (sec < 3_600 ? 2 : 0.7), sec: 7_200 };
    expect(seen({ ...few, factor: 3.5 }).at(7_200)).toBe(true);
    expect(seen({ ...few, factor: 2 }).at(3_800)).toBe(false);
  });

  it("is not another by the first rate after minutes in which nothing could be read", () => {
    const steady = seen({ perSec: () => 4, sec: 3_600 }).last;
    const blind = learnSteady(steady, { messages: 800, sec: 200, vagueSec: 200 }, rateWithin(0.5, 1.5));
    expect(steadyLoad(blind)?.mu).toBeCloseTo(2, 0);
    // As before, once it was read again.
    const after = learnSteady(blind, { messages: 20, sec: 5, vagueSec: 5 }, rateWithin(2, 1.1));
    expect(steadyLoad(after)).not.toBeNull();
    // And another if it stays so.
    let slow = blind;
    for (let at = 0; at < 120; at += WINDOW_SEC) {
      slow = learnSteady(slow, { messages: 20, sec: WINDOW_SEC, vagueSec: 5 }, rateWithin(0.5, 1.5));
    }
    expect(steadyLoad(slow)).toBeNull();
  });
});

/** What few messages say of mu, where the broker's windows are not ours. */
import { describe, expect, it } from "vitest";
import { chance, Driver } from "./drive.ts";

const POLL_SEC = 2;
const READY = 300;
const LOOKS = 200;

/** Workers that finish a message after the other, `perSec` of them, evenly; the broker counts every `sampleSec`. */
function looks(
  perSec: number,
  sampleSec: number,
  finishedAt: (sec: number) => number = (sec) => Math.floor(perSec * sec),
) {
  return (look: number) => {
    const counts = Math.floor((look * POLL_SEC) / sampleSec) + 1;
    const total = (count: number) => 1_000 + finishedAt(count * sampleSec);
    const rate = (total(counts) - total(counts - 1)) / sampleSec;
    const arrived = { publishedTotal: 9_000 + total(counts), publishRate: rate };
    return { ready: READY, unacked: 3, ackedTotal: total(counts), ackRate: rate, ...arrived };
  };
}

/** mu at every look, from the twentieth on. */
function muOf(queueAt: ReturnType<typeof looks>, isMissed: (look: number) => boolean): number[] {
  const driver = new Driver({ pollInterval: POLL_SEC });
  const mus = Array.from({ length: LOOKS }, (_, look) => {
    const queue = isMissed(look) ? null : queueAt(look);
    return driver.tick({ dtSec: POLL_SEC, serving: 3, queue }).mu;
  });
  return mus.slice(20).map((mu) => mu ?? 0);
}

const never = () => false;

describe("DESIGN 2.3: few messages", () => {
  it.each([
    { note: "every count is seen at once", isMissed: never },
    {
      note: "looks fail: the count before the last was heard late, and the last is of more than our window",
      isMissed: missed(),
    },
  ])("are those of the broker's window, not of ours: $note", ({ isMissed }) => {
    const mus = muOf(looks(2.4, 5), isMissed);
    expect(Math.max(...mus)).toBeLessThan(0.8 * 1.1);
    expect(Math.min(...mus)).toBeGreaterThan(0.8 * 0.9);
  });

  it("are not those of the part of our window that its rate is of, wherever that had luck", () => {
    // Two messages in one second, ten in the next, at which we look.
    const unevenly = (sec: number) => 10 * Math.floor((sec + 1) / 2) + 2 * Math.floor(sec / 2);
    expect(Math.max(...muOf(looks(6, 1, unevenly), never))).toBeLessThan(2 * 1.1);
  });
});

function missed(): (look: number) => boolean {
  const random = chance(7);
  const fails = Array.from({ length: LOOKS }, () => random() < 0.2);
  return (look) => fails[look] ?? false;
}

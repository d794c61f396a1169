import { describe, expect, it } from "vitest";
import { drainSecOf } from "../../src/report/drain-time.ts";

const NEVER = Number.POSITIVE_INFINITY;

describe("DESIGN 6.7, 6.8: the time until the queue is empty", () => {
  it.each<[number | null, number | null, number | null, number | null, number | null, string]>([
    [50_000, 8, 200, 24, NEVER, "the worked example: 192 < 200"],
    [50_000, 8, 200, 78, 50_000 / 424, "with all that are needed"],
    [0, 8, 200, 0, 0, "it is empty"],
    [10, 0.1, 0.3, 3, NEVER, "in doubles 3 x 0.1 is more than 0.3"],
    [10, 0.1, 0.3, 4, 100, ""],
    [10, 1, 0, 0, NEVER, "nobody works"],
    [null, 8, 200, 24, null, "unknown backlog"],
    [10, null, 200, 24, null, "unknown mu"],
    [10, 8, null, 24, null, "unknown lambda"],
    [10, 8, 200, null, null, "unknown pool"],
  ])("%d messages, mu %d, lambda %d, %d workers: %d s (%s)", (backlog, muPerSec, lambdaPerSec, workers, seconds) => {
    const result = drainSecOf({ backlog, muPerSec, lambdaPerSec, workers });
    if (seconds === null || seconds === NEVER) expect(result).toBe(seconds);
    else expect(result).toBeCloseTo(seconds, 9);
  });
});

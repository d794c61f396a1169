import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  ACTIVE_STATES,
  afterFailure,
  afterWorkerDeath,
  canMove,
  FINISHED_STATES,
  JOB_STATES,
  type JobState,
  retryDelayMs,
  TRANSITIONS,
} from "../src/lifecycle.ts";

describe("DESIGN 9.3: states of a job", () => {
  it.each<[JobState, JobState[]]>([
    ["scheduled", ["pending", "cancelled"]],
    ["pending", ["running", "cancelled"]],
    ["running", ["completed", "failed", "dead", "cancelled", "pending"]],
    ["failed", ["pending", "cancelled"]],
    ["completed", []],
    ["dead", ["pending"]],
    ["cancelled", []],
  ])("%s leads to %j and nowhere else", (from, to) => {
    expect(JOB_STATES.filter((state) => canMove(from, state)).toSorted()).toEqual(to.toSorted());
  });

  it("runs nothing that was not pending before, so that every run was claimed", () => {
    expect(JOB_STATES.filter((state) => canMove(state, "running"))).toEqual(["pending"]);
  });

  it("sorts every state into active or finished, never both", () => {
    expect([...ACTIVE_STATES, ...FINISHED_STATES].toSorted()).toEqual([...JOB_STATES].toSorted());
  });

  it("lets no job get stuck: from every active state a finished one can be reached", () => {
    const reachable = (from: JobState, seen = new Set<JobState>()): Set<JobState> => {
      for (const to of TRANSITIONS[from]) if (!seen.has(to)) reachable(to, seen.add(to));
      return seen;
    };
    for (const state of ACTIVE_STATES)
      expect([...reachable(state)]).toEqual(expect.arrayContaining(["completed", "dead"]));
  });
});

describe("DESIGN 9.7: retry", () => {
  it.each([
    { attempt: 1, maxRetries: 3, retry: true, then: "failed" },
    { attempt: 3, maxRetries: 3, retry: true, then: "failed" },
    { attempt: 4, maxRetries: 3, retry: true, then: "dead" },
    { attempt: 1, maxRetries: 0, retry: true, then: "dead" },
    { attempt: 1, maxRetries: 3, retry: false, then: "dead" },
  ] as const)("attempt $attempt of 1 + $maxRetries, retry $retry: $then", ({ then, ...run }) => {
    expect(afterFailure(run)).toBe(then);
  });

  it.each([
    { attempt: 1, maxRetries: 3, then: "pending" },
    { attempt: 3, maxRetries: 3, then: "pending" },
    { attempt: 4, maxRetries: 3, then: "dead" },
    { attempt: 1, maxRetries: 0, then: "dead" },
  ] as const)("a worker's death in attempt $attempt of 1 + $maxRetries: $then", ({ then, ...run }) => {
    expect(afterWorkerDeath(run)).toBe(then);
  });

  it("only leads where a running job may go", () => {
    for (const to of ["failed", "dead", "pending"] as const) expect(canMove("running", to)).toBe(true);
  });

  it.each([
    { attempt: 1, baseMs: 1000, maxMs: 3_600_000, chance: 0, delayMs: 500, note: "lower end of the first delay" },
    { attempt: 1, baseMs: 1000, maxMs: 3_600_000, chance: 0.999999, delayMs: 1000, note: "upper end" },
    { attempt: 2, baseMs: 1000, maxMs: 3_600_000, chance: 0, delayMs: 1000, note: "doubled" },
    { attempt: 5, baseMs: 1000, maxMs: 3_600_000, chance: 0.5, delayMs: 12_000, note: "16 s x 0.75" },
    { attempt: 13, baseMs: 1000, maxMs: 3_600_000, chance: 0, delayMs: 1_800_000, note: "capped before the factor" },
    { attempt: 5000, baseMs: 1000, maxMs: 3_600_000, chance: 0, delayMs: 1_800_000, note: "2^4999 is Infinity" },
    { attempt: 5000, baseMs: 0, maxMs: 3_600_000, chance: 0.3, delayMs: 0, note: "0 x Infinity is NaN" },
    { attempt: 1, baseMs: 5000, maxMs: 1000, chance: 0, delayMs: 500, note: "a base above the cap" },
  ])("attempt $attempt from $baseMs ms, chance $chance: $delayMs ms ($note)", ({ delayMs, note: _, ...retry }) => {
    expect(retryDelayMs(retry)).toBe(delayMs);
  });

  it("stays between half and all of the exponential delay, in whole milliseconds, and grows with chance", () => {
    const retry = fc.record({
      attempt: fc.integer({ min: 1, max: 60 }),
      baseMs: fc.integer({ min: 0, max: 100_000 }),
      maxMs: fc.integer({ min: 0, max: 86_400_000 }),
      chance: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
    });
    fc.assert(
      fc.property(retry, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (options, other) => {
        const full = Math.min(options.baseMs * 2 ** (options.attempt - 1), options.maxMs);
        const delayMs = retryDelayMs(options);
        expect(Number.isSafeInteger(delayMs)).toBe(true);
        expect(delayMs).toBeGreaterThanOrEqual(Math.floor(full / 2));
        expect(delayMs).toBeLessThanOrEqual(full);
        if (other >= options.chance)
          expect(retryDelayMs({ ...options, chance: other })).toBeGreaterThanOrEqual(delayMs);
      }),
    );
  });
});

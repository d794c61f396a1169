import { describe, expect, it } from "vitest";
import { type BudgetClaim, sharedBudget } from "../../src/decide/index.ts";
import type { ProgramDecision, ReasonCode } from "../../src/model/decision.ts";
import { UNMEASURED } from "../../src/model/unmeasured.ts";
import { GB, MB } from "./slo/drive.ts";

const budget = sharedBudget({ ramBudgetBytes: 0 });

/** Of 100 bytes a worker, unless told otherwise. */
const claim = (workers: number, wants: number, rest: Partial<BudgetClaim> = {}): BudgetClaim => ({
  workers,
  draining: 0,
  workerBytes: 100,
  program: "p",
  priority: 0,
  wanted: wants,
  need: null,
  floor: 0,
  ...rest,
});

const needs = (needed: number, keepUp: number) => ({ need: { needed, keepUp } });

/** Live workers that the first claim may have, as `capacityOf` makes them of bytes. */
function liveOf(totalBytes: number, claims: readonly [BudgetClaim, ...BudgetClaim[]]): number {
  const [{ workerBytes, draining }] = claims;
  const named = claims.map((each, i) => ({ ...each, program: `p${i}` }));
  return Math.floor(budget.shareBytes(totalBytes, named, 0) / (workerBytes ?? 1)) - draining;
}

describe("DESIGN 7.8: what one program may take", () => {
  it("is all of the budget where nobody else is", () => {
    expect(budget.shareBytes(12 * GB, [claim(3, 78, { workerBytes: 512 * MB })], 0)).toBe(12 * GB);
    expect(budget.shareBytes(1_234, [claim(0, 5, { workerBytes: null })], 0)).toBe(1_234);
  });

  it("is no more than all of the budget, though one worker, or its floor, runs whatever it is", () => {
    expect(budget.shareBytes(30, [claim(1, 5)], 0)).toBe(30);
    expect(budget.shareBytes(250, [claim(4, 5, { floor: 4, draining: 1 })], 0)).toBe(350);
  });

  it.each([
    { may: 10, claims: [claim(4, 9), claim(0, 0)], note: "the other wants nothing" },
    { may: 7, claims: [claim(4, 9), claim(3, 3)], note: "the other has what it wants, and holds it" },
    { may: 6, claims: [claim(4, 9), claim(3, 3, { draining: 1 })], note: "what drains is still held" },
    { may: 5, claims: [claim(4, 9), claim(1, 9)], note: "both hungry: half each; naive: 9, what the other leaves" },
    { may: 7, claims: [claim(4, 9), claim(1, 3)], note: "the other wants less than its half" },
    { may: 8, claims: [claim(4, 9), claim(2, 3)], note: "one worker less than wanted is no lack" },
    { may: 9, claims: [claim(4, 9), claim(0, 1)], note: "no worker at all is" },
    { may: 5, claims: [claim(8, 9), claim(1, 9)], note: "holds more than its share while the other lacks" },
    { may: 6, claims: [claim(6, 9), claim(4, 9)], note: "a difference of one stops nobody" },
    { may: 5, claims: [claim(5, 9), claim(4, 9)], note: "but nobody grows at the cost of it" },
    { may: 6, claims: [claim(7, 9), claim(1, 9, { workerBytes: 200 })], note: "one of two is too little" },
    { may: 4, claims: [claim(4, 9), claim(8, 9)], note: "within its share, though both hold too much" },
    { may: 5, claims: [claim(5, 9, { draining: 3 }), claim(1, 9)], note: "what it drains already is given back once" },
    { may: 8, claims: [claim(2, 9, { draining: 2 }), claim(0, 0)], note: "its own draining workers hold memory too" },
    { may: 1, claims: [claim(9, 9), claim(1, 9, { floor: 9 })], note: "a floor holds whatever the share" },
    { may: 4, claims: [claim(0, 9), claim(0, 9), claim(0, 9)], note: "three each, and the tenth goes to the first" },
    { may: 3, claims: [claim(0, 9), claim(4, 9), claim(0, 9)], note: "unless another has it" },
    {
      may: 6,
      claims: [claim(1, 9), claim(1, 9, { workerBytes: 400 })],
      note: "fair in bytes, 600 to 400: a second one of the other does not fit",
    },
    { may: 6, claims: [claim(1, 9), claim(1, 1, { workerBytes: 400 })], note: "workers of different size" },
    { may: 5, claims: [claim(4, 9), claim(2, 2, { beyondBytes: 300 })], note: "a worker of the other takes 400" },
    {
      may: 7,
      claims: [claim(4, 9, { beyondBytes: 300 }), claim(3, 3)],
      note: "what its own takes beyond is in its part",
    },
    { may: 9, claims: [claim(4, 9, { priority: 1 }), claim(1, 9)], note: "first by priority, but for one worker" },
    { may: 7, claims: [claim(4, 9, { priority: 1 }), claim(3, 9)], note: "not before the other has given it back" },
    { may: 1, claims: [claim(8, 9), claim(2, 9, { priority: 1 })], note: "which it does" },
    { may: 3, claims: [claim(8, 9, { floor: 3 }), claim(2, 9, { priority: 1 })], note: "down to its floor" },
    { may: 1, claims: [claim(8, 9), claim(7, 9, { priority: 1 })], note: "also for the last two" },
    { may: 2, claims: [claim(2, 9), claim(8, 9, { priority: 1 })], note: "and not for the last one" },
    { may: 9, claims: [claim(4, 9), claim(1, 9, { priority: -1 })], note: "negative is below the default" },
    {
      may: 7,
      claims: [claim(1, 12, needs(12, 0)), claim(1, 6, needs(6, 0))],
      note: "as late as the other: twice the work",
    },
    { may: 6, claims: [claim(1, 8, needs(8, 4)), claim(1, 8, needs(8, 0))], note: "four of its workers only keep up" },
    {
      may: 6,
      claims: [claim(1, 9, needs(78, 60)), claim(1, 9, needs(52, 40))],
      note: "neither keeps up: equal parts of it",
    },
    { may: 5, claims: [claim(1, 50, needs(50, 0)), claim(1, 9)], note: "a need that is unknown keeps an equal part" },
    { may: 8, claims: [claim(4, 9), claim(2, 2, { workerBytes: null })], note: "unmeasured: as large as the largest" },
  ] as const)("is $may of 10 workers: $note", ({ may, claims: [own, ...others] }) => {
    expect(liveOf(1_000, [own, ...others])).toBe(may);
  });

  it.each([
    { budget: { ramBudgetBytes: 5 }, machine: null, total: 5 },
    { budget: { headroomBytes: 2 }, machine: null, total: null },
    { budget: { headroomBytes: 2 }, machine: { totalBytes: 16, usedBytes: 9 }, total: 16 - (9 - 4) - 2 },
    { budget: { headroomBytes: 2 }, machine: { totalBytes: 16, usedBytes: 3 }, total: 14 },
    { budget: { headroomBytes: 20 }, machine: { totalBytes: 16, usedBytes: 9 }, total: 0 },
    { budget: { headroomBytes: 2 }, machine: { totalBytes: null, usedBytes: 9 }, total: null },
  ])(
    "begins with $total bytes of $machine under $budget, 4 of them in use by workers",
    ({ budget: limit, machine, total }) => {
      const reading = machine && {
        ...machine,
        swapUsedBytes: 0,
        swapTotalBytes: 0,
        limitedBy: "host",
        groupBytes: new Map(),
      };
      expect(sharedBudget(limit).totalBytes(reading, 4)).toBe(total);
    },
  );
});

describe("DESIGN 7.8: what one program wants", () => {
  const limits = { minWorkers: 1, maxWorkers: 20 };
  const decided = (fields: Partial<ProgramDecision>): ProgramDecision => ({
    current: 2,
    desired: 3,
    action: "grow",
    reason: "slo",
    trail: [],
    rationale: "",
    capacity: 8,
    boundBy: "ram",
    ...UNMEASURED,
    ...fields,
  });
  const trail = (...codes: ReasonCode[]) => ({ trail: codes, reason: "cooldown" as const });

  it.each([
    { wants: 12, decision: decided({ needed: 12 }), ready: 500, note: "needs" },
    { wants: 20, decision: decided({ needed: 78 }), ready: 500, note: "its ceiling" },
    { wants: 1, decision: decided({ needed: 0, desired: 2 }), ready: 0, note: "its floor" },
    { wants: 8, decision: decided({ needed: 12, boundBy: "swap" }), ready: 500, note: "what something else allows" },
    { wants: 20, decision: decided({ reason: "bootstrap" }), ready: 500, note: "its backlog's worth, need unknown" },
    { wants: 9, decision: decided(trail("bootstrap")), ready: 5, note: "also while it cools down" },
    { wants: 20, decision: decided(trail("unknown-rate")), ready: 500, note: "also while only arrivals are unknown" },
    { wants: 3, decision: decided({ reason: "bootstrap" }), ready: 0, note: "what it decided, with nothing waiting" },
    { wants: 3, decision: decided({ reason: "threshold" }), ready: 500, note: "what it decided, without an SLO" },
  ])("is $wants: $note", ({ wants, decision, ready }) => {
    expect(budget.appetite(decision, { ready, unacked: 4 }, limits).wanted).toBe(wants);
  });

  it("is compared with others by what it needs, and what of that only keeps up", () => {
    const appetiteOf = (fields: Partial<ProgramDecision>) => budget.appetite(decided(fields), null, limits);
    expect(appetiteOf({ needed: 78, mu: 8, lambda: 200 })).toEqual({ wanted: 20, need: { needed: 78, keepUp: 25 } });
    // One message takes one worker, however slow.
    expect(appetiteOf({ needed: 1, mu: 0.1, lambda: 2 })).toMatchObject({ need: { needed: 1, keepUp: 1 } });
    expect(appetiteOf({ needed: null, mu: 8, lambda: 200 })).toMatchObject({ need: null });
  });

  it("is what it decided where the queue cannot be read, or the policy is somebody's own", () => {
    expect(budget.appetite(decided({ reason: "unreadable", desired: 6 }), null, limits).wanted).toBe(6);
    const { current, desired, action, reason, rationale } = decided({ desired: 7 });
    const own = { current, desired, action, reason, trail: [], rationale };
    expect(budget.appetite(own, null, limits)).toEqual({ wanted: 7, need: null });
  });
});

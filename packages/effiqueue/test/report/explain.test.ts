import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { BoundBy, ReasonCode } from "../../src/model/decision.ts";
import type { QueueReading } from "../../src/model/observation.ts";
import type { TickRecord } from "../../src/model/tick-record.ts";
import type { BoardProgram } from "../../src/report/board.ts";
import { explainDecisions } from "../../src/report/explain.ts";
import { REASONS } from "../../src/report/reasons/reasons.ts";
import { wallMs } from "../../src/units.ts";
import { DECISION, decided, MAIL, ORDERS, RECORD, testBoard, UNREAD } from "./records.ts";

const GIB = 1024 ** 3;
const HPA: BoardProgram = { name: "orders", mode: "hpa", minWorkers: 1, maxWorkers: 10, sloSec: null };

function explained(records: readonly TickRecord[], program: BoardProgram = ORDERS): string {
  const { board } = testBoard([program]);
  for (const record of records) board.ticked({ ...record, program: program.name });
  const [status] = board.status().programs;
  const [kept] = board.decisions(100);
  if (status === undefined || kept === undefined) throw new Error("no program");
  return explainDecisions(status, kept.decisions);
}

/** What a decision of each reason really looks like: the mode it occurs in, its numbers, what the queue held. */
const CASES: Readonly<Record<ReasonCode, { record: TickRecord; program?: BoardProgram }>> = (() => {
  const queue = (ready: number, unacked: number | null): Partial<TickRecord> => ({
    observation: { ...RECORD.observation, queue: { ready, unacked } },
  });
  const tick = (
    [current, desired]: readonly [number, number],
    reason: ReasonCode,
    decision: Parameters<typeof decided>[0] = {},
    record: Partial<TickRecord> = queue(100, 3),
  ): TickRecord => {
    const action = desired > current ? "grow" : desired < current ? "shrink" : "hold";
    const counts = { starting: Math.max(0, desired - current), serving: Math.min(current, desired), draining: 0 };
    const calm = { needed: desired, gap: null, trail: [], lambda: 5, rationale: `${action}: as decided`, ...decision };
    return decided({ current, desired, action, reason, ...calm }, { counts, ...record });
  };
  const unmeasured = { needed: null, mu: null, lambda: null, muSource: 0 } as const;
  const swapping = { ...RECORD.observation.memory, swapUsedBytes: GIB, swapTotalBytes: 4 * GIB };
  const memory = swapping as TickRecord["observation"]["memory"];
  const inSwap = { observation: { ...RECORD.observation, memory } };
  const waiting = { ...RECORD.observation.memory, pressure: 0.25 } as TickRecord["observation"]["memory"];
  const pressed = { observation: { ...RECORD.observation, memory: waiting } };
  return {
    slo: { record: tick([3, 5], "slo") },
    bootstrap: { record: tick([0, 1], "bootstrap", unmeasured) },
    "unknown-rate": { record: tick([3, 5], "unknown-rate", { needed: null, lambda: null }) },
    ram: { record: RECORD },
    swap: { record: tick([3, 3], "swap", { needed: 9, capacity: 3, boundBy: "swap", trail: ["slo"] }, inSwap) },
    pressure: {
      record: tick([3, 3], "pressure", { needed: 9, capacity: 3, boundBy: "pressure", trail: ["slo"] }, pressed),
    },
    oom: { record: tick([9, 9], "oom", { needed: 12, capacity: 9, boundBy: "oom", trail: ["slo"] }) },
    cpu: { record: tick([8, 8], "cpu", { capacity: 8, boundBy: "cpu", trail: ["slo"] }) },
    "single-consumer": {
      record: tick([1, 1], "single-consumer", { capacity: 1, boundBy: "single-consumer", trail: ["slo"] }),
    },
    downstream: { record: tick([8, 8], "downstream", { capacity: 8, boundBy: "downstream", trail: ["slo"] }) },
    "max-workers": { record: tick([99, 100], "max-workers", { trail: ["slo"] }) },
    "min-workers": { record: tick([2, 1], "min-workers", { trail: ["idle"] }, queue(0, 0)), program: HPA },
    hysteresis: { record: tick([5, 5], "hysteresis", { needed: 6, trail: ["slo"] }) },
    cooldown: { record: tick([5, 5], "cooldown", { needed: 9, trail: ["slo"] }) },
    "max-step": { record: tick([5, 10], "max-step", { needed: 40, trail: ["slo", "max-workers"] }) },
    late: { record: tick([5, 8], "late", { needed: 9, trail: ["slo"] }) },
    surge: { record: tick([1, 20], "surge", { needed: 4, lambda: 40, trail: ["slo"] }) },
    spare: { record: tick([8, 5], "spare", { needed: 6, trail: ["slo"] }, queue(2, 5)) },
    "on-time": { record: tick([5, 5], "on-time", { needed: 6, trail: ["slo"] }) },
    probe: { record: tick([5, 4], "probe", { ...unmeasured, trail: ["bootstrap"], probing: true }) },
    trial: { record: tick([8, 6], "trial", { needed: 9, trail: ["slo", "late"] }) },
    "last-worker": { record: tick([1, 1], "last-worker", { needed: 0, trail: ["slo"] }, queue(0, 1)) },
    replacement: { record: tick([4, 5], "replacement", {}) },
    paused: { record: tick([5, 5], "paused", { needed: 9, trail: ["slo", "on-time"] }) },
    scaled: { record: tick([5, 1], "scaled", { needed: 9, trail: ["slo"] }) },
    drained: { record: tick([5, 0], "drained", { needed: 9, trail: ["slo"] }) },
    threshold: { record: tick([2, 3], "threshold", unmeasured), program: MAIL },
    steady: { record: tick([2, 2], "steady", unmeasured, queue(7, null)), program: MAIL },
    unreadable: { record: UNREAD },
    depth: { record: tick([2, 7], "depth", unmeasured), program: HPA },
    utilisation: { record: tick([2, 3], "utilisation", unmeasured, queue(0, 9)), program: HPA },
    overload: {
      record: tick([1, 2], "overload", { ...unmeasured, trail: ["utilisation"] }, queue(0, 9)),
      program: HPA,
    },
    idle: { record: tick([2, 0], "idle", unmeasured, queue(0, 0)), program: HPA },
    tolerance: { record: tick([10, 10], "tolerance", { ...unmeasured, trail: ["depth"] }), program: HPA },
    "draining-work": { record: tick([2, 2], "draining-work", { ...unmeasured, trail: ["utilisation"] }), program: HPA },
    "up-window": { record: tick([2, 3], "up-window", { ...unmeasured, trail: ["depth"] }), program: HPA },
    "down-window": {
      record: tick([9, 8], "down-window", { ...unmeasured, trail: ["idle"] }, queue(0, 0)),
      program: HPA,
    },
  };
})();

const golden = (name: string): string => fileURLToPath(new URL(`golden/${name}`, import.meta.url));

describe("DESIGN 2.12: a promised wait, explained", () => {
  it("is said as what it is, and named where it could be loosened", () => {
    const text = explained([RECORD], { ...ORDERS, sloGoal: "wait" });
    expect(text).toContain("0 to 100 workers, so that no message waits longer than 120 s");
    expect(text).toContain("a looser slo_wait_time");
    expect(text).not.toContain("slo_drain_time");
  });
});

describe("DESIGN 5.5: schedules, explained", () => {
  it("are named with what they allow and until when, and where they were the reason", () => {
    const limits = { minWorkers: 3, maxWorkers: 100, floorBy: "office hours" };
    const until = wallMs(Date.UTC(2026, 10, 30, 17));
    const text = explained([
      decided(
        { current: 1, desired: 3, action: "grow", reason: "min-workers", gap: null },
        {
          observation: { ...RECORD.observation, limits },
          spans: [{ name: "office hours", minWorkers: 3, maxWorkers: undefined, until }],
        },
      ),
    ]);
    expect(text).toContain("orders (mode slo): 3 to 100 workers");
    expect(text).toContain("By schedule office hours, at least 3 workers until 2026-11-30 17:00:00 (UTC).");
    expect(text).toContain("min_workers is 3 by schedule office hours.");
  });
});

describe("DESIGN 6.5: an explanation", () => {
  it("says every reason in a sentence with its figures", async () => {
    const pages = Object.entries(CASES).map(
      ([reason, { record, program }]) => `=== ${reason}\n${explained([record], program)}`,
    );
    await expect(pages.join("\n")).toMatchFileSnapshot(golden("reasons.txt"));
  });

  it.each(Object.keys(REASONS) as ReasonCode[])("leaves nothing unsaid or undefined of %s", (reason) => {
    const { record, program } = CASES[reason];
    expect(record.decision.reason).toBe(reason);
    const text = explained([record], program);
    expect(text).not.toMatch(/undefined|NaN|null|Infinity|\[object|\? \/s|\.\./);
    expect(text).toContain(record.decision.rationale);
  });

  it("gives the gap with the numbers of the worked example, and what closes it", () => {
    const text = explained([RECORD]);
    expect(text).toContain("78 workers are needed, 24 fit (ram): 54 are missing, which is 27 GiB.");
    expect(text).toContain("can never be emptied here: 24 workers finish 192/s and 200/s arrive.");
    expect(text).toContain(
      "To close the gap: add memory (27 GiB); a looser slo_drain_time only narrows it: 26 workers would just keep up",
    );
  });

  it("says so when the budget holds not even one worker, and what to do", () => {
    const record = decided({ desired: 1, capacity: 1, workerBytes: 131 * 1024 }, { budgetBytes: 1024 });
    const text = explained([record]);
    expect(text).toContain(
      "All of them together may take 1 KiB, and one takes 131 KiB: one runs all the same, or nothing would ever be done.",
    );
    expect(text).toContain("To change it: more memory (ram_budget, ram_headroom)");
    expect(text).not.toContain("Memory allows");
  });

  it("says how fast at best where it is not never", () => {
    const gap = { workers: 1, bytes: null, bestDrainSec: 133.2 };
    const text = explained([decided({ needed: 25, gap })]);
    expect(text).toContain(
      "25 workers are needed, 24 fit (ram): 1 is missing. With all of them it empties in 134 s at best, not in 120 s.",
    );
    expect(text).toContain("To close the gap: add memory, or loosen slo_drain_time to 134 s.");
  });

  it.each([
    ["ram", "add memory"],
    ["swap", "free memory"],
    ["pressure", "free memory"],
    ["oom", "add memory or leave more of it free"],
    ["max_workers", "raise max_workers"],
    ["cpu", "add processors"],
    ["single-consumer", "declare the queue without x-single-active-consumer"],
    ["downstream", "speed up what the workers depend on"],
  ] as const)("names what lifts the limit %s", (boundBy: BoundBy, remedy) => {
    expect(explained([decided({ boundBy })])).toContain(`To close the gap: ${remedy}`);
  });

  it("tells which rule overruled which, in order", () => {
    const text = explained([decided({ reason: "cooldown", trail: ["slo", "ram", "max-workers"] })]);
    expect(text).toContain(
      "First counted what the SLO takes, then the memory limit, then the ceiling; the cooldown had the last word.",
    );
  });

  it("says the signal and the limit of a decision that another rule took", () => {
    const text = explained([decided({ needed: 9, gap: null, reason: "cooldown", trail: ["slo"] })]);
    expect(text).toContain("50000 messages and 200/s arriving, to be done in 120 s at 8/s a worker, take 9 workers.");
    expect(text).toContain("The change before has to settle first.");
    expect(text).toContain("24 workers would fit (ram).");
    const waiting = decided({ reason: "up-window", trail: ["depth"] });
    expect(explained([waiting], HPA)).toContain("49900 messages wait, 100 are in work.");
  });

  it("folds ticks that decided the same", () => {
    const hold = decided({ action: "hold", current: 24 });
    expect(explained([RECORD, hold, hold, hold])).toMatch(
      /2026-11-29 22:03:10 to 22:03:10 \(3 ticks\) {2}stayed at 24 workers/,
    );
  });

  it("points at the prefetch when all messages are handed out and more workers would find none", () => {
    const queue = { ready: 0, unacked: 5_000 };
    const hoarded = decided({ needed: 78 }, { observation: { ...RECORD.observation, queue } });
    expect(explained([hoarded])).toContain(
      "All 5000 messages are handed out to 24 workers, so a new one would find none",
    );
    expect(explained([RECORD])).not.toContain("prefetch");
  });

  it("asks whether it is the right queue, where workers run, work waits, and nobody takes any of it", () => {
    const seen = (queue: Partial<QueueReading>, mu: number | null = null): string =>
      explained([
        decided(
          { mu },
          { observation: { ...RECORD.observation, queue: { ready: 9, unacked: 0, consumers: 0, ...queue } } },
        ),
      ]);
    const question = "and nobody takes a message: is this the queue that the command consumes, at this broker?";
    expect(seen({})).toContain(`23 workers run, ${question}`);
    const fine: [string, Partial<QueueReading>, number?][] = [
      ["a worker is subscribed", { consumers: 1 }],
      ["one that polls has a message", { unacked: 1 }],
      ["one that polls has finished some", { ackRate: 2 }],
      ["it is known how fast they are", {}, 8],
      ["nothing waits", { ready: 0 }],
      ["nobody counts consumers", { consumers: undefined }],
      ["what is handed out cannot be seen", { unacked: null }],
    ];
    for (const [why, queue, mu] of fine) expect(seen(queue, mu), why).not.toContain(question);
  });

  it("says that the floor is kept while the queue cannot be read, and tells an earlier cause from the present one", () => {
    const unreadable = { code: "unauthorised", message: "401" };
    const lost = { ...UNREAD, unreadable, decision: { ...UNREAD.decision, current: 23, action: "grow" as const } };
    const text = explained([lost, UNREAD]);
    expect(text).toContain(
      "(unauthorised: 401). Unknown is not empty: the floor is kept, and what was lost is replaced.",
    );
    expect(text).toContain("(unreachable). Unknown is not empty: the pool is held.");
    expect(text.match(/nobody listens/g)).toHaveLength(1);
  });

  it("says that a crash loop holds the pool", () => {
    expect(explained([{ ...RECORD, backoffSec: 8 }])).toContain("no more are started for 8 s");
  });

  it("keeps a name that begins a line or commands the terminal from doing so", () => {
    const { board } = testBoard();
    board.ticked(RECORD);
    const [status] = board.status().programs;
    if (status === undefined) throw new Error("no program");
    expect(explainDecisions({ ...status, program: "a\nb\u001b[2J" }, [])).toContain("a\\nb\\x1b[2J (mode slo)");
  });

  it("says why a worker was replaced that nobody had set a limit for", () => {
    const { board } = testBoard();
    board.ticked(RECORD);
    const [value, limit] = [GIB, GIB / 2];
    board.emit("act.worker.recycled", { program: "orders", pid: 7, why: "outgrown", value, limit });
    const [status] = board.status().programs;
    if (status === undefined) throw new Error("no program");
    expect(explainDecisions(status, [])).toMatch(
      /Worker 7 was replaced .*: it has taken 1 GiB or more for ten minutes, the limit is 512 MiB, a quarter more/,
    );
  });

  it("says so when there is nothing to explain yet, or any more", () => {
    expect(explained([])).toContain("No decision yet.");
    const { board } = testBoard();
    board.ticked(RECORD);
    board.emit("act.pool.lock_lost", { program: "orders", owner_pid: 1, adopted: true });
    const [status] = board.status().programs;
    if (status === undefined) throw new Error("no program");
    expect(explainDecisions(status, [])).toContain("Another process runs this pool now");
  });

  it("is ready for the figures of a decision that is not JSON: the same before and after it", () => {
    const { board } = testBoard();
    board.ticked({ ...RECORD, decision: DECISION });
    const [status] = board.status().programs;
    const [kept] = board.decisions(9);
    if (status === undefined || kept === undefined) throw new Error("no program");
    const sent = JSON.parse(JSON.stringify([status, kept.decisions])) as [typeof status, typeof kept.decisions];
    expect(explainDecisions(...sent)).toBe(explainDecisions(status, kept.decisions));
  });
});

describe("DESIGN 6.10: where what can be set has other names than in the daemon's file", () => {
  const settings = {
    max_workers: "--max-workers",
    min_workers: "--min-workers",
    slo_drain_time: "--slo-drain-time",
    ram_budget: "--ram-budget",
    ram_headroom: "--ram-headroom",
    max_worker_memory: "--max-worker-memory",
    target_queue_depth_per_worker: "--target-queue-depth",
    target_utilisation: "--target-utilisation",
    scale_up_window: "--scale-up-window",
    scale_down_window: "--scale-down-window",
    threads_per_worker: "--threads-per-worker",
  };
  const textOf = (reason: ReasonCode): string => {
    const { record, program = ORDERS } = CASES[reason];
    return explained([record], { ...program, settings });
  };

  it.each((Object.keys(CASES) as ReasonCode[]).filter((reason) => CASES[reason].program?.mode !== "threshold"))(
    "%s is explained without a key that the reader cannot set, or a command of the daemon",
    (reason) => {
      const words = textOf(reason).match(/\b[a-z]+(_[a-z]+)+\b|\beffiqueue\b/g) ?? [];
      expect(words).toEqual([]);
    },
  );

  it.each([
    ["max-workers", "--max-workers is 100."],
    ["max-workers", "To change it: raise --max-workers."],
    ["ram", "a looser --slo-drain-time only narrows it"],
    // The alternative that cannot be set is left out.
    ["swap", "To change it: free memory on this machine."],
    ["late", "To change it: a longer promise."],
    ["unreadable", "To change it: make the queue readable."],
  ] as const)("%s says: %s", (reason, words) => {
    expect(textOf(reason)).toContain(words);
  });

  it("gives no advice that nobody can follow", () => {
    expect(explained([CASES.cooldown.record])).toContain("To change it: a smaller cooldown_ticks");
    expect(textOf("cooldown")).not.toContain("To change it");
  });
});

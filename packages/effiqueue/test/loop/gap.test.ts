import { monotonicMs } from "effiqueue";
import type { ProgramDecision } from "effiqueue/decide";
import { describe, expect, it } from "vitest";
import { GapReport } from "../../src/loop/gap.ts";
import { Recorder } from "../support/recorder.ts";
import { readable, unreadable } from "./fakes.ts";
import { GB, loopOf, MB, saturated, sloProgram } from "./slo-programs.ts";

const SEED = { mu: 8, lambda: 200, backlog: 50_000 };

/** The machine of seed 3.3, with as many workers as it holds. */
function seed() {
  const program = sloProgram("mail", { sloDrainTime: "2m", ramBudget: "12GB" });
  const all = loopOf([program], { ramBudgetBytes: 12 * GB });
  for (let i = 0; i < 24; i += 1) program.pool.add("serving", 0);
  all.memory.workerBytes = () => 512 * MB;
  const load = { ...SEED };
  program.source.answer = () => readable(saturated(program, load));
  /** One poll after the other. */
  const ticks = async (count: number) => {
    for (let i = 0; i < count; i += 1) {
      await all.loop.tick("mail");
      all.clock.nowMs += 10_000;
    }
  };
  return { ...all, ...program, load, ticks };
}

const OPENED = {
  program: "mail",
  workers_needed: 78,
  workers_capacity: 24,
  feasibility_gap: 54,
  gap_gib: 27,
  best_drain: "infinite",
  mu: 8,
  lambda: 200,
  slo_sec: 120,
  slo_goal: "drain",
  bound_by: "ram",
};

describe("DESIGN 6.3: the gap as events", () => {
  it("says seed 3.3 to the digit: 78 needed, 24 fit, 54 missing, 27 GiB, infinite", async () => {
    const { reporter, records, ticks } = seed();
    await ticks(2);
    expect(records.all.at(-1)?.decision).toMatchObject({ needed: 78, capacity: 24, desired: 24 });
    expect(records.all.at(-1)?.budgetBytes).toBe(12 * GB);
    expect(reporter.of("decide.gap.opened")).toEqual([OPENED]);
  });

  it("reminds once a minute, and tells when it is closed and stays so", async () => {
    const { reporter, load, ticks } = seed();
    await ticks(20);
    expect(reporter.of("decide.gap.opened")).toHaveLength(1);
    const persists = reporter.of("decide.gap.persists");
    expect(persists.map(({ for_sec }) => for_sec)).toEqual([60, 120, 180]);
    expect(persists[0]).toEqual({ ...OPENED, for_sec: 60 });
    load.lambda = 1;
    load.backlog = 2_000;
    await ticks(30);
    expect(reporter.of("decide.gap.cleared")).toHaveLength(1);
    expect(reporter.of("decide.gap.cleared")[0]?.after_sec).toBeGreaterThan(190);
    expect(reporter.of("decide.gap.opened")).toHaveLength(1);
  });

  it("says at once, and once, that more workers would do no more, for that has another remedy", async () => {
    const { records, ticks } = seed();
    await ticks(2);
    const full = records.all.at(-1)?.decision as ProgramDecision;
    const gap = { workers: 69, bytes: null, bestDrainSec: 1_000 };
    const atKnee: ProgramDecision = { ...full, capacity: 9, boundBy: "downstream", gap };
    const reporter = new Recorder();
    const report = new GapReport("mail", { goal: "drain", sec: 120 }, reporter);
    // Memory allows now less and now more than the knee.
    const onTheWay: ProgramDecision = { ...atKnee, capacity: 12, reason: "trial" };
    const decisions = [full, onTheWay, atKnee, full, atKnee, full, atKnee];
    for (const [i, decision] of decisions.entries()) report.observe(decision, monotonicMs(8_000 * i));
    expect(reporter.of("decide.gap.opened")).toHaveLength(1);
    expect(reporter.of("decide.gap.persists")).toMatchObject([
      { bound_by: "downstream", workers_capacity: 9, gap_gib: null, for_sec: 16 },
    ]);
  });

  it("does not take a queue that cannot be read for one that is drained in time", async () => {
    const { source, reporter, ticks } = seed();
    const answer = source.answer;
    await ticks(2);
    source.answer = () => unreadable("gone");
    await ticks(10);
    source.answer = answer;
    await ticks(3);
    expect(reporter.of("decide.gap.opened")).toHaveLength(1);
    expect(reporter.of("decide.gap.cleared")).toEqual([]);
  });

  it("is one gap while the need wavers around the capacity", async () => {
    const { reporter, load, ticks } = seed();
    load.lambda = 0;
    for (let i = 0; i < 20; i += 1) {
      // 24 workers of 8/s empty 23,040 messages in the 120 s of the SLO.
      load.backlog = i % 3 === 0 ? 23_100 : 23_000;
      await ticks(1);
    }
    expect(reporter.of("decide.gap.opened")).toHaveLength(1);
    expect(reporter.of("decide.gap.opened")[0]).toMatchObject({ workers_needed: 25, best_drain: 120.3 });
    expect(reporter.of("decide.gap.cleared")).toEqual([]);
  });
});

/** Schedules of a program on the loop: what the policy sees, what is said, and what the other programs leave. */
import { type Calendar, type Observation, wallMs } from "effiqueue";
import { sharedBudget } from "effiqueue/decide";
import { describe, expect, it } from "vitest";
import { ControlLoop } from "../../src/loop/control-loop.ts";
import { testBoard } from "../report/records.ts";
import { EventLog, FakeClock, FakeMemory, Records } from "./fakes.ts";
import { GB, MB, sloProgram } from "./slo-programs.ts";

const NAME = "mail";
const FROM = 1_000_000;
const UNTIL = FROM + 60_000;

/** Holds from `FROM` to `UNTIL` of the wall clock. */
const calendar: Calendar = {
  at: (now) =>
    now >= FROM && now < UNTIL ? [{ name: "rush", minWorkers: 3, maxWorkers: undefined, until: wallMs(UNTIL) }] : [],
};

function scheduled() {
  const { name, config, source, pool } = sloProgram(NAME, { minWorkers: 1 });
  const clock = new FakeClock();
  clock.nowMs = FROM - 10_000;
  const reporter = new EventLog();
  const records = new Records();
  const { board } = testBoard([{ name, mode: "slo", minWorkers: 1, maxWorkers: 100, sloSec: 120 }]);
  const seen: Observation["limits"][] = [];
  const loop = new ControlLoop({
    programs: [
      {
        program: name,
        source,
        pool,
        limits: config,
        calendar,
        policy: {
          initialState: () => 0,
          step: (state, { limits, workers }) => {
            seen.push(limits);
            const desired = limits?.minWorkers ?? config.minWorkers;
            const current = workers.starting + workers.serving;
            return {
              state,
              decision: { current, desired, action: "hold", reason: "steady", trail: [], rationale: "as told" },
            };
          },
        },
      },
    ],
    clock,
    reporter,
    pollIntervalMs: 10_000,
    listener: {
      ticked: (record) => {
        records.ticked(record);
        board.ticked(record);
      },
    },
  });
  const tick = async () => {
    await loop.tick(name);
    clock.nowMs += 10_000;
  };
  return { clock, pool, reporter, records, board, seen, tick };
}

describe("DESIGN 5.5: schedules on the loop", () => {
  it("change floor and ceiling for the policy while they hold, and are said at both ends", async () => {
    const { reporter, seen, records, tick } = scheduled();
    for (let i = 0; i < 8; i += 1) await tick();
    const rush = { minWorkers: 3, maxWorkers: 100, floorBy: "rush" };
    expect(seen).toEqual([undefined, rush, rush, rush, rush, rush, rush, undefined]);
    expect(reporter.of("loop.schedule.started")).toEqual([
      { program: NAME, schedule: "rush", min_workers: 3, max_workers: null, until: new Date(UNTIL).toISOString() },
    ]);
    expect(reporter.of("loop.schedule.ended")).toEqual([{ program: NAME, schedule: "rush" }]);
    expect(records.all.map(({ spans }) => spans?.length)).toEqual([0, 1, 1, 1, 1, 1, 1, 0]);
  });

  it("follow the wall clock, wherever somebody sets it", async () => {
    const { clock, reporter, seen, tick } = scheduled();
    await tick();
    await tick();
    clock.wallOffsetMs = 86_400_000;
    await tick();
    clock.wallOffsetMs = 0;
    await tick();
    expect(seen.map((limits) => limits?.floorBy)).toEqual([undefined, "rush", undefined, "rush"]);
    expect(reporter.of("loop.schedule.started")).toHaveLength(2);
  });

  it("are on the board while they hold, with the limits they make", async () => {
    const { board, tick } = scheduled();
    const status = () => board.status().programs[0];
    await tick();
    expect(status()).toMatchObject({ minWorkers: 1, maxWorkers: 100, schedules: [] });
    await tick();
    expect(status()).toMatchObject({
      minWorkers: 3,
      maxWorkers: 100,
      schedules: [{ name: "rush", minWorkers: 3, maxWorkers: null, until: new Date(UNTIL).toISOString() }],
    });
  });

  it("reserve memory for their floor, beside a program that wants it all", async () => {
    const [night, day] = [sloProgram("night", {}), sloProgram("day", {}, 500)];
    const clock = new FakeClock();
    clock.nowMs = FROM;
    const memory = new FakeMemory();
    memory.workerBytes = () => 512 * MB;
    const shares: (number | null)[] = [];
    const loop = new ControlLoop({
      programs: [night, day].map(({ name, config, source, pool }) => ({
        program: name,
        source,
        pool,
        limits: config,
        ...(name === "day" ? { calendar } : {}),
        policy: {
          initialState: () => 0,
          step: (state: unknown, { budgetBytes, workers }: Observation) => {
            if (name === "night") shares.push(budgetBytes ?? null);
            const current = workers.starting + workers.serving;
            return {
              state,
              decision: {
                current,
                desired: current,
                action: "hold",
                reason: "steady",
                trail: [],
                rationale: "",
              } as const,
            };
          },
        },
      })),
      clock,
      reporter: new EventLog(),
      pollIntervalMs: 10_000,
      memory,
      budget: sharedBudget({ ramBudgetBytes: 4 * GB }),
    });
    for (const { pool } of [night, day]) pool.add();
    for (let i = 0; i < 2; i += 1) {
      await loop.tick("day");
      await loop.tick("night");
      clock.nowMs += 5_000;
    }
    // Eight workers fit; three are the floor of the day, so five are left.
    expect(shares.at(-1)).toBe(5 * 512 * MB);
  });
});

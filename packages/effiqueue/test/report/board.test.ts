import { describe, expect, it } from "vitest";
import type { EventFields } from "../../src/model/events.ts";
import { redactor } from "../../src/model/redact.ts";
import type { TickRecord } from "../../src/model/tick-record.ts";
import type { Board } from "../../src/report/board.ts";
import { wallMs } from "../../src/units.ts";
import { DECISION, decided, MAIL, ORDERS, RECORD, testBoard, UNREAD } from "./records.ts";

const exit = (pid: number, kind: string): EventFields["act.worker.exited"] => ({
  program: "orders",
  pid,
  process_num: 0,
  exit_code: 0,
  signal: null,
  uptime_ms: 1,
  kind,
});

const programOf = (board: Board, name = "orders") => {
  const found = board.status().programs.find(({ program }) => program === name);
  if (found === undefined) throw new Error(`no ${name}`);
  return found;
};

const entriesOf = (board: Board) => board.decisions(1000)[0]?.decisions ?? [];

describe("DESIGN 6.5: the status of a program", () => {
  it("knows nothing before the first tick, and says so instead of zeros", () => {
    const { board } = testBoard();
    expect(programOf(board)).toMatchObject({
      state: "starting",
      lastTickAt: null,
      lastGoodReadingAgeSec: null,
      queue: null,
      workers: null,
      memory: null,
      decision: null,
    });
  });

  it("shows the latest tick: queue, pool, memory, decision and gap", () => {
    const { board, clock } = testBoard();
    board.ticked(RECORD);
    clock.advance(3_000);
    expect(programOf(board)).toMatchObject({
      state: "running",
      lastTickAt: "2026-11-29T22:03:10.000Z",
      lastTickAgeSec: 3,
      lastGoodReadingAgeSec: 3,
      queue: { backlog: 50_000, ready: 49_900, unacked: 100, ackPerSec: 184, oldestAgeSec: 270 },
      workers: { current: 24, starting: 1, serving: 23, draining: 2 },
      memory: {
        workerBytes: 512 * 1024 ** 2,
        budgetBytes: 12 * 1024 ** 3,
        limitedBy: "/sys/fs/cgroup/work.slice",
      },
      cpus: { count: 1.5, busyShare: 0.25, limitedBy: "/sys/fs/cgroup" },
      decision: { neededWorkers: 78, capacityWorkers: 24, gap: { workers: 54, bestDrainSec: "infinite" } },
    });
  });

  it("survives JSON unchanged, though the best drain time is infinite", () => {
    const { board } = testBoard([ORDERS, MAIL]);
    board.ticked(RECORD);
    const status = board.status();
    expect(JSON.parse(JSON.stringify(status))).toEqual(status);
  });

  it.each([
    ["a queue whose unacked messages cannot be seen", { ready: 7, unacked: null }, { backlog: 7, unacked: null }],
    ["a count that cannot be one", { ready: Number.NaN, unacked: 1 }, null],
    ["a negative rate", { ready: 7, unacked: 1, ackRate: -1 }, { backlog: 8, ackPerSec: null }],
  ])("shows %s as unknown", (_, queue, expected) => {
    const { board } = testBoard();
    board.ticked({ ...RECORD, observation: { ...RECORD.observation, queue } });
    if (expected === null) expect(programOf(board).queue).toBeNull();
    else expect(programOf(board).queue).toMatchObject(expected);
  });

  it("shows no memory of a worker where there is no worker to measure", () => {
    const { board } = testBoard();
    const memory = { ...RECORD.observation.memory, largestWorkerBytes: 0 } as TickRecord["observation"]["memory"];
    board.ticked({ ...RECORD, observation: { ...RECORD.observation, memory } });
    expect(programOf(board).memory).toMatchObject({ workerBytes: null });
  });

  it("shows the budget though the memory cannot be measured, and no capacity where a policy knows no limit", () => {
    const { board } = testBoard();
    const observation = { ...RECORD.observation, memory: null };
    board.ticked(decided({ capacity: Number.POSITIVE_INFINITY, needed: null, gap: null }, { observation }));
    expect(programOf(board).memory).toMatchObject({ budgetBytes: 12 * 1024 ** 3, workerBytes: null, totalBytes: null });
    expect(programOf(board).decision).toMatchObject({ capacityWorkers: null });
  });

  it("keeps the age of the last good reading while the queue cannot be read, and the reason without its password", () => {
    const { board, clock } = testBoard();
    board.ticked(RECORD);
    clock.advance(10_000);
    board.ticked(UNREAD);
    expect(programOf(board)).toMatchObject({
      state: "unreadable",
      lastTickAgeSec: 0,
      lastGoodReadingAgeSec: 10,
      queue: null,
      unreadable: { code: "unreachable", message: "nobody listens at amqp://***@broker" },
    });
    board.ticked(RECORD);
    expect(programOf(board)).toMatchObject({ state: "running", lastGoodReadingAgeSec: 0, unreadable: null });
  });

  it("takes out the secrets that it was told of, wherever they stand", () => {
    const { board } = testBoard([ORDERS], { redact: redactor(["s3cret"]) });
    board.ticked({ ...UNREAD, unreadable: { code: "other", message: "user s3cret refused" } });
    expect(JSON.stringify([board.status(), board.decisions(9)])).not.toContain("s3cret");
  });

  it("forgets a program whose pool another process runs now", () => {
    const { board } = testBoard();
    board.ticked(RECORD);
    board.emit("act.pool.lock_lost", { program: "orders", owner_pid: 1, adopted: true });
    expect(programOf(board)).toMatchObject({ state: "lost", workers: null, decision: null, queue: null });
  });

  it("does not mind a wall clock that is set to nonsense", () => {
    const { board } = testBoard();
    board.ticked({ ...RECORD, at: wallMs(1e300) });
    expect(programOf(board).lastTickAt).toMatch(/^\+275760/);
  });

  it("ignores programs that it does not know", () => {
    const { board } = testBoard();
    board.ticked({ ...RECORD, program: "toString" });
    board.emit("act.worker.spawn_failed", { program: "constructor", process_num: 0, error: "" });
    expect(board.status().programs).toHaveLength(1);
    expect(programOf(board).totals.crashes).toBe(0);
  });
});

describe("DESIGN 6.4: what the board counts", () => {
  const scale = (...desired: readonly number[]) => {
    const { board } = testBoard();
    for (const each of desired) board.ticked(decided({ current: 3, desired: each, action: "hold" }));
    return programOf(board).totals;
  };

  it.each([
    { note: "an adopted pool that is kept", desired: [3, 3], up: 0, down: 0 },
    { note: "a first growth", desired: [4], up: 1, down: 0 },
    // While a back-off holds the pool at 3, each tick asks for the same 4.
    { note: "a growth that does not come about", desired: [4, 4, 4], up: 1, down: 0 },
    { note: "up and down", desired: [4, 6, 5, 2], up: 2, down: 2 },
  ])("counts changes of mind, not ticks: $note", ({ desired, up, down }) => {
    expect(scale(...desired)).toMatchObject({ scaleUps: up, scaleDowns: down });
  });

  it("counts no replacement of a dead worker as growth", () => {
    const { board } = testBoard();
    board.ticked(decided({ current: 4, desired: 4, action: "hold" }));
    board.ticked(decided({ current: 3, desired: 4, action: "grow" }));
    expect(programOf(board).totals.scaleUps).toBe(0);
  });

  it("counts probes, crashes, exits by kind and failed reads by code", () => {
    const { board } = testBoard();
    board.ticked(decided({ reason: "probe" }));
    board.ticked(UNREAD);
    board.ticked(UNREAD);
    board.emit("act.worker.exited", exit(1, "crashed"));
    board.emit("act.worker.exited", exit(2, "exited"));
    board.emit("act.worker.spawn_failed", { program: "orders", process_num: 0, error: "ENOENT" });
    expect(programOf(board).totals).toMatchObject({
      probes: 1,
      crashes: 2,
      exits: { crashed: 1, exited: 1 },
      observeErrors: { unreachable: 2 },
    });
  });

  it("makes no series without end of codes without end", () => {
    const { board } = testBoard();
    for (let i = 0; i < 500; i += 1) board.ticked({ ...UNREAD, unreadable: { code: `code ${i}`, message: "" } });
    const { observeErrors } = programOf(board).totals;
    expect(Object.keys(observeErrors)).toHaveLength(21);
    expect(Object.values(observeErrors).reduce((sum, each) => sum + each)).toBe(500);
  });

  it("measures a drain from the stop signal to the exit of the same pid, and nothing else", () => {
    const { board, clock } = testBoard();
    const drains: [string, number][] = [];
    board.onDuration({ tickTook: () => undefined, drainTook: (program, sec) => void drains.push([program, sec]) });
    const signal = (pid: number) =>
      board.emit("act.worker.stop_signalled", { program: "orders", pid, signal: "SIGTERM" });
    signal(1);
    clock.advance(2_000);
    signal(2);
    signal(3);
    board.emit("act.worker.unkillable", { program: "orders", pid: 3, waited_ms: 1 });
    clock.advance(500);
    board.emit("act.worker.exited", exit(1, "stopped"));
    board.emit("act.worker.exited", exit(2, "killed"));
    board.emit("act.worker.exited", exit(3, "killed"));
    // The pid is used again, by a worker that was told nothing.
    board.emit("act.worker.exited", exit(1, "exited"));
    expect(drains).toEqual([
      ["orders", 2.5],
      ["orders", 0.5],
    ]);
  });
});

describe("DESIGN 6.5: the last decisions", () => {
  it("are oldest first, and ticks that decide the same are one entry with the latest figures", () => {
    const { board } = testBoard();
    const at = (sec: number) => ({ at: wallMs(Date.UTC(2026, 0, 1, 0, 0, sec)) });
    board.ticked(decided({ desired: 4 }, at(0)));
    board.ticked(decided({ desired: 4, action: "hold", reason: "steady", lambda: 1 }, at(10)));
    board.ticked(decided({ desired: 4, action: "hold", reason: "steady", lambda: 2 }, at(20)));
    board.ticked(decided({ desired: 4, action: "hold", reason: "hysteresis" }, at(30)));
    expect(entriesOf(board)).toMatchObject([
      { desiredWorkers: 4, action: "grow", times: 1 },
      {
        reason: "steady",
        times: 2,
        firstAt: "2026-01-01T00:00:10.000Z",
        lastAt: "2026-01-01T00:00:20.000Z",
        lambdaPerSec: 2,
      },
      { reason: "hysteresis", times: 1 },
    ]);
  });

  it("are no more than were asked for, and no more than are kept", () => {
    const { board } = testBoard([ORDERS, MAIL]);
    for (let desired = 0; desired < 1_000; desired += 1) board.ticked(decided({ desired }));
    const kept = Array.from({ length: 200 }, (_, i) => 800 + i);
    expect(entriesOf(board).map(({ desiredWorkers }) => desiredWorkers)).toEqual(kept);
    expect(board.decisions(1)).toMatchObject([
      { program: "orders", decisions: [{ desiredWorkers: 999 }] },
      { program: "mail", decisions: [] },
    ]);
    expect(board.decisions(0)[0]?.decisions).toEqual([]);
  });

  it("keep the rationale and the trail as they were decided", () => {
    const { board } = testBoard();
    board.ticked(RECORD);
    expect(entriesOf(board)[0]).toMatchObject({ rationale: DECISION.rationale, trail: ["slo"], boundBy: "ram" });
  });
});

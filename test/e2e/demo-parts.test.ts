/** The demo's account of its jobs can say that something went wrong, and its picture fits the screen. */
import type { JobRecord } from "flexiq";
import { describe, expect, it } from "vitest";
import type { Entry } from "../../examples/demo/journal.ts";
import { bar, type Moment, picture, plainLine, sparkline } from "../../examples/demo/picture.ts";
import { type Evidence, summarise } from "../../examples/demo/summary.ts";

const completed = (id: number, run: string): JobRecord => ({
  id,
  task: "work",
  queue: "default",
  state: "completed",
  args: [],
  priority: 0,
  attempts: 1,
  maxRetries: 5,
  timeoutMs: null,
  uniqueKey: null,
  enqueuedAtMs: 0,
  runAtMs: null,
  startedAtMs: 1_000,
  finishedAtMs: 2_000,
  progress: null,
  result: run,
  error: null,
});

const entry = (what: Entry["what"], job: number, run: string, pid = 1): Entry => ({ what, job, pid, run, atMs: 0 });
const ran = (job: number, run: string): Entry[] => [entry("start", job, run), entry("end", job, run)];

/** Two jobs; the first run of the second one was cut off. */
const WELL: Evidence = {
  acknowledged: new Set([1, 2]),
  records: [completed(1, "a"), completed(2, "c")],
  firstSeen: new Map([
    [1, "2000 a"],
    [2, "2000 c"],
  ]),
  journal: [...ran(1, "a"), entry("start", 2, "b", 7), ...ran(2, "c")],
  kill: { pid: 7, atMs: 0, cutOff: [entry("start", 2, "b", 7)], restartSec: 0.25 },
  peakWorkers: 3,
  workersLeft: 0,
  decisions: { grow: 2, shrink: 1, hold: 4 },
  tookSec: 10,
};

describe("DESIGN 9.6: the account of the demo", () => {
  it("counts what ran again and finds nothing wrong when all is well", () => {
    const { rows, problems } = summarise(WELL);
    expect(problems).toEqual([]);
    expect(new Map(rows.map(([label, value]) => [label, value]))).toEqual(
      new Map([
        ["enqueued", "2"],
        ["completed", "2"],
        ["lost", "0"],
        ["recorded twice", "0"],
        ["run again because of the kill", "1 (job 2)"],
        ["from the kill to their restart", "0.25 s"],
        ["workers", "3 at the peak, 0 now"],
        ["decisions", "7 (2 up, 1 down, 4 hold)"],
        ["took", "10.0 s"],
      ]),
    );
  });

  it("does not blame the queue for a job that had ended in the killed worker and was not recorded yet", () => {
    const endedUnrecorded = [entry("start", 1, "z", 7), entry("end", 1, "z", 7)];
    expect(summarise({ ...WELL, journal: [...endedUnrecorded, ...WELL.journal] }).problems).toEqual([]);
  });

  it.each<[string, Partial<Evidence>, string]>([
    ["a lost job", { records: [completed(2, "c")] }, "1 lost: job 1"],
    ["a job that is not finished", { acknowledged: new Set([1, 2, 3]) }, "1 lost: job 3"],
    ["a record that changed", { firstSeen: new Map([[1, "1500 x"]]) }, "1 recorded twice: job 1"],
    [
      "a record of a run that never ended",
      { journal: WELL.journal.filter(({ run }) => run !== "a") },
      "1 recorded without a run that ended: job 1",
    ],
    [
      "a second run without a kill",
      { journal: [...WELL.journal, ...ran(1, "d")] },
      "1 run again although their worker was not killed: job 1",
    ],
    ["a kill that did not happen", { kill: null, journal: [...ran(1, "a"), ...ran(2, "c")] }, "no worker was killed"],
    ["a worker that is left", { workersLeft: 1 }, "workers that are left: 1"],
  ])("reports %s", (_what, change, problem) => {
    expect(summarise({ ...WELL, ...change }).problems).toEqual([problem]);
  });
});

describe("DESIGN 6.2: the picture of the demo", () => {
  const notes = Array.from({ length: 40 }, (_, i) => ({ atSec: i, text: `${"long ".repeat(30)}${i}` }));
  const moment: Moment = {
    ...{ elapsedSec: 83.4, pending: 212, running: 15, slots: 16, workers: 7, draining: 1, maxWorkers: 8 },
    ...{ completed: 131, enqueued: 358, decisions: notes, events: notes },
    history: Array.from({ length: 200 }, (_, i) => ({ pending: i, workers: i % 8 })),
  };

  it.each([
    { columns: 80, rows: 24 },
    { columns: 60, rows: 20 },
    { columns: 200, rows: 60 },
  ])("fits into $columns x $rows and needs no colour", ({ columns, rows }) => {
    for (const unicode of [true, false]) {
      const lines = picture(moment, { columns, rows, colour: false, unicode });
      expect(lines.length).toBeLessThanOrEqual(rows);
      for (const line of lines) expect(line.length, line).toBeLessThanOrEqual(columns);
      expect(lines.join("").includes("\x1b")).toBe(false);
    }
  });

  it("is ASCII where the locale is not UTF-8", () => {
    const text = [...picture(moment, { columns: 80, rows: 24, colour: false, unicode: false }), plainLine(moment)].join(
      "",
    );
    expect(text).toMatch(/^[\x20-\x7e]*$/);
  });

  it("draws bars to an eighth of a character and keeps their width", () => {
    expect(bar(0, 4, true)).toBe("    ");
    expect(bar(0.5, 4, true)).toBe("██  ");
    expect(bar(1 / 32, 4, true)).toBe("▏   ");
    expect(bar(7 / 32, 4, true)).toBe("▉   ");
    expect(bar(1.5, 4, true)).toBe("████");
  });

  it("never hides a small value beside a large one", () => {
    expect(sparkline([0, 1, 1000], 60, true)).toBe(" ▁█");
    expect(sparkline([1, 2, 3, 4], 2, true)).toBe("▆█");
  });
});

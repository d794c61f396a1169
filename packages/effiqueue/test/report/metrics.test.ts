import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { BoardProgram } from "../../src/report/board.ts";
import { openMetrics } from "../../src/report/metrics/metrics.ts";
import { parseExposition, type Sample } from "../../src/report/metrics/parse.ts";
import { DURATION_METRICS, PROCESS_METRICS, PROGRAM_METRICS } from "../../src/report/metrics/table.ts";
import { decided, MAIL, ORDERS, RECORD, testBoard, UNREAD } from "./records.ts";

const PROMTOOL = "promtool";
const hasPromtool = spawnSync(PROMTOOL, ["--version"]).status === 0;

/** Names that an operator may choose and a text format may stumble over. */
const HOSTILE = [
  'say "hi"',
  "two\nlines",
  "back\\slash",
  "\\n",
  'a="b",c',
  "{}",
  "Grüße 🐇",
  " ",
  "__proto__",
  "tab\t",
  "\\",
];

const named = (name: string): BoardProgram => ({ ...ORDERS, name });

async function exposed(...records: Parameters<ReturnType<typeof testBoard>["board"]["ticked"]>[0][]) {
  const { board } = testBoard([ORDERS, MAIL]);
  const metrics = openMetrics(board);
  for (const record of records) board.ticked(record);
  const samples = parseExposition(await metrics.expose());
  /** `undefined`: there is no such series. */
  return (name: string, program = "orders", kind?: string): number | undefined =>
    samples.find(
      (each) =>
        each.name === name &&
        each.labels["program"] === program &&
        (kind === undefined || each.labels["kind"] === kind),
    )?.value;
}

describe("DESIGN 6.4: the series of a program", () => {
  it("say what the last tick found and decided", async () => {
    const value = await exposed(RECORD);
    const got = Object.fromEntries(PROGRAM_METRICS.map(({ name }) => [name, value(name)]));
    expect(got).toEqual({
      effiqueue_up: 1,
      effiqueue_last_good_reading_age_seconds: 0,
      effiqueue_workers: 24,
      effiqueue_workers_starting: 1,
      effiqueue_workers_draining: 2,
      effiqueue_workers_desired: 24,
      effiqueue_workers_needed: 78,
      effiqueue_workers_capacity: 24,
      effiqueue_capacity_bound: 1,
      effiqueue_feasibility_gap: 54,
      effiqueue_best_drain_seconds: Number.POSITIVE_INFINITY,
      effiqueue_slo_drain_seconds: 120,
      effiqueue_workers_min: 0,
      effiqueue_workers_max: 100,
      effiqueue_schedules_active: 0,
      effiqueue_slo_wait_seconds: undefined,
      effiqueue_oldest_age_seconds: 270,
      effiqueue_backlog: 50_000,
      effiqueue_backlog_ready: 49_900,
      effiqueue_backlog_unacked: 100,
      effiqueue_mu: 8,
      effiqueue_lambda: 200,
      effiqueue_mu_low: 7.5,
      effiqueue_mu_high: 8.6,
      effiqueue_lambda_low: 190,
      effiqueue_lambda_high: 210,
      effiqueue_mu_source: 1,
      effiqueue_probing: 0,
      effiqueue_estimator_spread: undefined,
      effiqueue_worker_memory_bytes: 512 * 1024 ** 2,
      effiqueue_worker_reserved_bytes: 512 * 1024 ** 2,
      effiqueue_pool_memory_bytes: 11 * 1024 ** 3,
      effiqueue_ram_budget_bytes: 12 * 1024 ** 3,
      effiqueue_swap_used_ratio: undefined,
      effiqueue_memory_pressure_ratio: 0.01,
      effiqueue_cpus: 1.5,
      effiqueue_cpu_busy_ratio: 0.25,
      effiqueue_spawn_backoff_seconds: 0,
      effiqueue_scale_up_total: 1,
      effiqueue_scale_down_total: 0,
      effiqueue_probe_total: 0,
      effiqueue_crashes_total: 0,
      effiqueue_oom_kills_total: 0,
      effiqueue_workers_recycled_total: undefined,
      effiqueue_worker_exits_total: undefined,
      effiqueue_observe_errors_total: undefined,
    });
    expect(value("effiqueue_tick_seconds_sum")).toBe(0.02);
    expect(value("effiqueue_drain_seconds_count")).toBe(0);
  });

  it("are absent where the value is unknown, except needed, which is -1", async () => {
    const value = await exposed(RECORD, UNREAD);
    expect(value("effiqueue_up")).toBe(0);
    expect(value("effiqueue_observe_errors_total", "orders", "unreachable")).toBe(1);
    expect(value("effiqueue_workers_needed")).toBe(-1);
    for (const name of ["effiqueue_backlog", "effiqueue_feasibility_gap", "effiqueue_best_drain_seconds"]) {
      expect(value(name), name).toBeUndefined();
    }
    expect(value("effiqueue_workers")).toBe(24);
  });

  it("name the limit that capacity comes from, and no other, and the share of swap where there is any", async () => {
    const { memory } = RECORD.observation;
    const swapping = {
      ...RECORD.observation,
      memory: { ...memory, swapUsedBytes: 1, swapTotalBytes: 4 } as typeof memory,
    };
    const value = await exposed(RECORD, decided({ boundBy: "swap" }, { observation: swapping }));
    expect(value("effiqueue_capacity_bound", "orders", "swap")).toBe(1);
    expect(value("effiqueue_capacity_bound", "orders", "ram")).toBeUndefined();
    expect(value("effiqueue_swap_used_ratio")).toBe(0.25);
  });

  it("say 0 of a gap that is known not to be there", async () => {
    const value = await exposed(decided({ needed: 3, gap: null }));
    expect(value("effiqueue_feasibility_gap")).toBe(0);
    expect(value("effiqueue_best_drain_seconds")).toBeUndefined();
  });

  it("do not exist for what a mode without an SLO does not measure", async () => {
    const value = await exposed({ ...decided({ needed: null, gap: null, mu: null, muSource: 0 }), program: "mail" });
    expect(value("effiqueue_workers", "mail")).toBe(24);
    for (const name of ["needed", "mu", "mu_source", "feasibility_gap", "slo_drain_seconds", "probing"]) {
      expect(value(`effiqueue_${name.replace("needed", "workers_needed")}`, "mail"), name).toBeUndefined();
    }
  });

  it("begin with the counters at 0 before the first tick, so that rates see the first change", async () => {
    const value = await exposed();
    expect(value("effiqueue_up")).toBe(0);
    expect(value("effiqueue_crashes_total")).toBe(0);
    expect(value("effiqueue_tick_seconds_count")).toBe(0);
    expect(value("effiqueue_workers")).toBeUndefined();
  });

  it("end when another process runs the pool", async () => {
    const { board } = testBoard();
    const metrics = openMetrics(board);
    board.ticked(RECORD);
    board.emit("act.pool.lock_lost", { program: "orders", owner_pid: 1, adopted: true });
    const names = parseExposition(await metrics.expose()).map(({ name }) => name);
    expect(names).toContain("effiqueue_up");
    expect(names).not.toContain("effiqueue_workers");
    expect(names).not.toContain("effiqueue_last_good_reading_age_seconds");
  });

  it("show drains as a histogram", async () => {
    const { board, clock } = testBoard();
    const metrics = openMetrics(board);
    board.emit("act.worker.stop_signalled", { program: "orders", pid: 7, signal: "SIGTERM" });
    clock.advance(3_000);
    const exit = { pid: 7, process_num: 0, exit_code: 0, signal: null, uptime_ms: 1, kind: "stopped" };
    board.emit("act.worker.exited", { program: "orders", ...exit });
    const buckets = parseExposition(await metrics.expose()).filter(
      ({ name }) => name === "effiqueue_drain_seconds_bucket",
    );
    expect(buckets.find(({ labels }) => labels["le"] === "2.5")?.value).toBe(0);
    expect(buckets.find(({ labels }) => labels["le"] === "5")?.value).toBe(1);
  });

  it("are whole in each of several scrapes at once", async () => {
    const { board } = testBoard();
    const metrics = openMetrics(board);
    board.ticked(RECORD);
    const lines = (text: string) => text.split("\n").filter((line) => line.startsWith("effiqueue"));
    const [one, ...others] = await Promise.all([1, 2, 3].map(() => metrics.expose()));
    for (const other of others) expect(lines(other)).toEqual(lines(one ?? ""));
    expect(lines(one ?? "").length).toBeGreaterThan(40);
  });
});

describe("DESIGN 6.4: the text format", () => {
  it.skipIf(!hasPromtool)("passes promtool, with every kind of series and hostile names", async () => {
    const { board } = testBoard([ORDERS, ...HOSTILE.map(named)]);
    const metrics = openMetrics(board);
    for (const program of ["orders", ...HOSTILE]) {
      board.ticked({ ...UNREAD, program });
      board.ticked({ ...decided({ spread: 2 }), program });
      const exit = { pid: 1, process_num: 0, exit_code: 1, signal: null, uptime_ms: 1, kind: "crashed" };
      board.emit("act.worker.exited", { program, ...exit });
    }
    const { status, stdout, stderr } = spawnSync(PROMTOOL, ["check", "metrics"], {
      input: await metrics.expose(),
      encoding: "utf8",
    });
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: "", stderr: "" });
  });

  it("is announced with its version", () => {
    expect(openMetrics(testBoard().board).contentType).toBe("text/plain; version=0.0.4; charset=utf-8");
  });

  it("gives a reader back each value under each name, hostile ones too", async () => {
    const names = fc.uniqueArray(fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ minLength: 1, unit: "grapheme" })), {
      minLength: 1,
      maxLength: 5,
    });
    const lambda = fc.double({ min: 0, noNaN: true, noDefaultInfinity: true });
    await fc.assert(
      fc.asyncProperty(names, lambda, async (programs, value) => {
        const { board } = testBoard(programs.map(named));
        const metrics = openMetrics(board);
        for (const program of programs) board.ticked({ ...decided({ lambda: value }), program });
        const wanted = board.status().programs.flatMap((status) =>
          PROGRAM_METRICS.flatMap(({ name, read, byKind }): Sample[] => {
            const { program } = status;
            if (byKind !== undefined) {
              return Object.entries(byKind(status)).map(([kind, each]) => ({
                name,
                labels: { program, kind },
                value: each,
              }));
            }
            const each = read(status) ?? null;
            return each === null ? [] : [{ name, labels: { program }, value: each }];
          }),
        );
        const table = new Set(PROGRAM_METRICS.map(({ name }) => name));
        const got = parseExposition(await metrics.expose()).filter(({ name }) => table.has(name));
        const order = (samples: readonly Sample[]) =>
          samples.map((each) => JSON.stringify([each.name, each.labels, String(each.value)])).sort();
        expect(order(got)).toEqual(order(wanted));
      }),
      { numRuns: 30 },
    );
  });

  it("has every metric of the table, and no other", async () => {
    const { board } = testBoard();
    const text = await openMetrics(board).expose();
    const announced = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(
      ([, name, type]) => `${name ?? ""} ${type ?? ""}`,
    );
    const table = [...PROGRAM_METRICS, ...DURATION_METRICS, ...PROCESS_METRICS].map(
      ({ name, type }) => `${name} ${type}`,
    );
    expect(announced.sort()).toEqual(table.sort());
  });
});

describe("DESIGN 6.4: the reader of the text format", () => {
  it.each([
    ["a 1", { name: "a", labels: {}, value: 1 }],
    ["a{} 1", { name: "a", labels: {}, value: 1 }],
    ['a{b="c"} 1.5e3 1700000000000', { name: "a", labels: { b: "c" }, value: 1500 }],
    ['a { b="c" , } 1', { name: "a", labels: { b: "c" }, value: 1 }],
    ['a{b="c",d="",} -Inf', { name: "a", labels: { b: "c", d: "" }, value: Number.NEGATIVE_INFINITY }],
    ['a{b="\\\\n\\n\\"}"} +Inf', { name: "a", labels: { b: '\\n\n"}' }, value: Number.POSITIVE_INFINITY }],
    ["a Nan", { name: "a", labels: {}, value: Number.NaN }],
    ["a", null],
    ["a x", null],
    ['a{b="c} 1', null],
    ['a{b="c"', null],
    ["1a 1", null],
    ["a 1 2 3", null],
  ])("reads %s", (line, expected) => {
    if (expected === null) expect(() => parseExposition(`# x\n\n${line}\n`)).toThrow(/^metrics, line 3: no sample/);
    else expect(parseExposition(`# HELP a b\n${line}\n`)).toEqual([expected]);
  });
});

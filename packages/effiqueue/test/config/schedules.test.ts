/** Schedules in configuration files: what is taken, and what is said of the rest. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { wallMs } from "../../src/units.ts";
import { effiqueue } from "../support/effiqueue-process.ts";
import { tempDir } from "../support/temp-dir.ts";
import { load, loadConf, only, problemsOf } from "./files.ts";

const GOOD = `command = "w"
queue_connection = "amqp://h"
queue_name = "q"
max_workers = 10
slo_drain_time = 60
`;

const OFFICE = `[[program.schedule]]
name = "office hours"
cron = "0 8 * * 1-5"
for = "10h"
time_zone = "Europe/Berlin"
min_workers = 4
`;

const MONDAY_NOON = wallMs(Date.UTC(2026, 10, 30, 11));

describe("DESIGN 5.5: schedules in TOML", () => {
  it("belong to their program", () => {
    const { programs } = load(`${GOOD}[[program]]\nname = "a"\n${OFFICE}[[program]]\nname = "b"\n`);
    expect(programs.map(({ options }) => options.schedule.length)).toEqual([1, 0]);
    expect(programs[0]?.options.schedule[0]).toEqual({
      name: "office hours",
      cron: "0 8 * * 1-5",
      forSec: 36_000,
      timeZone: "Europe/Berlin",
      minWorkers: 4,
      maxWorkers: undefined,
    });
    expect(programs[0]?.calendar?.at(MONDAY_NOON)).toMatchObject([{ name: "office hours", minWorkers: 4 }]);
    expect(programs[1]?.calendar).toBeNull();
  });

  it("may stand in a file that is one program, and above all programs, each of which may have its own instead", () => {
    const shared = OFFICE.replace("program.schedule", "schedule");
    expect(only(load(`${GOOD}${shared}`)).options.schedule).toHaveLength(1);
    const own = `[[program.schedule]]\ncron = "@daily"\nfor = "1h"\nmax_workers = 0\n`;
    const { programs } = load(`${GOOD}${shared}[[program]]\nname = "a"\n[[program]]\nname = "b"\n${own}`);
    expect(programs.map(({ options }) => options.schedule.map(({ name }) => name))).toEqual([
      ["office hours"],
      ["@daily"],
    ]);
  });

  it.each([
    [":/etc/localtime", 78],
    ["Foo/Bar", 78],
    ["", 0],
    ["UTC", 0],
    [":Europe/Berlin", 0],
  ])("without a time zone are those of the machine, if that can be told: TZ=%s exits %i", async (zone, exitCode) => {
    const cwd = tempDir();
    writeFileSync(join(cwd, "c.toml"), GOOD + OFFICE.replace("program.", "").replace(/time_zone.*\n/, ""));
    const { code, stderr } = await effiqueue(["validate-config", "--config", "c.toml"], { cwd, env: { TZ: zone } });
    expect(code).toBe(exitCode);
    if (code !== 0)
      expect(stderr).toContain(`time_zone: missing, and that of the machine cannot be told (TZ is "${zone}")`);
  });

  it.each([
    [
      "cron",
      '"0 8 * *"',
      /^expected five fields of cron such as "0 8 \* \* 1-5", or @daily and the like, got "0 8 \* \*"$/,
    ],
    ["cron", '"0 25 * * *"', /^expected five fields of cron .*hour.*, got "0 25 \* \* \*"$/],
    ["cron", '"0 0 8 * * 1"', /^expected five fields of cron/],
    ["cron", '"2026-01-01T00:00:00"', /^expected five fields of cron/],
    ["cron", '"0 0 31 2 *"', /^never comes; expected a day that a calendar has, got "0 0 31 2 \*"$/],
    ["cron", "8", /^expected some text, got 8$/],
    ["for", '"ten hours"', /^expected a duration > 0 such as .*, got "ten hours"$/],
    ["for", "0", /^expected a duration > 0/],
    ["time_zone", '"Europe/Berln"', /^expected a time zone such as "Europe\/Berlin" or "UTC", got "Europe\/Berln"$/],
    ["min_workers", "-1", /^expected a whole number >= 0, got -1$/],
    ["min_workers", '"4"', /^expected a whole number >= 0, got "4"$/],
  ])("refuses %s = %s, naming file, line, program and key", (key, value, text) => {
    const broken = OFFICE.replace(new RegExp(`^${key} = .*$`, "m"), `${key} = ${value}`);
    const file = `${GOOD}[[program]]\nname = "a"\n${broken}`;
    const line = file.split("\n").findIndex((each) => each.startsWith(`${key} = ${value}`)) + 1;
    const [problem = "", ...others] = problemsOf(() => load(file));
    expect(others).toEqual([]);
    const start = `effiqueue.toml:${line}: program "a": schedule[1].${key}: `;
    expect(problem.slice(0, start.length)).toBe(start);
    expect(problem.slice(start.length)).toMatch(text);
  });

  it("says what is missing, unknown and contradictory, all at once", () => {
    const text = `${GOOD}[[program]]
name = "a"
[[program.schedule]]
corn = "@daily"
[[program.schedule]]
cron = "@daily"
for = "1h"
min_workers = 5
max_workers = 4
`;
    expect(problemsOf(() => load(text))).toEqual([
      expect.stringMatching(/:8: program "a": schedule\[1\]\.cron: missing; expected some text$/),
      expect.stringMatching(/:8: program "a": schedule\[1\]\.for: missing; expected a duration > 0/),
      expect.stringMatching(/:8: .*schedule\[1\]\.min_workers: missing; expected min_workers, max_workers or both/),
      expect.stringMatching(/:9: program "a": schedule\[1\]\.corn: is no key, did you mean cron\?$/),
      expect.stringMatching(
        /:13: .*schedule\[2\]\.min_workers: expected at most max_workers of the schedule, which is 4, got 5$/,
      ),
    ]);
  });

  it("refuses a floor above the ceiling of the program", () => {
    const text = `${GOOD}${OFFICE.replace("program.schedule", "schedule").replace("min_workers = 4", "min_workers = 11")}`;
    expect(problemsOf(() => load(text))).toEqual([
      'effiqueue.toml:6: schedule: expected min_workers of at most max_workers, which is 10, in the schedule "office hours" (11)',
    ]);
  });

  it.each(["schedule = 3\n", 'schedule = ["@daily"]\n'])("takes tables only, not %j", (text) => {
    expect(problemsOf(() => load(text + GOOD))).toEqual([
      "effiqueue.toml:1: schedule: expected tables, each under a [[program.schedule]] of its own",
    ]);
  });
});

describe("DESIGN 5.5: schedules in a Supervisor file", () => {
  it("are refused, and the way to have them is named", () => {
    const conf = `[program:a]
command=w
numprocs=2
queue_connection=amqp://h
queue_name=q
slo_drain_time=1m
schedule=0 8 * * 1-5
`;
    expect(problemsOf(() => loadConf(conf))).toEqual([
      "supervisor.conf:7: [program:a]: schedule: takes tables, which this format cannot hold; write the programs as TOML, with a [[program.schedule]] each",
    ]);
  });
});

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempDir } from "../support/temp-dir.ts";
import { runHere } from "./run-here.ts";

const CONFIG = `command = "worker"
queue_connection = "amqp://app:s3cret-word@localhost/%2F"
queue_name = "mails"
min_workers = 1
max_workers = 8
slo_drain_time = "30s"
`;

function scene(config = CONFIG) {
  const cwd = tempDir();
  const file = join(cwd, "effiqueue.toml");
  writeFileSync(file, config);
  const trace = join(cwd, "night.csv");
  const rows = Array.from({ length: 60 }, (_, i) => `${10 * (i + 1)},${i < 30 || i > 40 ? 20 : 60},`);
  writeFileSync(trace, `# service_sec=0.5\nsec,arrivals,backlog\n${rows.join("\n")}\n`);
  return { trace, file, cwd, run: (...args: string[]) => runHere("simulate", "--config", file, ...args) };
}

describe("DESIGN 13.5: effiqueue simulate", () => {
  it("replays a trace under the configuration and under a changed one, and answers what would be missing", async () => {
    const { run, trace } = scene();
    const { code, stdout, stderr } = await run(
      "--trace",
      trace,
      "--set",
      "max_workers=2",
      "--set",
      "slo_drain_time=20s",
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^1,640 messages in 10 min, seed 1\n\n +late +p95 wait/);
    expect(stdout).toMatch(/\nas configured +0\.0% /);
    expect(stdout).toMatch(/\nmax_workers=2 slo_drain_time=20s +\d\d\.\d% /);
    expect(stdout).toMatch(/\nWhich SLO can this machine keep\? +\d+ s \(at most 1\.0% late\)\n/);
    expect(stdout).toMatch(/\nWhat is missing for 20 s\? +max_workers = \d+ instead of 2; memory is not simulated/);
    expect(stdout).toMatch(/\nWhat would min_workers = 2 cost\? +-?\d\.\d\d worker-hours; \d+\.\d+% late\n$/);
  });

  it("asks for no password: it connects to nothing", async () => {
    const { run, trace } = scene(CONFIG.replace("s3cret-word", "${NOBODY_HAS_SET_THIS}"));
    expect(await run("--trace", trace)).toMatchObject({ code: 0, stderr: "" });
  });

  it("says what it leaves out of a queue that was not empty when it was recorded first", async () => {
    const { run, trace } = scene();
    const recorded = readFileSync(trace, "utf8");
    for (const [backlog, before] of [
      [20, undefined],
      [520, "500 messages or more were there before it began"],
    ] as const) {
      writeFileSync(trace, recorded.replace("10,20,", `10,20,${backlog}`));
      const { stdout } = await run("--trace", trace);
      expect(/^.* were there before it began/m.exec(stdout)?.[0]).toBe(before);
    }
  });

  it("prints the same as JSON, the same for the same seed, and draws it", async () => {
    const { run, trace, cwd } = scene();
    const svg = join(cwd, "night.svg");
    const args = ["--trace", trace, "--json", "--seed", "7", "--memory", "8GB", "--worker-memory", "250MB"];
    const [one, two] = [await run(...args, "--svg", svg), await run(...args)];
    expect(one.stdout).toBe(two.stdout);
    expect(JSON.parse(one.stdout)).toMatchObject({
      messages: 1640,
      lengthSec: 600,
      seeds: [7],
      runs: [{ name: "as configured", lateShare: expect.any(Number) as number }],
      answers: { missing: null, higherFloor: { minWorkers: 2 } },
    });
    expect(readFileSync(svg, "utf8")).toMatch(/^<svg [^]*mails: late after 30 s[^]*<\/svg>\n$/);
  });

  it("says where a picture cannot be drawn", async () => {
    const { run, trace } = scene();
    const { code, stderr } = await run("--trace", trace, "--svg", "/proc/nowhere/a.svg");
    expect(code).toBe(1);
    expect(stderr).toContain("/proc/nowhere/a.svg: cannot be written");
  });

  it("invents a load where none was recorded", async () => {
    const { run } = scene();
    const args = ["--load", "ramp:from=0,to=4,length=20m", "--service", "500ms exponential", "--seeds", "2"];
    const { code, stdout } = await run(...args);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^2,400 messages in 20 min, seed 1, 2\n/);
  });

  it("fails with the name of a picture that cannot be written", async () => {
    const { run, trace } = scene();
    const { code, stderr } = await run("--trace", trace, "--svg", "/proc/nowhere/a.svg");
    expect(code).toBe(1);
    expect(stderr).toContain("/proc/nowhere/a.svg: cannot be written");
  });

  it("asks no questions of a program that promises nothing", async () => {
    const { run, trace } = scene(CONFIG.replace(/slo_drain_time.*/, 'mode = "hpa"'));
    expect((await run("--trace", trace)).stderr).toContain("mode hpa has no SLO: say --late-after TIME");
    const { code, stdout } = await run("--trace", trace, "--late-after", "30s");
    expect(code).toBe(0);
    expect(stdout).not.toContain("Which SLO");
  });

  it.each([
    [[], "name the load: --trace FILE, or --load SHAPE"],
    [["--trace", "nowhere.csv"], "nowhere.csv: there is no such file"],
    [["--trace", "."], ".: is a folder"],
    [
      ["--load", "constant:rate=5000"],
      "--load: 18,000,000 messages are too many to be simulated; expected at most 5,000,000",
    ],
    [["--load", "constant:rate=2", "--length", "soon"], "effiqueue: --length: expected a duration"],
    [["--load", "constant:rate=2"], "say how long a worker takes for a message: --service 500ms"],
    [["--load", "constant"], "--load: constant: expected rate as a number"],
    [["--load", "constant:rate=2", "--service", "fast"], "--service: expected a time and a law"],
    [["--load", "constant:rate=2", "--service", "1s", "--set", "max_worker=3"], "did you mean max_workers?"],
    [["--load", "constant:rate=2", "--service", "1s", "--set", "max_workers=0"], "expected a whole number >= 1, got 0"],
    [
      ["--load", "constant:rate=2", "--service", "1s", "--set", "poll_interval=1ms"],
      "poll_interval of 0.001 s: 3,600,000 looks at the queue are too many to be simulated; expected at most 500,000",
    ],
    [
      ["--load", "constant:rate=2", "--service", "1s", "--set", "ram_budget=1GB"],
      "--set ram_budget=1GB: memory is not simulated, so it changes nothing; say --worker-memory 250MB and --memory 8GB",
    ],
    [
      ["--load", "constant:rate=2", "--service", "1s", "--set", "memory_pressure_cap=0.5"],
      "--set memory_pressure_cap=0.5: nobody waits for memory in a simulation, so it changes nothing",
    ],
    [
      ["--load", "constant:rate=2", "--service", "1s", "--set", "priority=3"],
      "--set priority=3: one program is simulated, and shares its memory with none, so it changes nothing",
    ],
    [
      ["--load", "constant:rate=2", "--service", "1s", "--set", "command=sleep 1"],
      "--set command=sleep 1: a simulation has nothing of it, so it changes nothing",
    ],
    [
      ["--load", "constant:rate=2", "--service", "1s", "--set", "depth_threshold=9"],
      '--set depth_threshold=9: it is not read in mode "slo", so it changes nothing',
    ],
    [["--load", "constant:rate=2", "--service", "1s", "--memory", "8GB"], "memory takes two figures"],
    [["--load", "constant:rate=2", "--service", "1s", "--seeds", "none"], "--seeds: expected a whole number >= 1"],
    [["--load", "constant:rate=2", "--service", "1s", "--late-after", "soon"], "--late-after: expected a duration"],
    [["--load", "constant:rate=2", "--service", "1s", "--program", "x"], "name one program: --program mails"],
  ])("%j exits 64 and says: %s", async (args, message) => {
    const { code, stderr } = await scene().run(...args);
    expect(code).toBe(64);
    expect(stderr).toContain(message);
  });
});

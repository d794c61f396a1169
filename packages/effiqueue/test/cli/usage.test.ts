import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { KEY_NAMES } from "../../src/model/keys.ts";
import { CLI, effiqueue } from "../support/effiqueue-process.ts";
import { tempDir } from "../support/temp-dir.ts";
import { runHere } from "./run-here.ts";

const GOOD = `command = "sleep 600"
queue_connection = "amqp://app:s3cret-word@localhost/%2F"
queue_name = "messages"
max_workers = 20
slo_drain_time = "2m"
`;

function fileOf(text: string, name = "effiqueue.toml"): string {
  const path = join(tempDir(), name);
  writeFileSync(path, text);
  return path;
}

describe("DESIGN 7.9: an answer that cannot be written", () => {
  it("is a failure, for its file is cut short", async () => {
    const through = ["sh", "-c", '"$@" >/dev/full', "sh"];
    expect(await effiqueue(["validate-config", "--config", fileOf(GOOD)], { cwd: tempDir(), through })).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^effiqueue: the answer could not be written: ENOSPC[^\n]*\n$/) as string,
    });
  });
});

describe("DESIGN 7.9: wrong usage", () => {
  it.each([
    [["validate-conf"], "unknown command 'validate-conf' (Did you mean validate-config?)"],
    [["rnu", "--config", "f"], "unknown command 'rnu' (Did you mean run?)"],
    [["run", "--confg", "f"], "unknown option '--confg' (Did you mean --config?)"],
    [["--confg", "f"], "unknown option '--confg' (Did you mean --config?)"],
    [["run", "--config", "f", "--max-worker", "5"], "unknown option '--max-worker'"],
    [["run"], "name the configuration: --config FILE"],
    [["run", "--config"], "option '-c, --config <file>' argument missing"],
    [["validate-config"], "name the configuration: --config FILE"],
    [["run", "-c", "f", "--mode", "SLO"], "argument 'SLO' is invalid. Allowed choices are slo, threshold, hpa."],
    [["run", "-c", "f", "--log-level", "loud"], "Allowed choices are trace, debug"],
    [["run", "-c", "f", "--metrics-addr", "9464"], "argument '9464' is invalid. Expected HOST:PORT such as"],
    [["run", "-c", "f", "g"], "too many arguments"],
  ])("%j exits 64 and says: %s", async (args, message) => {
    const { code, stdout, stderr } = await runHere(...args);
    expect({ code, stdout }).toEqual({ code: 64, stdout: "" });
    expect(stderr).toMatch(/^effiqueue: [^\n]+\n$/);
    expect(stderr).toContain(message);
  });

  it("says the same as an object with --json", async () => {
    const { code, stderr } = await runHere("validate-config", "--jsn", "--json");
    expect(code).toBe(64);
    expect(JSON.parse(stderr)).toEqual({
      error: { code: "usage", message: "unknown option '--jsn' (Did you mean --json?)", causes: [] },
    });
  });

  it("shows the commands when none is given", async () => {
    const { code, stderr } = await runHere();
    expect(code).toBe(64);
    expect(stderr).toMatch(/Usage: effiqueue[^]*validate-config[^]*run [^]*validate-config --help has every key/);
  });

  it("prints help and version to standard output and exits 0", async () => {
    expect((await runHere("--version")).stdout).toMatch(/^\d+\.\d+\.\d+\S*\n$/);
    expect(await runHere("--help")).toMatchObject({ code: 0, stderr: "" });
    for (const args of [
      ["run", "--help"],
      ["help", "run"],
    ]) {
      const { code, stdout } = await runHere(...args);
      expect(code).toBe(0);
      expect(stdout).toContain("--state-dir <folder>");
    }
  });
});

describe("DESIGN 7.9: validate-config", () => {
  it("lists every key of a file in its help, each with what holds without it", async () => {
    const { code, stdout } = await runHere("validate-config", "--help");
    expect(code).toBe(0);
    for (const name of KEY_NAMES) expect(stdout).toMatch(new RegExp(`^  ${name} `, "m"));
    expect(stdout).toMatch(/^ {2}max_workers +required +never more/m);
    expect(stdout).toMatch(/^ {2}poll_interval +10s +from decision to decision/m);
  });

  it("says what would be run, and never a password", async () => {
    const file = fileOf(GOOD);
    const { code, stdout, stderr } = await runHere("validate-config", "--config", file);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toBe(
      `${file} is good: 1 program\n  messages  slo  rabbitmq queue messages  0 to 20 workers, drained within 120 s\n`,
    );
    expect((await runHere("validate-config", "--config", file, "--json")).stdout).not.toContain("s3cret");
  });

  it("takes the mode from the command line", async () => {
    const file = fileOf(GOOD.replace(/slo_drain_time.*\n/, ""));
    expect((await runHere("validate-config", "-c", file)).code).toBe(78);
    const { code, stdout } = await runHere("validate-config", "-c", file, "--mode", "threshold", "--json");
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ valid: true, programs: [{ name: "messages", mode: "threshold" }] });
  });

  it("tells everything that is wrong at once, each with its place, and exits 78", async () => {
    const file = fileOf('command = "x"\nmax_worker = 3\nqueue = "redis"\n');
    const { code, stdout, stderr } = await runHere("validate-config", "--config", file);
    expect({ code, stdout }).toEqual({ code: 78, stdout: "" });
    const lines = stderr.trimEnd().split("\n");
    expect(lines).toContain(`${file}:2: max_worker: is no key, did you mean max_workers?`);
    expect(lines).toContain(`${file}:3: queue: expected "rabbitmq", got "redis"`);
    expect(lines).toHaveLength(6);

    const json = await runHere("validate-config", "--config", file, "--json");
    expect(json.code).toBe(78);
    const { valid, problems } = JSON.parse(json.stdout) as { valid: boolean; problems: { said: string }[] };
    expect({ valid, problems: problems.map(({ said }) => said) }).toEqual({ valid: false, problems: lines });
  });

  it("shows warnings and still finds the file good", async () => {
    const file = fileOf(`${GOOD}poll_interval = "1s"\n`);
    const { code, stdout } = await runHere("validate-config", "--config", file);
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`^warning: ${file}:6: poll_interval: RabbitMQ refreshes`));
  });

  it.each([
    ["a file that is not there", "none.toml", undefined, "cannot be read: there is no such file"],
    ["what is no TOML", "bad.toml", "[[[[\n", ":1: "],
    ["what is no Supervisor file", "bad.conf", "what\n", ":1: "],
  ])("%s: one line, exit 78, no stack", async (_, name, text, message) => {
    const file = text === undefined ? join(tempDir(), name) : fileOf(text, name);
    for (const command of ["validate-config", "run"]) {
      const { code, stderr } = await runHere(command, "--config", file);
      expect(code).toBe(78);
      expect(stderr.startsWith(file)).toBe(true);
      expect(stderr).toContain(message);
      expect(stderr).not.toMatch(/^\s+at /m);
    }
  });
});

describe("DESIGN 7.9: the process", () => {
  it("ends with the exit code, and quietly when its reader goes away", async () => {
    const cwd = tempDir();
    expect(await effiqueue(["--version"], { cwd })).toMatchObject({ code: 0, stderr: "" });
    expect((await effiqueue(["rum"], { cwd })).code).toBe(64);
    const help = spawn(process.execPath, [CLI, "--help"], { cwd, stdio: ["ignore", "pipe", "inherit"] });
    help.stdout.destroy();
    expect(await new Promise((resolve) => help.on("exit", resolve))).toBe(0);
  });
});

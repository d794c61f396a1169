import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { loadConfig } from "../../src/config/load.ts";
import { pipe } from "../support/pipe.ts";
import { fileOf, load, NO_ENV, only, problemsOf, warningsOf } from "./files.ts";

/** The least that is a configuration; lines put before it move the others down. */
const GOOD = `command = "worker"
queue_connection = "amqp://guest:guest@localhost"
queue_name = "mail"
max_workers = 4
slo_drain_time = "60s"
`;

const without = (key: string): string =>
  GOOD.split("\n")
    .filter((line) => !line.startsWith(`${key} `))
    .join("\n");

const replacing = (key: string, value: string): string => `${without(key)}${key} = ${value}\n`;

describe("DESIGN 5.1: a TOML file", () => {
  it("needs nothing but command, queue, ceiling and the promised drain time", () => {
    const config = load(GOOD);
    const { name, options } = only(config);
    expect(name).toBe("mail");
    expect(options).toMatchObject({
      mode: "slo",
      minWorkers: 0,
      maxWorkers: 4,
      sloDrainTime: 60,
      alphaMu: 0.3,
      alphaLambda: 0.3,
      hysteresis: 1,
      cooldownTicks: 2,
      spikeBacklog: 1000,
      maxStep: "auto",
      swapRatioCap: 0.2,
      memoryPressureCap: 0.1,
      depthThreshold: 40,
      ramRatioCap: 0.9,
      minUptime: 10,
      exitCodes: [],
      stopSignal: "SIGTERM",
      stopTarget: "group",
      shell: false,
      management: true,
      queue: "rabbitmq",
      processName: "consumer_%(process_num)02d",
      drainTimeout: 30,
    });
    expect(config.shared).toEqual({
      pollInterval: 10,
      ramHeadroom: 2 * 1024 ** 3,
      ramBudget: undefined,
      metricsAddr: undefined,
      stateDir: undefined,
    });
    expect(config.warnings).toEqual([]);
  });

  it("shares what stands above the programs, and lets each override it", () => {
    const { programs, shared } = load(`
poll_interval = "20s"
ram_budget = "8GB"
max_workers = 3
slo_drain_time = 90
queue_connection = "amqp://localhost"
command = "work"
env = { A = "shared", B = "shared" }
[[program]]
queue_name = "one"
[[program]]
queue_name = "two"
name = "second"
max_workers = 9
[program.env]
B = "own"
`);
    expect(shared).toMatchObject({ pollInterval: 20, ramBudget: 8 * 1024 ** 3, ramHeadroom: undefined });
    expect(programs.map(({ name, options }) => [name, options.maxWorkers])).toEqual([
      ["one", 3],
      ["second", 9],
    ]);
    expect(programs.map(({ worker }) => worker(0).command.env)).toEqual([
      { A: "shared", B: "shared" },
      { A: "shared", B: "own" },
    ]);
  });

  it("tells everything that is wrong at once, in the order of the file", () => {
    const text = `max_worker = 8
poll_interval = "10 parsecs"
ram_budget = "1GB"
ram_headroom = "2GB"
queue_connection = "amqp://localhost"
[[program]]
queue_name = "mail"
command = "php 'artisan"
min_workers = "2"
max_workers = 2.5
mode = "SLO"
drain_timeout = "5s"
[[program]]
queue = "redis"
command = "work"
[[programs]]
`;
    expect(problemsOf(() => load(text))).toEqual([
      "effiqueue.toml:1: max_worker: is no key, did you mean max_workers?",
      'effiqueue.toml:2: poll_interval: expected a duration > 0 such as 250ms, 10s, 2m or 1h (a bare number is seconds), at most 2147483s, got "10 parsecs"',
      "effiqueue.toml:4: ram_headroom: expected only one of ram_budget and ram_headroom",
      `effiqueue.toml:8: program "mail": command: has a ' that is never closed`,
      'effiqueue.toml:9: program "mail": min_workers: expected a whole number >= 0, got "2"',
      'effiqueue.toml:10: program "mail": max_workers: expected a whole number >= 1, got 2.5',
      'effiqueue.toml:11: program "mail": mode: expected one of "slo", "threshold", "hpa", got "SLO"',
      'effiqueue.toml:12: program "mail": drain_timeout: holds for the whole process; move it above the first [[program]]',
      "effiqueue.toml:13: program 2: queue_name: missing; expected some text",
      "effiqueue.toml:13: program 2: max_workers: missing; expected a whole number >= 1",
      'effiqueue.toml:13: program 2: slo_drain_time: missing; expected in mode "slo" a duration > 0 such as 250ms, 10s, 2m or 1h (a bare number is seconds), at most 2147483s, or slo_wait_time',
      'effiqueue.toml:14: program 2: queue: expected "rabbitmq", got "redis"',
      "effiqueue.toml:16: programs: is no key, did you mean [[program]]?",
    ]);
  });

  it.each(["command", "queue_name", "cwd"])(
    "refuses a NUL in %s and in env, by which nothing can be started",
    (key) => {
      const text = `command = "w"\nqueue_connection = "amqp://h"\nqueue_name = "q"\nmax_workers = 1\nslo_drain_time = 9\ncwd = "/"\n`;
      const env = `env = { A = "x\\u0000" }\n`;
      const [own, ofEnv] = problemsOf(() => load(text.replace(new RegExp(`^${key} = "`, "m"), "$&\\u0000") + env));
      expect(own).toContain(` ${key}: expected `);
      expect(ofEnv).toContain(":7: env: expected ");
    },
  );

  it.each(["command", "queue_connection", "queue_name", "max_workers", "slo_drain_time"])("needs %s", (key) => {
    expect(problemsOf(() => load(without(key)))).toEqual([expect.stringContaining(`effiqueue.toml: ${key}: missing;`)]);
  });

  it.each(["poll_interval", "drain_timeout", "ram_budget", "ram_headroom", "metrics_addr", "state_dir"])(
    "has no place for %s inside a program",
    (key) => {
      const value = key === "metrics_addr" ? ":1" : key === "state_dir" ? "x" : "1";
      expect(problemsOf(() => load(`${GOOD}[[program]]\n${key} = "${value}"\n`))).toEqual([
        `effiqueue.toml:7: program 1: ${key}: holds for the whole process; move it above the first [[program]]`,
      ]);
    },
  );

  /** Each rule from both sides. */
  it.each<[key: string, right: string[], wrong: string[]]>([
    ["max_workers", ["1", "4"], ["0", "-1", "2.5", '"4"', "inf", "nan", "true", "[]", "9007199254740993.0"]],
    ["min_workers", ["0", "4"], ["-1", "5", "0.5", '"0"']],
    ["mode", ['"slo"', '"threshold"', '"hpa"'], ['"SLO"', '"auto"', '""', "1"]],
    ["slo_drain_time", ['"1ms"', '"1h"', "0.5", "2147483"], ['"0s"', "0", '"-1s"', "2147484", '"1d"', "1979-05-27"]],
    ["alpha_mu", ["1", "0.01"], ["0", "1.01", '"0.3"', "-0.1", "nan"]],
    ["alpha_lambda", ["1.0"], ["0.0", "2"]],
    ["queue", ['"rabbitmq"'], ['"redis"', '"RabbitMQ"']],
    ["ram_budget", ['"512MB"', "1"], ['"0"', "0", '"12 parsecs"', '"9999999PB"', "1.5", '"-1GB"']],
    ["ram_headroom", ['"0"', '"1.5GiB"'], ['"lots"', "-1"]],
    ["poll_interval", ['"10s"', "5"], ['"0s"', "0", "2147484"]],
    ["drain_timeout", ["0", '"10m"'], ["-1", '"10 min"']],
    [
      "metrics_addr",
      ['"127.0.0.1:9464"', '"[::1]:9"', '":0"', '"localhost:65535"'],
      ['"9464"', '"h:65536"', '"::1:9"', "9464"],
    ],
    ["swap_ratio_cap", ["0", "1", "0.2"], ["-0.1", "1.1"]],
    ["memory_pressure_cap", ["0", "1", "0.1"], ["-0.1", "10", '"10%"']],
    ["ram_ratio_cap", ["0.9", "1"], ["0", "1.5"]],
    ["depth_threshold", ["0", "40"], ["-1", "1.5"]],
    ["hysteresis", ["0", "3"], ["-1", "0.5"]],
    ["cooldown_ticks", ["0"], ["-1"]],
    ["spike_backlog", ["0"], ["-1"]],
    ["max_step", ["1", '"auto"'], ["0", '"many"', "1.5"]],
    ["management", ["false"], ['"no"', "0"]],
    ["management_url", ['"http://h:15672"', '"https://h/prefix/"'], ['"h:15672"', '"amqp://h"', '"http://"']],
    [
      "queue_connection",
      ['"amqp://h"', '"AMQPS://u:p@h:1/%2F"'],
      ['"http://h"', '"localhost"', '""', '"amqp://h:port"', "1"],
    ],
    ["shell", ["true"], ['"true"']],
    ["stop_signal", ['"TERM"', '"SIGINT"', '"usr1"'], ['"SIGSTOP"', '"TREM"']],
    ["stop_target", ['"leader"'], ['"everyone"']],
    ["min_uptime", ["0", '"2m"'], ["-1"]],
    ["exit_codes", ["[]", "[0, 255]"], ["[256]", "0", '["0"]', "[-1]"]],
    ["env", ['{ A = "1" }', '{ "A.B" = "" }'], ["{ A = 1 }", '"A=1"', '["A=1"]', '{ "A=B" = "1" }', '{ "" = "1" }']],
    ["target_utilisation", ["1"], ["0", "1.1"]],
    ["tolerance", ["0", "1"], ["1.5"]],
    ["threads_per_worker", ["1"], ["0"]],
    ["process_name", ['"w_%(process_num)d"', '"100%"'], ['"w_%(num)d"', '"w_%(process_num)x"', "1", '" "']],
  ])("takes for %s what it should, and nothing else", (key, right, wrong) => {
    for (const value of right)
      expect(
        problemsOf(() => load(replacing(key, value))),
        value,
      ).toEqual([]);
    for (const value of wrong) {
      const at = `effiqueue.toml:${replacing(key, value).trim().split("\n").length}: ${key}: `;
      expect(
        problemsOf(() => load(replacing(key, value))),
        value,
      ).toEqual([expect.stringContaining(at)]);
    }
  });

  it.each(["tls_cert", "tls_key"])("wants both halves of a client certificate (%s alone)", (key) => {
    const [problem] = problemsOf(() => load(`${GOOD}${key} = "client.pem"\n`));
    expect(problem).toMatch(new RegExp(`: missing; expected beside ${key} a path$`));
  });

  it("does not need a drain time in the other modes", () => {
    expect(problemsOf(() => load(`mode = "threshold"\n${without("slo_drain_time")}`))).toEqual([]);
    expect(problemsOf(() => load(`mode = "hpa"\n${without("slo_drain_time")}`))).toEqual([]);
  });

  it("lets the command line override the mode of every program", () => {
    const text = `mode = "threshold"\n${GOOD}[[program]]\nmode = "hpa"\nname = "a"\n[[program]]\nname = "b"\n`;
    expect(load(text, { env: {}, mode: "slo" }).programs.map(({ options }) => options.mode)).toEqual(["slo", "slo"]);
    expect(problemsOf(() => load(text, { env: {}, mode: "SLO" }))).toEqual([
      'effiqueue.toml: --mode: expected one of "slo", "threshold", "hpa", got "SLO"',
    ]);
  });

  it.each([
    ["max_worker", "max_workers"],
    ["maxWorkers", "max_workers"],
    ["queue_conection", "queue_connection"],
    ["slo", "slo_drain_time"],
    ["Command", "command"],
    ["alpha_nu", "alpha_mu"],
    ["min_wrokers", "min_workers"],
  ])("names for the unknown key %s the nearest known one", (typed, meant) => {
    expect(problemsOf(() => load(`${typed} = 1\n${GOOD}`))).toEqual([
      `effiqueue.toml:1: ${typed}: is no key, did you mean ${meant}?`,
    ]);
  });

  it("suggests nothing for a key that is like no other", () => {
    expect(problemsOf(() => load(`zebra = 1\n${GOOD}`))).toEqual(["effiqueue.toml:1: zebra: is no key"]);
  });

  it.each([
    ["[program]\n", "in single brackets"],
    ["program = 3\n", "as a value"],
    ["program = []\n", "as an empty list"],
    ["program = [1]\n", "as a list of something else"],
  ])("takes programs only in double brackets, not %j (%s)", (text) => {
    const whole = text.startsWith("[") ? `${GOOD}${text}` : `${text}${GOOD}`;
    expect(problemsOf(() => load(whole))).toEqual([
      expect.stringMatching(/^effiqueue.toml:[16]: program: expected tables, each under a \[\[program\]\] of its own/),
    ]);
  });

  it("refuses two programs of one name", () => {
    const text = `${GOOD}[[program]]\n[[program]]\n`;
    expect(problemsOf(() => load(text))).toEqual([
      'effiqueue.toml:7: program 2: name: another program is called "mail" too; give each a name of its own',
    ]);
  });

  it("tells line and column of what is no TOML, and quotes nothing of the file", () => {
    const text = `${GOOD}management_url = "https://u:hunter2@h"x\n`;
    const [problem, ...others] = problemsOf(() => load(text));
    expect(others).toEqual([]);
    expect(problem).toMatch(/^effiqueue.toml:6: this is no TOML: .+ \(column \d+\)$/);
    expect(problem).not.toContain("hunter2");
  });

  it("tells a shared value that is wrong even where every program overrides it", () => {
    const text = `${replacing("max_workers", '"four"')}[[program]]\nmax_workers = 1\n`;
    expect(problemsOf(() => load(text))).toEqual([expect.stringContaining("effiqueue.toml:5: max_workers: expected")]);
  });

  it("says of a file that cannot be read why, and what to do", () => {
    const folder = fileOf(GOOD).replace(/\/[^/]*$/, "");
    expect(problemsOf(() => loadConfig(`${folder}/nothing.toml`, NO_ENV))).toEqual([
      "nothing.toml: cannot be read: there is no such file",
    ]);
    expect(problemsOf(() => loadConfig(folder, NO_ENV))).toEqual([
      expect.stringContaining("cannot be read: it is a folder; name the file in it"),
    ]);
    expect(problemsOf(() => loadConfig("/dev/zero", NO_ENV))).toEqual([
      "/dev/zero: is longer than 4 MiB; is it a configuration?",
    ]);
    expect(problemsOf(() => loadConfig(pipe(), NO_ENV))).toEqual([
      expect.stringContaining("cannot be read: it is a pipe that nobody writes to; name a file"),
    ]);
    expect(problemsOf(() => loadConfig(fileOf(Uint8Array.of(0xff, 0xfe, 0x61, 0)), NO_ENV))).toEqual([
      "effiqueue.toml: is not text in UTF-8; save it as that",
    ]);
  });

  it("reads a pipe to the end of what is written into it, however late that comes", async () => {
    const path = pipe();
    // It writes when the pipe is open here.
    const script = `exec 3<>"$1"; echo; until ls -l /proc/$PPID/fd | grep -q "$1"; do sleep 0.02; done; printf %s "$2" >&3`;
    const writer = spawn("sh", ["-c", script, "sh", path, GOOD]);
    await once(writer.stdout, "data");
    expect(only(loadConfig(path, NO_ENV)).options.maxWorkers).toBe(4);
  });

  it("reads files with a byte order mark and Windows line ends", () => {
    const text = `\uFEFF${GOOD.replaceAll("\n", "\r\n")}`;
    expect(only(load(text)).options.maxWorkers).toBe(4);
    expect(problemsOf(() => load(`${text}nonsense = 1\r\n`))).toEqual(["effiqueue.toml:6: nonsense: is no key"]);
  });
});

describe("DESIGN 5.1: advice", () => {
  it("warns of a poll that is faster than the broker's statistics", () => {
    expect(warningsOf(load(`poll_interval = "2s"\n${GOOD}`))).toEqual([
      expect.stringMatching(/^effiqueue.toml:1: poll_interval: RabbitMQ refreshes its statistics every 5s/),
    ]);
    expect(warningsOf(load(`poll_interval = "5s"\n${GOOD}`))).toEqual([]);
  });

  it("warns of a key that the mode does not read", () => {
    expect(warningsOf(load(`depth_threshold = 1\n${GOOD}`))).toEqual([
      'effiqueue.toml:1: depth_threshold: not read in mode "slo"',
    ]);
  });

  it("does not warn of a shared key that another program may read", () => {
    const text = `depth_threshold = 1\n${GOOD}[[program]]\n`;
    expect(warningsOf(load(text))).toEqual([]);
  });

  it("warns of a process name without a number", () => {
    expect(warningsOf(load(`process_name = "worker"\n${GOOD}`))).toEqual([
      "effiqueue.toml:1: process_name: holds no %(process_num)02d, so every worker gets the same name",
    ]);
  });

  it.each<[string, string | undefined]>([
    ["su www-data -s /bin/sh -c 'php worker.php'", "su puts the worker into a session of its own"],
    ["/usr/bin/sudo -u app php worker.php", "sudo puts the worker into a session of its own"],
    ["LANG=C exec setsid -w php worker.php", "setsid puts the worker into a session of its own"],
    ["docker exec app php worker.php", "docker runs the worker where its memory is not measured"],
    ["ssh worker-1 php worker.php", "ssh runs the worker where its memory is not measured"],
    ["nice -n 5 php worker.php", undefined],
    ["php sudo.php --su", undefined],
    ["./docker-worker", undefined],
  ])("warns of a command behind which the worker cannot be seen: %s", (command, said) => {
    const warnings = warningsOf(load(replacing("command", JSON.stringify(command))));
    expect(warnings).toEqual(said === undefined ? [] : [expect.stringContaining(`command: ${said}`)]);
  });

  it("warns of a variable where none is expanded, but not of one for the shell", () => {
    const text = replacing("queue_name", `"\${QUEUE}"`);
    expect(warningsOf(load(text))).toEqual([
      `effiqueue.toml:5: queue_name: holds a \${...} that means itself; it is expanded in on_event, on_event_header, queue_connection, management_url only`,
    ]);
    expect(warningsOf(load(`shell = true\n${replacing("command", `"echo \${HOME}"`)}`))).toEqual([]);
  });
});

describe("DESIGN 5.3: what a worker is started with", () => {
  it("holds its number and its name", () => {
    const program = only(
      load(`${replacing("command", `"work --as '%(process_name)s' -n %(process_num)d +%Y"`)}
process_name = "w_%(process_num)03d"
cwd = "/srv/%(program_name)s"
stdout = "/log/%(process_name)s.log"
stderr = "null"
env = { N = "%(process_num)d", RAW = "100%" }
`),
    );
    expect(program.worker(7)).toEqual({
      processName: "w_007",
      command: {
        file: "work",
        args: ["--as", "w_007", "-n", "7", "+%Y"],
        shell: false,
        cwd: "/srv/mail",
        env: { N: "7", RAW: "100%" },
      },
      output: { stdout: { file: "/log/w_007.log" }, stderr: "ignore" },
    });
  });

  it("is the whole line, unsplit, for a shell", () => {
    const program = only(load(`shell = true\n${replacing("command", "\"a 'b c' && d; e %(process_num)d\"")}`));
    expect(program.worker(2).command).toMatchObject({ file: "a 'b c' && d; e 2", args: [], shell: true });
  });

  it("has to name a program", () => {
    expect(problemsOf(() => load(replacing("command", `"'' x"`)))).toEqual([
      "effiqueue.toml:5: command: names no program to run",
    ]);
  });
});

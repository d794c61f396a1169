import { spawnSync } from "node:child_process";
import { closeSync, existsSync, openSync } from "node:fs";
import { createLogger, EVENT_LEVELS, type LogLevel, logReporter, messageOf } from "effiqueue";
import { afterEach, describe, expect, it, vi } from "vitest";

/** Runs a command on a pseudo-terminal; part of util-linux, so not everywhere. */
const ON_TERMINAL = "script";

afterEach(() => vi.unstubAllEnvs());

/** A logger whose lines are kept, parsed. */
function recorded(level?: LogLevel) {
  const lines: Record<string, unknown>[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) };
  return {
    lines,
    logger: createLogger({ name: "flexiq.autoscale", destination, ...(level === undefined ? {} : { level }) }),
  };
}

const decided = {
  program: "p",
  pending: 42,
  running: 5,
  current_workers: 2,
  desired_workers: 3,
  draining_workers: 0,
  reason: "depth",
  trail: "",
  rationale: "scale-up: 42 pending / 15 per worker asks for 3",
  dt_sec: 5,
};

describe("DESIGN 6.2: logs", () => {
  it("writes the line of a tick to the letter, at info, under the logger's name", () => {
    const { lines, logger } = recorded();
    logReporter(logger).emit("loop.tick.decided", decided);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({
      level: "info",
      logger: "flexiq.autoscale",
      event: "loop.tick.decided",
      pending: 42,
      msg: "pending=42 running=5 workers=2 -> 3 (scale-up: 42 pending / 15 per worker asks for 3)",
    });
    expect(lines[0]?.["time"]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  it("writes ? for what could not be read", () => {
    const message = messageOf("loop.tick.decided", {
      ...decided,
      pending: null,
      running: null,
      desired_workers: 2,
      rationale: "hold: queue unreadable",
    });
    expect(message).toBe("pending=? running=? workers=2 -> 2 (hold: queue unreadable)");
  });

  it("has one pid a line: that of the worker, not its own", () => {
    const lines: string[] = [];
    const logger = createLogger({ name: "n", destination: { write: (line) => void lines.push(line) } });
    logReporter(logger).emit("act.worker.spawned", { program: "p", pid: 7, process_num: 0 });
    expect(lines[0]?.match(/"pid":/g)).toHaveLength(1);
    expect(lines[0]).toContain('"pid":7');
  });

  it.each([
    { option: undefined, variable: undefined, debug: false, info: true },
    { option: undefined, variable: "debug", debug: true, info: true },
    { option: undefined, variable: "WARN", debug: false, info: false },
    { option: "info", variable: "error", debug: false, info: true },
    { option: "silent", variable: "debug", debug: false, info: false },
  ] as const)("takes its level from option $option, else EFFIQUEUE_LOG $variable, else info", (row) => {
    vi.stubEnv("EFFIQUEUE_LOG", row.variable);
    const { lines, logger } = recorded(row.option);
    logger.debug({}, "debug");
    logger.info({}, "info");
    const said = lines.map(({ level }) => level);
    expect(said.includes("debug")).toBe(row.debug);
    expect(said.includes("info")).toBe(row.info);
  });

  it("refuses a level that does not exist, naming where it came from", () => {
    vi.stubEnv("EFFIQUEUE_LOG", "loud");
    expect(() => createLogger({ name: "n" })).toThrow(/^EFFIQUEUE_LOG: expected one of trace, .* got "loud"$/);
    expect(() => createLogger({ name: "n", level: "loud" as LogLevel })).toThrow(/^level: expected/);
  });
});

describe("DESIGN 6.2: where lines go", () => {
  const script = `
    import { createLogger } from ${JSON.stringify(new URL("../../dist/index.js", import.meta.url).href)};
    const logger = createLogger({ name: "some.name" });
    logger.info({ count: 1 }, "hello");
    logger.info({}, "words of a broker\\n\\u001b[31mFATAL: \\u009b2J");
    process.exit(0);
  `;
  const node = ["--input-type=module", "-e", script];
  const env = { ...process.env, NODE_EXTRA_CA_CERTS: undefined, EFFIQUEUE_LOG: undefined, NO_COLOR: "1" };

  it("is standard error, JSON when it is no terminal, and nothing is lost at exit", () => {
    const { stdout, stderr } = spawnSync(process.execPath, node, { env, encoding: "utf8" });
    expect(stdout).toBe("");
    expect(JSON.parse(stderr.split("\n")[0] ?? "")).toMatchObject({
      level: "info",
      logger: "some.name",
      count: 1,
      msg: "hello",
    });
  });

  it.skipIf(spawnSync(ON_TERMINAL, ["--version"]).status !== 0)("is readable on a terminal", () => {
    const quoted = [process.execPath, ...node].map((each) => `'${each.replaceAll("'", `'\\''`)}'`).join(" ");
    const { stdout } = spawnSync(ON_TERMINAL, ["-qec", quoted, "/dev/null"], { env, encoding: "utf8" });
    expect(stdout).toMatch(/INFO.*some\.name: hello/);
    // Neither a line of its own nor a command to the terminal comes from a text of others.
    expect(stdout).toContain("words of a broker\\n\\x1b[31mFATAL: \\x9b2J");
    expect(stdout).not.toContain("{");
  });
});

describe("DESIGN 6.2: lines that cannot be written", () => {
  // What a worker's terminal answers once it is closed, EIO, is a case of the same kind.
  it.skipIf(!existsSync("/dev/full"))("cost no process its life", () => {
    const script = `
      import { createLogger } from ${JSON.stringify(new URL("../../dist/index.js", import.meta.url).href)};
      const logger = createLogger({ name: "some.name" });
      for (let i = 0; i < 300; i++) logger.info({}, "x".repeat(10_000));
      setImmediate(() => console.log("alive"));
    `;
    const full = openSync("/dev/full", "w");
    try {
      const { status, stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
        env: { ...process.env, NODE_EXTRA_CA_CERTS: undefined, EFFIQUEUE_LOG: undefined },
        encoding: "utf8",
        stdio: ["ignore", "pipe", full],
      });
      expect({ status, stdout }).toEqual({ status: 0, stdout: "alive\n" });
    } finally {
      closeSync(full);
    }
  });
});

describe("DESIGN 6.1: levels of events", () => {
  it("makes a crash a warning and any other exit info", () => {
    const { lines, logger } = recorded();
    const exit = { program: "p", pid: 7, process_num: 0, exit_code: 1, signal: null, uptime_ms: 12 };
    logReporter(logger).emit("act.worker.exited", { ...exit, kind: "crashed" });
    logReporter(logger).emit("act.worker.exited", { ...exit, kind: "stopped", exit_code: null, signal: "SIGTERM" });
    expect(lines.map(({ level, msg }) => [level, msg])).toEqual([
      ["warn", "worker 7 crashed after 12 ms (exit code 1)"],
      ["info", "worker 7 stopped after 12 ms (signal SIGTERM)"],
    ]);
  });

  it("knows no event that loses or breaks something below warning", () => {
    expect(EVENT_LEVELS["loop.tick.failed"]).toBe("error");
    expect(EVENT_LEVELS["act.worker.drain_timed_out"]).toBe("warn");
    expect(EVENT_LEVELS["observe.queue.unreadable"]).toBe("warn");
  });
});

import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, vi } from "vitest";
import type { Ended } from "../../../effiqueue/test/support/built-command.ts";
import { tempDir } from "../../../effiqueue/test/support/temp-dir.ts";
import { runCommand } from "../../src/cli/run.ts";
import { jsonOrText } from "../../src/cli/values.ts";
import { flexiq } from "../support/flexiq-process.ts";

const run = (...args: string[]) => flexiq(args, { cwd: tempDir() });

/** In this process: a command line that is refused opens nothing. */
async function runHere(args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const said = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    vi.spyOn(process[name], "write").mockImplementation((text) => {
      said[name] += String(text);
      return true;
    });
  try {
    return { code: await runCommand(args), ...said };
  } finally {
    vi.restoreAllMocks();
  }
}

describe("DESIGN 12.1: wrong usage", () => {
  it.each([
    [["enqueue", "resize", "--priorty", "3"], "unknown option '--priorty' (Did you mean --priority?)"],
    [["worker", "--app", "x", "--slot", "3"], "unknown option '--slot' (Did you mean --slots?)"],
    [["stats", "--jsn"], "unknown option '--jsn' (Did you mean --json?)"],
    [["enqeue", "resize"], "unknown command 'enqeue' (Did you mean enqueue?)"],
    [["enqueue"], "missing required argument 'task'"],
    [["worker"], "required option '--app <module[:export]>' not specified"],
    [["enqueue", "resize", "--delay", "soon"], "argument 'soon' is invalid. Expected a duration such as 250ms"],
    [["enqueue", "resize", "--priority", "1.5"], "argument '1.5' is invalid. Expected a whole number."],
    [["enqueue", "resize", "--max-retries", "-1"], "argument '-1' is invalid. Expected a whole number of at least 0."],
    [
      ["enqueue", "resize", "--count", "2", "--unique-key", "k"],
      "'--count <n>' cannot be used with option '--unique-key <key>'",
    ],
    [["stats", "--db", "a", "--app", "b"], "'--app <module[:export]>' cannot be used with option '--db <path>'"],
    [["worker", "--app", "x", "--slots", "0"], "argument '0' is invalid. Expected a whole number of at least 1."],
    [["worker", "--app", "x", "--queues", "a,,b"], "Expected names separated by commas."],
    [["worker", "--app", "x", "--log-level", "loud"], "Allowed choices are trace, debug"],
    [["jobs", "--state", "alive"], "argument 'alive' is invalid. Expected one of scheduled, pending"],
    [["jobs", "--limit", "0"], "Expected a whole number of at least 1."],
    [["job", "first"], "value 'first' is invalid for argument 'id'. Expected a whole number of at least 1."],
    [["job"], "missing required argument 'id'"],
    [["cancel"], "missing required argument 'ids'"],
    [["retry"], "give either ids of jobs or --all"],
    [["retry", "1", "--all"], "give either ids of jobs or --all"],
    [["retry", "1", "--queue", "a"], "--queue goes with --all"],
    [["purge", "--state", "pending"], "Allowed choices are dead, completed, cancelled."],
    [["pause"], "missing required argument 'queue'"],
    [["stats", "a", "b"], "too many arguments"],
  ])("%j exits 64 and says: %s", async (args, message) => {
    const { code, stdout, stderr } = await runHere(args);
    expect({ code, stdout }).toEqual({ code: 64, stdout: "" });
    expect(stderr).toMatch(/^flexiq: [^\n]+\n$/);
    expect(stderr).toContain(message);
  });

  it.each([
    [["enqueue", "resize", "--timeout", "0"], "timeoutMs"],
    [["enqueue", ""], "task"],
  ])("%j, which only the queue finds wrong, exits 64 and names %s", async (args, option) => {
    const { code, stderr } = await run(...args);
    expect(code).toBe(64);
    expect(stderr).toMatch(new RegExp(`^flexiq: .*${option}[^\\n]*\\n$`));
  });

  it("lets no name in it command the terminal, in what it says and in the stack below", async () => {
    const { code, stderr } = await run("stats", "--db", "/nowhere/\u001b[2J\u202e.db", "--debug");
    expect(code).toBe(1);
    expect(stderr).toMatch(/^flexiq: there is no queue at \/nowhere\/\\x1b\[2J\\u\{202e\}\.db: .*\n.*\n +at /);
    expect(stderr).not.toMatch(/[\u001b\u202e]/);
  });

  it("says what is wrong with a working directory that was deleted", async () => {
    const cwd = tempDir();
    const through = ["sh", "-c", 'rmdir "$PWD"; "$@"', "sh"];
    expect(await flexiq(["stats"], { cwd, through })).toMatchObject({
      code: 1,
      stderr: "flexiq: the working directory was deleted: change into one that exists\n",
    });
  });

  it("says the same as an object with --json", async () => {
    const { code, stderr } = await run("stats", "--jsn", "--json");
    expect(code).toBe(64);
    expect(JSON.parse(stderr)).toEqual({
      error: { code: "usage", message: "unknown option '--jsn' (Did you mean --json?)", causes: [] },
    });
  });

  it("shows the commands when none is given", async () => {
    const { code, stderr } = await run();
    expect(code).toBe(64);
    expect(stderr).toMatch(/Usage: flexiq[\s\S]*worker +run jobs[\s\S]*purge/);
  });
});

describe("DESIGN 12.1: an answer that cannot be written", () => {
  const through = (script: string): Promise<Ended> =>
    flexiq(["enqueue", "mail", "--db", join(tempDir(), "f.db")], {
      cwd: tempDir(),
      through: ["sh", "-c", script, "sh"],
    });

  it("is a failure, for its file is cut short", async () => {
    expect(await through('"$@" >/dev/full')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^flexiq: the answer could not be written: ENOSPC[^\n]*\n$/) as string,
    });
  });

  it("is none for a reader that left", async () => {
    expect(await through('{ "$@"; echo $? >&2; } | :')).toMatchObject({ code: 0, stderr: "0\n" });
  });
});

describe("DESIGN 12.4: arguments of a job", () => {
  it.each([
    ["12345678901234567890", "12345678901234567890"],
    ["-9007199254740993", "-9007199254740993"],
    ['{"id":[1,9007199254740993],"of":"12345678901234567890"}', "9007199254740993"],
    ["1e400", "1e400"],
  ])("%s is refused, for it would be changed", async (argument, number) => {
    const { code, stderr } = await runHere(["enqueue", "pay", "--db", join(tempDir(), "f.db"), "--", argument]);
    expect(code).toBe(64);
    expect(stderr).toContain(`flexiq: ${number} is a number of which JavaScript cannot hold every digit: quote it`);
  });

  it.each([
    ["9007199254740992", 9_007_199_254_740_992],
    ["0.1", 0.1],
    ["1e300", 1e300],
    ['"12345678901234567890"', "12345678901234567890"],
    ['{"a \\" 12345678901234567890":1}', { 'a " 12345678901234567890': 1 }],
    ["12345678901234567890 apples", "12345678901234567890 apples"],
  ])("%s is taken for what it is", (argument, value) => {
    expect(jsonOrText(argument)).toEqual(value);
  });
});

describe("DESIGN 12.1: help and version", () => {
  it("prints them to standard output and exits 0", async () => {
    expect((await run("--version")).stdout).toMatch(/^\d+\.\d+\.\d+\S*\n$/);
    expect(await run("--help")).toMatchObject({ code: 0, stderr: "" });
    for (const args of [
      ["worker", "--help"],
      ["help", "worker"],
    ]) {
      const { code, stdout } = await run(...args);
      expect(code).toBe(0);
      expect(stdout).toContain("--slots <n>");
    }
  });
});

describe("DESIGN 12.1: failures", () => {
  it.each([
    [["worker", "--app", "./none.mjs"], /^flexiq: --app .\/none.mjs: there is no \/.*none.mjs\n$/],
    [
      ["worker", "--app", "./throws.mjs"],
      /^flexiq: --app .*throws.mjs: it throws while it is loaded: no DATABASE_URL\n$/,
    ],
    [
      ["worker", "--app", "./broken.mjs"],
      /^flexiq: --app .*: \/.*broken.mjs:2 does not parse: Unexpected token '\)'\n$/,
    ],
    [["worker", "--app", "./empty.mjs"], /^flexiq: --app .*empty.mjs: no queue is exported .*; it exports nothing\n$/],
    [["stats", "--app", "./none.mjs"], /^flexiq: --app .\/none.mjs: there is no/],
  ])("%j: one line, exit 1, no stack", async (args, expected) => {
    const cwd = tempDir();
    writeFileSync(join(cwd, "throws.mjs"), `throw new Error("no DATABASE_URL")`);
    writeFileSync(join(cwd, "broken.mjs"), "const a = 1;\nconst b = );\n");
    writeFileSync(join(cwd, "empty.mjs"), "");
    const { code, stderr } = await flexiq(args, { cwd });
    expect(code).toBe(1);
    expect(stderr).toMatch(expected);
  });

  it("shows stacks to those who ask", async () => {
    const cwd = tempDir();
    writeFileSync(join(cwd, "throws.mjs"), `throw new Error("no DATABASE_URL")`);
    const app = ["--app", "./throws.mjs"];
    for (const [args, env] of [
      [["worker", ...app, "--debug"], {}],
      [["worker", ...app], { FLEXIQ_DEBUG: "1" }],
    ] as const) {
      const { stderr } = await flexiq(args, { cwd, env });
      expect(stderr).toMatch(/caused by: Error: no DATABASE_URL\n\s+at .*throws\.mjs:1/);
    }
  });

  it("names unknown jobs, and files that are none of ours", async () => {
    const cwd = tempDir();
    await flexiq(["enqueue", "add"], { cwd });
    for (const command of ["job", "result", "cancel"]) {
      const { code, stderr } = await flexiq([command, "99"], { cwd });
      expect(code).toBe(1);
      expect(stderr).toMatch(/^flexiq: .*99[^\n]*\n$/);
    }
    writeFileSync(join(cwd, "notes.txt"), "not a database at all, but long enough to be taken for one ".repeat(100));
    const { code, stderr } = await flexiq(["stats", "--db", "notes.txt", "--json"], { cwd });
    expect(code).toBe(1);
    expect((JSON.parse(stderr) as { error: { message: string } }).error.message).toContain("notes.txt");
  });

  it("ends quietly when its reader goes away", async () => {
    const cwd = tempDir();
    await flexiq(["enqueue", "add", "1", "2", "--count", "5000"], { cwd });
    const cli = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
    const jobs = spawn(process.execPath, [cli, "jobs", "--limit", "5000"], { cwd });
    let stderr = "";
    jobs.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
    jobs.stdout.destroy();
    const code = await new Promise((resolve) => jobs.on("exit", resolve));
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  });
});

import { spawn, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { loadConfig } from "../../src/config/load.ts";
import { CLI, effiqueue } from "../support/effiqueue-process.ts";
import { tempDir } from "../support/temp-dir.ts";
import { waitFor } from "../support/wait-for.ts";

const FLAGS = ["--queue-name", "mails", "--command", "php worker.php"];

const hasScript = spawnSync("script", ["--version"]).status === 0;

describe("DESIGN 7.10: effiqueue init", () => {
  it("writes what the flags say, loads it, and says how to go on", async () => {
    const cwd = tempDir();
    const { code, stdout, stderr } = await effiqueue(["init", ...FLAGS, "--yes", "--max-workers", "7"], { cwd });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toBe(
      "wrote effiqueue.toml\n\nNext:\n  effiqueue doctor --config effiqueue.toml\n  effiqueue run --config effiqueue.toml\n",
    );
    const [program] = loadConfig(join(cwd, "effiqueue.toml")).programs;
    expect(program?.options).toMatchObject({
      queueName: "mails",
      command: "php worker.php",
      maxWorkers: 7,
      sloDrainTime: 120,
    });
  });

  it("names the flags that are missing where nobody can be asked, and exits 64", async () => {
    const cwd = tempDir();
    const all = await effiqueue(["init", "--queue-name", "q"], { cwd });
    expect(all.code).toBe(64);
    expect(all.stderr).toContain("give --queue-connection, --command, --max-workers, --slo-drain-time; --yes takes");
    const rest = await effiqueue(["init", "--yes"], { cwd });
    expect(rest.code).toBe(64);
    expect(rest.stderr).toContain("give --queue-name, --command\n");
    expect(readdirSync(cwd)).toEqual([]);
  });

  it("says everything that is wrong with the flags at once, and shows no password", async () => {
    const cwd = tempDir();
    const args = ["init", ...FLAGS, "--yes", "--max-workers", "0", "--queue-connection", "http://app:s3cret@h"];
    const { code, stderr } = await effiqueue(args, { cwd });
    expect(code).toBe(64);
    expect(stderr).toMatch(/--queue-connection: expected a URL.*; --max-workers: expected a whole number >= 1, got 0/);
    expect(stderr).not.toContain("s3cret");
    expect(readdirSync(cwd)).toEqual([]);
  });

  it("overwrites nothing unasked", async () => {
    const cwd = tempDir();
    writeFileSync(join(cwd, "effiqueue.toml"), "mine");
    const refused = await effiqueue(["init", ...FLAGS, "--yes"], { cwd });
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain("effiqueue.toml exists and is left as it is; --force overwrites it");
    expect(readFileSync(join(cwd, "effiqueue.toml"), "utf8")).toBe("mine");
    expect((await effiqueue(["init", ...FLAGS, "--yes", "--force"], { cwd })).code).toBe(0);
    expect(readFileSync(join(cwd, "effiqueue.toml"), "utf8")).toContain('queue_name = "mails"');
  });

  it("writes no TOML into what would be read as a Supervisor file", async () => {
    const cwd = tempDir();
    const { code, stderr } = await effiqueue(["init", ...FLAGS, "--yes", "--output", "workers.conf"], { cwd });
    expect(code).toBe(64);
    expect(stderr).toContain("name one that ends in .toml");
  });

  it("keeps a password out of the file and off the screen, and says which variable takes it", async () => {
    const cwd = tempDir();
    const args = ["init", ...FLAGS, "--yes", "--queue-connection", "amqp://app:s3cret@h", "--output", "my file.toml"];
    const { code, stdout } = await effiqueue(args, { cwd });
    expect(code).toBe(0);
    expect(stdout).toContain("set RABBITMQ_PASSWORD in its environment");
    expect(stdout).toContain("  effiqueue run --config 'my file.toml'\n");
    expect(stdout + readFileSync(join(cwd, "my file.toml"), "utf8")).not.toContain("s3cret");
  });

  describe.skipIf(!hasScript)("on a terminal", () => {
    /** A terminal on which the command runs; `typed` is told when the text was seen. */
    function open(cwd: string, ...flags: string[]) {
      const command = [process.execPath, CLI, "init", ...flags].map((word) => `'${word}'`).join(" ");
      const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;
      const child = spawn("script", ["-qec", command, "/dev/null"], { cwd, env: { ...env, TERM: "dumb" } });
      onTestFinished(() => void child.kill("SIGKILL"));
      let screen = "";
      child.stdout.setEncoding("utf8").on("data", (text: string) => (screen += text));
      const ended = new Promise<number | null>((resolve) => child.on("exit", resolve));
      return {
        ended,
        screen: () => screen,
        async answer(question: string, text: string): Promise<void> {
          await waitFor(() => screen.includes(question), { what: `${question} in ${screen}` });
          screen = screen.slice(screen.indexOf(question) + question.length);
          child.stdin.write(text);
        },
      };
    }

    it("asks for what the flags leave open, until the answers will do", async () => {
      const cwd = tempDir();
      const terminal = open(cwd, "--command", "php worker.php");
      await terminal.answer("Where is the broker?", "\r");
      await terminal.answer("Which queue", "mails\r");
      await terminal.answer("How many workers at most? [10]", "many\r");
      await terminal.answer("expected a whole number >= 1", "3\r");
      await terminal.answer("Within what time", "90s\r");
      expect(await terminal.ended).toBe(0);
      const [program] = loadConfig(join(cwd, "effiqueue.toml")).programs;
      expect(program?.options).toMatchObject({
        queueName: "mails",
        command: "php worker.php",
        maxWorkers: 3,
        sloDrainTime: 90,
      });
    });

    it.each([
      ["Ctrl-C", "\u0003"],
      ["Ctrl-D", "\u0004"],
    ])("writes nothing after %s", async (_, key) => {
      const cwd = tempDir();
      const terminal = open(cwd);
      await terminal.answer("Where is the broker?", key);
      expect(await terminal.ended).toBe(1);
      expect(terminal.screen()).toContain("nothing was written");
      expect(existsSync(join(cwd, "effiqueue.toml"))).toBe(false);
    });
  });
});

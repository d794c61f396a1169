/** `flexiq autoscale --top` as a person uses it, in a real terminal. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { isAlive } from "../../packages/effiqueue/test/support/processes.ts";
import { hasTmux, Tmux } from "../../packages/effiqueue/test/support/tmux.ts";
import { waitFor } from "../../packages/effiqueue/test/support/wait-for.ts";
import { openQueue } from "../support/pool.ts";
import { run } from "../support/processes.ts";
import { makeProject, ROOT } from "../support/project.ts";

const CLI = join(ROOT, "packages/flexiq/dist/cli/main.js");
const ARGS = ["autoscale", "--app", "./tasks.js:queue", "--poll-interval", "1"];

function autoscaler() {
  const { dir, dbPath, env } = makeProject();
  const queue = openQueue(dbPath);
  const command = [process.execPath, CLI, ...ARGS, "--min-workers", "2", "--top"];
  const terminal = new Tmux(command, { env: { FLEXIQ_DB_PATH: env["FLEXIQ_DB_PATH"] ?? "" }, cwd: dir });
  const seen = new Set<number>();
  onTestFinished(() => {
    for (const pid of seen) if (isAlive(pid)) process.kill(pid, "SIGKILL");
  });
  const workers = async (): Promise<readonly number[]> => {
    const pids = (await queue.store.workers()).map(({ identity }) => identity.pid);
    for (const pid of pids) seen.add(pid);
    return pids;
  };
  return { dbPath, terminal, workers };
}

describe.skipIf(!hasTmux)("DESIGN 11.9: flexiq autoscale --top", () => {
  it("shows the pool, and drains it when the screen is left", async () => {
    const { dbPath, terminal, workers } = autoscaler();
    await terminal.shows(/^ \.\/tasks\.js:queue {2}hpa, 2 to \d+ workers[^]*running +2 /);
    const pids = await waitFor(async () => (await workers()).length === 2 && (await workers()), {
      what: "two workers",
    });
    terminal.press("q");
    expect(await terminal.ended()).toBe(0);
    expect(terminal.modes).toEqual({ alternate: false, cursor: true });
    expect(terminal.screen).toContain("draining 2 workers; Ctrl-C kills them");
    await waitFor(() => !pids.some(isAlive), { what: "the end of the workers" });
    const log = readFileSync(`${dbPath}.autoscale/top.log`, "utf8");
    expect(log).toContain('"event":"act.worker.spawned"');
    expect(log).toContain('"event":"act.pool.shutdown_finished"');
  });

  it("gives the terminal back when it is told to stop", async () => {
    const { terminal, workers } = autoscaler();
    await terminal.shows("q quit");
    process.kill(terminal.pid, "SIGTERM");
    expect(await terminal.ended()).toBe(0);
    expect(terminal.modes).toEqual({ alternate: false, cursor: true });
    expect(await workers()).toEqual([]);
  });

  it("leaves no screen behind when it is killed", async () => {
    const { terminal, workers } = autoscaler();
    await terminal.shows("q quit");
    const pids = await waitFor(async () => (await workers()).length === 2 && (await workers()), {
      what: "two workers",
    });
    process.kill(terminal.pid, "SIGKILL");
    await waitFor(() => !terminal.modes.alternate && terminal.modes.cursor, {
      what: "the first screen and its cursor",
    });
    for (const pid of pids) process.kill(pid, "SIGTERM");
    await waitFor(() => !pids.some(isAlive), { what: "the end of the workers" });
  });

  it("goes on without a screen that dies, and says how to stop it", async () => {
    const { terminal } = autoscaler();
    await terminal.shows("q quit");
    const children = readFileSync(`/proc/${terminal.pid}/task/${terminal.pid}/children`, "utf8").trim().split(" ");
    const screen = children.find((pid) => readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("\0top\0"));
    process.kill(Number(screen), "SIGKILL");
    await waitFor(() => terminal.screen.includes("the workers go on until Ctrl-C"), { what: "a word of it" });
    expect(terminal.modes).toEqual({ alternate: false, cursor: true });
    terminal.press("C-c");
    expect(await terminal.ended()).toBe(0);
  });
});

describe("DESIGN 11.9: --top without a terminal", () => {
  it("is refused with the way to watch from elsewhere", async () => {
    const { dir, env } = makeProject();
    const { code, stderr } = await run(process.execPath, [CLI, ...ARGS, "--top"], { cwd: dir, env });
    expect(code).toBe(64);
    expect(stderr).toMatch(/^flexiq: --top needs a terminal; .*effiqueue top --url[^\n]*\n$/);
  });
});

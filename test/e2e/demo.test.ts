/** The demo without a terminal, with its shorter load. */
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { tempDir } from "../../packages/effiqueue/test/support/temp-dir.ts";
import { waitFor } from "../../packages/effiqueue/test/support/wait-for.ts";
import { nobodyLeft, start } from "../support/processes.ts";
import { ROOT } from "../support/project.ts";

const demo = (dir: string): ReturnType<typeof start> =>
  start(process.execPath, [`${ROOT}examples/dist/demo/main.js`, "--quick"], {
    cwd: dir,
    env: { TMPDIR: dir }, // where the demo makes its folder
    timeoutMs: 120_000,
  });

const hasScript = spawnSync("script", ["--version"]).status === 0;

describe("DESIGN 9.6: the demo", { timeout: 150_000 }, () => {
  it("loses nothing though a worker is killed, and leaves neither processes nor files", async () => {
    const dir = tempDir();
    const running = demo(dir);
    const { code, stdout, stderr } = await running.ended();
    expect(code, `${stdout}${stderr}`).toBe(0);

    const summary = stdout.slice(stdout.indexOf(" Summary"));
    const figure = (label: string): string => new RegExp(`^ ${label} +(.*)$`, "m").exec(summary)?.[1] ?? "";
    expect(Number(figure("enqueued"))).toBeGreaterThan(100);
    expect(figure("completed")).toBe(figure("enqueued"));
    expect(figure("lost")).toBe("0");
    expect(figure("recorded twice")).toBe("0");
    expect(Number.parseInt(figure("run again because of the kill"), 10)).toBeGreaterThan(0);
    expect(figure("from the kill to their restart")).toMatch(/^\d+\.\d+ s$/);
    expect(figure("workers")).toMatch(/^[3-8] at the peak, 0 now$/);
    expect(stdout).toMatch(/SIGKILL to worker \d+/);
    expect(stdout.includes("\x1b"), "an escape code without a terminal").toBe(false);

    await nobodyLeft(running);
    expect(readdirSync(dir)).toEqual([]);
  });

  it.skipIf(!hasScript)("draws in place on a terminal, and gives it back at ctrl-C", async () => {
    const dir = tempDir();
    const command = `stty rows 24 cols 80; exec "${process.execPath}" "${ROOT}examples/dist/demo/main.js" --quick`;
    const terminal = start("script", ["-qec", command, "/dev/null"], {
      cwd: dir,
      env: { TMPDIR: dir, TERM: "xterm", SHELL: "/bin/sh" },
      interactive: true,
    });
    await waitFor(() => terminal.output().includes("enqueued at once"), {
      timeoutMs: 60_000,
      what: "the first events",
    });
    terminal.child.stdin?.write("\x03");

    const { code, stdout } = await terminal.ended();
    expect(code).toBe(130);
    const alternate = stdout.split("\x1b[?1049h")[1]?.split("\x1b[?25h\x1b[?1049l") ?? [];
    expect(alternate).toHaveLength(2);
    expect(alternate[0]).toContain("\x1b[?25l");
    expect(alternate[1]).toContain("stopped by SIGINT");
    expect(stdout.includes("\x1b[3"), "a colour in spite of NO_COLOR").toBe(false);
    await nobodyLeft(terminal);
  });

  it.each([
    { signal: "SIGINT", ends: 130 },
    { signal: "SIGKILL", ends: null },
  ] as const)("leaves no process when $signal ends it in the middle", async ({ signal, ends }) => {
    const dir = tempDir();
    const running = demo(dir);
    await waitFor(() => / workers [2-9]/.test(running.output()), { timeoutMs: 60_000, what: "workers are at work" });
    running.child.kill(signal);
    expect((await running.ended()).code).toBe(ends);
    await nobodyLeft(running);
  });
});

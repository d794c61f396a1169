/** The shell examples, in a project that has flexiq installed. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { FIELDS } from "../../packages/flexiq/src/autoscale/fields.ts";
import { openQueue, stopGracefully, waitForWorkers } from "../support/pool.ts";
import { run, start } from "../support/processes.ts";
import { makeProject, ROOT } from "../support/project.ts";

const script = (name: string): string => join(ROOT, "examples/cli", name);

describe("DESIGN 12: the command line of the autoscaler", () => {
  it.each([
    { name: "autoscale.sh", workers: 1 },
    { name: "autoscale-flags.sh", workers: 2 },
    { name: "autoscale-all-flags.sh", workers: 1 },
  ])("$name keeps its minimum of $workers and stops cleanly", async ({ name, workers }) => {
    const { dir, dbPath, env } = makeProject();
    const queue = openQueue(dbPath);
    const autoscaler = start("sh", [script(name)], { cwd: dir, env });
    expect(await waitForWorkers(queue, workers, autoscaler)).toHaveLength(workers);
    await stopGracefully(autoscaler);
  });

  it("the script with all flags has one for every field of config.ts", () => {
    const written = readFileSync(join(ROOT, "examples/config.ts"), "utf8");
    const shown = FIELDS.filter(({ name }) => name === "mode" || new RegExp(`^ +${name}: `, "m").test(written));
    const used = [...readFileSync(script("autoscale-all-flags.sh"), "utf8").matchAll(/--([a-z-]+)/g)];
    expect(used.map(([, flag]) => flag).sort()).toEqual(shown.map(({ flag }) => flag).sort());
  });
});

describe("DESIGN 12: the other commands", { timeout: 120_000 }, () => {
  it("tour.sh runs through, and what it says of the queue is true", async () => {
    const { dir, dbPath, env } = makeProject();
    const { code, stdout, stderr } = await run("sh", [script("tour.sh")], { cwd: dir, env, timeoutMs: 110_000 });
    expect(code, `${stdout}${stderr}`).toBe(0);
    const stats = await openQueue(dbPath).stats();
    expect(stats).toMatchObject({ pending: 3, scheduled: 0, cancelled: 1, dead: 0 });
    expect(stdout).toMatch(/scheduled\s+1/);
  });
});

/** Every TypeScript example does what it says, as a program of its own on a real file. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AutoscaleConfig } from "flexiq/autoscale";
import { describe, expect, it } from "vitest";
import { config } from "../../examples/config.ts";
import { waitFor } from "../../packages/effiqueue/test/support/wait-for.ts";
import { openQueue, stopGracefully, waitForWorkers } from "../support/pool.ts";
import { nobodyLeft, run, start } from "../support/processes.ts";
import { makeProject, ROOT } from "../support/project.ts";

describe("DESIGN 9.4: the producer", () => {
  it("enqueues without any worker, and a worker finishes what was enqueued", async () => {
    const { dir, dbPath, env } = makeProject();
    const queue = openQueue(dbPath);
    const producer = start(process.execPath, ["enqueue.js", "--wait"], { cwd: dir, env });
    const worker = start("node_modules/.bin/flexiq", ["worker", "--app", "./tasks.js:queue"], { cwd: dir, env });

    const { code, stdout, stderr } = await producer.ended();
    expect(code, stderr).toBe(0);
    expect(stdout).toContain(`result: { path: 'a.png', width: 640 }`);
    for (const id of [1, 2, 3, 4]) await queue.result(id, { timeoutMs: 30_000 });
    expect(await queue.stats()).toMatchObject({ completed: 4, pending: 0, running: 0 });

    await stopGracefully(worker);
  });
});

describe("DESIGN 11.1: the autoscaler in a program", () => {
  it("quick start: works the queue off and drains its workers at SIGTERM", async () => {
    const { dir, dbPath, env } = makeProject();
    const queue = openQueue(dbPath);
    const id = await queue.enqueue("resize", ["a.png"]);
    const autoscaler = start(process.execPath, ["autoscale.js"], { cwd: dir, env });

    expect(await queue.result(id, { timeoutMs: 30_000 })).toEqual({ path: "a.png", width: 640 });
    await waitForWorkers(queue, 1, autoscaler);
    await stopGracefully(autoscaler);
    expect(await queue.store.workers()).toEqual([]);
  });

  it("controller: ticks once, manages processes by hand and leaves nobody behind", async () => {
    const { dir, env } = makeProject();
    const program = start(process.execPath, ["controller.js"], { cwd: dir, env });
    const { code, stdout, stderr } = await program.ended();
    expect(code, stderr).toBe(0);
    const lines = stdout.trim().split("\n");
    expect(lines[0]).toMatch(/^0 -> 1: scale-up: /);
    expect(lines.slice(1)).toEqual(["live: 2 true", "ended cleanly: true", "reaped: true"]);
    await nobodyLeft(program);
  });

  it("a queue of somebody else is sized by what its stats() says", async () => {
    const { dir, env } = makeProject();
    const program = start(process.execPath, ["foreign-queue.js"], { cwd: dir, env });
    const { code, stdout, stderr } = await program.ended();
    expect(code, stderr).toBe(0);
    expect(stdout).toMatch(/^0 -> 3: scale-up: /m);
    await nobodyLeft(program);
  });
});

describe("DESIGN 13.1: the simulator in a program", () => {
  it("says what two promises would take, and draws the last run", async () => {
    const { dir, env } = makeProject();
    const picture = join(dir, "run.svg");
    const program = start(process.execPath, ["what-if.js", picture], { cwd: dir, env });
    const { code, stdout, stderr } = await program.ended();
    expect(code, stderr).toBe(0);
    expect(stdout).toMatch(/^10s: \d+\.\d% late, \d+\.\d worker-hours, at most \d+ workers\n2m: [^\n]+\n$/);
    expect(readFileSync(picture, "utf8")).toContain("SLO 2m");
  });
});

describe("DESIGN 2.1: the engine with parts of one's own", () => {
  it.each([
    { files: 3, says: "0 -> 2: 3 files want 2; live: 2" },
    { files: null, says: "0 -> 0: hold: no such folder; live: 0" },
  ])("decides for $files files", async ({ files, says }) => {
    const { dir, env } = makeProject();
    const inbox = join(dir, "inbox");
    if (files !== null) mkdirSync(inbox);
    for (let i = 0; i < (files ?? 0); i++) writeFileSync(join(inbox, String(i)), "");
    const program = start(process.execPath, ["custom-policy.js", inbox], { cwd: dir, env });
    const { code, stdout, stderr } = await program.ended();
    expect({ code, stdout }, stderr).toEqual({ code: 0, stdout: `${says}\n` });
    await nobodyLeft(program);
  });
});

describe("DESIGN 7.9: the daemon around a backend of one's own", () => {
  it("measures the workers by what is finished, says so over HTTP, and loses nothing when it is stopped", async () => {
    const { dir, env } = makeProject();
    mkdirSync(join(dir, "inbox"));
    for (let i = 0; i < 80; i++) writeFileSync(join(dir, "inbox", String(i)), "");
    const daemon = start(process.execPath, ["own-backend.js"], { cwd: dir, env });
    const url = await waitFor(() => /^http:\S+$/m.exec(daemon.output())?.[0], { what: "its address" });
    const series = async (): Promise<string> => (await fetch(url)).text();
    await waitFor(async () => (await series()).includes('effiqueue_mu_source{program="inbox"} 1\n'), { what: "mu" });

    daemon.child.kill("SIGTERM");
    const { code, stderr } = await daemon.ended();
    expect(code, stderr).toBe(0);
    await nobodyLeft(daemon);
    expect(readdirSync(join(dir, "taken"))).toEqual([]);
    expect(readdirSync(join(dir, "inbox")).length + readdirSync(join(dir, "done")).length).toBe(80);
  });
});

describe("DESIGN 8.1: the configuration and its formula", () => {
  it("the reference lists eleven fields, and each value is the default", () => {
    const written = readFileSync(join(ROOT, "examples/config.ts"), "utf8");
    const fields = Object.keys(config).filter((field) => new RegExp(`^ +${field}: `, "m").test(written));
    expect(fields).toHaveLength(11);
    expect(config).toEqual(new AutoscaleConfig({ appPath: config.appPath, threadsPerWorker: 4 }));
  });

  it("the formula alone gives 5 for the load of the example", async () => {
    const { dir, env } = makeProject();
    const { stdout } = await run(process.execPath, ["desired.js"], { cwd: dir, env });
    expect(stdout).toMatch(/^5: scale-up: 13 running /);
  });
});

describe("DESIGN 2.6: the policy by itself", () => {
  it("measures from one tick to the next, and fills the memory when that is too little", async () => {
    const { dir, env } = makeProject();
    const { stdout } = await run(process.execPath, ["decide.js"], { cwd: dir, env });
    expect(stdout).toMatch(
      /^needed: 78\n3 workers: scale-up: .*unknown\n24 workers: scale-up: .*memory allows 24\nmissing: 56\n$/,
    );
  });
});

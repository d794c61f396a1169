/** What a stranger does with the two tarballs: install them in an empty project and follow the README. */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { waitFor } from "../../packages/effiqueue/test/support/wait-for.ts";
import { openQueue, stopGracefully, waitForWorkers } from "../support/pool.ts";
import { run, type Started, start } from "../support/processes.ts";
import { ROOT } from "../support/project.ts";

const README = readFileSync(join(ROOT, "README.md"), "utf8");

/** The tasks of the README, and one that takes long enough to need several workers. */
const TASKS = `${taken(/^```js\n(\/\/ tasks\.js\n[^]*?)^```/m)}
export const slow = queue.task("slow", () => new Promise((resolve) => setTimeout(resolve, 100)));
`;

const ENQUEUE = taken(/^npx flexiq (enqueue .*)$/m);
const WORKER = taken(/^npx flexiq (worker .*?) *(?:#.*)?$/m);
const AUTOSCALE = taken(/^npx flexiq (autoscale .*?) *(?:#.*)?$/m);

const ENTRY_POINTS = `
import { stepHpa } from "effiqueue/decide";
import { ControlLoop } from "effiqueue";
import { startDaemon } from "effiqueue/daemon";
import { Queue } from "flexiq";
import { AutoscaleController } from "flexiq/autoscale";
console.log([stepHpa, ControlLoop, startDaemon, Queue, AutoscaleController].map((each) => typeof each).join());
`;

const TYPED = `
import type { Decision } from "effiqueue/decide";
import { initialHpaState, stepHpa } from "effiqueue/decide";
import { type Daemon, loadConfig, startDaemon } from "effiqueue/daemon";
import { Queue } from "flexiq";
import { AutoscaleConfig, AutoscaleController, type ScaleDecision } from "flexiq/autoscale";

export const queue = new Queue({ dbPath: "flexiq.db" });
export const resize = queue.task("resize", async (path: string, width: number) => ({ path, width }));
export const id: Promise<number> = resize.enqueue("a.png", 640);
// @ts-expect-error the arguments of a task are checked
export const wrong = resize.enqueue(640);
const controller = new AutoscaleController(queue, new AutoscaleConfig({ appPath: "./tasks.js:queue" }));
export const decision: Promise<ScaleDecision> = controller.tick();
export const reasonOf = (decision: Decision): string => decision.reason;
export { initialHpaState, stepHpa };
export const run = (file: string): Promise<Daemon> => startDaemon(loadConfig(file), { metricsAddr: "127.0.0.1:0" });
`;

/** A Node that has SQLite built in, if `npm test` has fetched one. */
const SECOND_NODE = ((): string | undefined => {
  const packages = join(ROOT, ".cache/node-24.21.0/node_modules");
  if (!existsSync(packages)) return undefined;
  return readdirSync(packages)
    .map((name) => join(packages, name, "bin/node"))
    .find((path) => existsSync(path));
})();

const INSTALL_LIMIT_MS = 300_000;

let scratch = "";

beforeAll(async () => {
  scratch = mkdtempSync(join(tmpdir(), "flexiq-packed-"));
  const installed = join(scratch, "installed");
  mkdirSync(installed);
  const pack = ["pack", "--silent", "-w", "effiqueue", "-w", "flexiq", "--pack-destination", scratch];
  await succeed("npm", pack, ROOT);
  const tarballs = readdirSync(scratch).filter((name) => name.endsWith(".tgz"));
  expect(tarballs).toHaveLength(2);
  writeFileSync(join(installed, "package.json"), JSON.stringify({ name: "stranger", private: true, type: "module" }));
  // What the lock file of this repository names is in npm's cache already.
  const install = ["install", "--prefer-offline", "--no-audit", "--no-fund", ...tarballs.map((name) => `../${name}`)];
  await succeed("npm", install, installed);
  writeFileSync(join(installed, "tasks.js"), TASKS);
}, INSTALL_LIMIT_MS);

afterAll(() => rmSync(scratch, { recursive: true, force: true }));

async function succeed(command: string, args: readonly string[], cwd: string): Promise<void> {
  const { code, stdout, stderr } = await run(command, args, { cwd, timeoutMs: INSTALL_LIMIT_MS });
  expect(code, `${command} ${args.join(" ")}\n${stdout}${stderr}`).toBe(0);
}

/** The part of the README that a pattern captures. */
function taken(pattern: RegExp): string {
  const found = pattern.exec(README)?.[1];
  if (found === undefined) throw new Error(`README.md has nothing like ${String(pattern)}`);
  return found;
}

const nodes = [{ label: `Node ${process.versions.node}`, node: process.execPath }];
if (SECOND_NODE !== undefined) nodes.push({ label: "a Node with node:sqlite", node: SECOND_NODE });
else it.skip("DESIGN 9.1: both tarballs on a Node with node:sqlite: none was fetched");

/** Whether the Node of this test has to have SQLite installed. */
const NEEDS_SQLITE = (process.getBuiltinModule as ((id: string) => unknown) | undefined)?.("node:sqlite") === undefined;

describe.each(nodes)("DESIGN 9.1: both tarballs on $label", { timeout: 120_000 }, ({ label, node }) => {
  const env = { PATH: [dirname(node), process.env["PATH"]].join(delimiter) };
  let dir = "";

  beforeAll(() => {
    dir = join(scratch, label.replaceAll(/\W+/g, "-"));
    cpSync(join(scratch, "installed"), dir, { recursive: true, verbatimSymlinks: true });
  });

  if (node === process.execPath && NEEDS_SQLITE) {
    it("says in one sentence what to install where there is no SQLite", async () => {
      const { code, stderr } = await flexiq("enqueue", "resize", "--db", "flexiq.db").ended();
      // Ours is copied: npm would compile it, which takes minutes.
      for (const name of ["better-sqlite3", "bindings", "file-uri-to-path"]) {
        cpSync(join(ROOT, "node_modules", name), join(dir, "node_modules", name), { recursive: true });
      }
      expect(code).toBe(1);
      expect(stderr).toContain("npm install better-sqlite3@12");
    });
  }

  const flexiq = (...args: string[]): Started => start("node_modules/.bin/flexiq", args, { cwd: dir, env });
  const asWritten = (line: string, ...more: string[]): Started => flexiq(...line.split(" "), ...more);
  const database = (): string => join(dir, ".flexiq/flexiq.db");

  it("runs an enqueued job in a worker", async () => {
    const enqueued = await run("sh", ["-c", `npx flexiq ${ENQUEUE}`], { cwd: dir, env });
    expect(enqueued.code, enqueued.stderr).toBe(0);

    const worker = asWritten(WORKER);
    const result = await openQueue(database()).result(1, { timeoutMs: 30_000 });
    expect(result).toEqual({ path: "a.png" });
    await stopGracefully(worker);

    const stats = await flexiq("stats", "--json").ended();
    expect(JSON.parse(stats.stdout)).toMatchObject({ completed: 1, pending: 0, running: 0 });
  });

  it("scales from 0 to what a burst needs and back to 0", async () => {
    const queue = openQueue(database());
    const burst = await flexiq("enqueue", "slow", "--count", "120", "--app", "./tasks.js:queue").ended();
    expect(burst.code, burst.stderr).toBe(0);
    const autoscaler = asWritten(AUTOSCALE, "--poll-interval", "0.5", "--scale-down-window", "1");

    await waitForWorkers(queue, 2, autoscaler);
    await waitFor(async () => (await queue.stats()).completed === 121, { timeoutMs: 30_000 });
    await waitFor(async () => (await queue.store.workers()).length === 0, { timeoutMs: 30_000 });
    await stopGracefully(autoscaler);
    expect(autoscaler.output()).toMatch(/pending=\d+ running=\d+ workers=0 -> [1-8] \(scale-up: /);
  });

  it("refuses wrong usage with 64 and names what was meant", async () => {
    const flag = await flexiq("autoscale", "--app", "./tasks.js:queue", "--max-worker", "5").ended();
    expect(flag.code).toBe(64);
    expect(flag.stderr).toContain("--max-workers");
    expect((await flexiq("autoscale").ended()).code).toBe(64);
    expect((await flexiq("stat").ended()).code).toBe(64);
  });

  it("runs the daemon: checks the file, holds the floor without a broker, and stops cleanly", async () => {
    writeFileSync(
      join(dir, "effiqueue.toml"),
      'command = "sleep 600"\nqueue_connection = "amqp://127.0.0.1:1"\nqueue_name = "q"\nmin_workers = 2\nmax_workers = 4\nslo_drain_time = "2m"\n',
    );
    const effiqueue = (...args: string[]): Started =>
      start("node_modules/.bin/effiqueue", [...args, "--config", "effiqueue.toml"], { cwd: dir, env });
    expect((await effiqueue("validate-config").ended()).stdout).toMatch(/^effiqueue\.toml is good: 1 program\n/);
    const daemon = effiqueue("run", "--state-dir", "state");
    await waitFor(() => daemon.output().split("act.worker.spawned").length > 2, { what: "two workers" });
    await stopGracefully(daemon);
  });

  it("says in one message that there is no such app", async () => {
    for (const command of ["worker", "autoscale"]) {
      const { code, stderr } = await flexiq(command, "--app", "./nowhere.js:queue").ended();
      expect(code).toBe(1);
      expect(stderr).toContain("nowhere.js");
      expect(stderr).not.toMatch(/^\s+at /m);
    }
  });

  it("can be imported by every entry point", async () => {
    writeFileSync(join(dir, "entry-points.js"), ENTRY_POINTS);
    const { stdout, stderr } = await run(node, ["entry-points.js"], { cwd: dir, env });
    expect(stdout, stderr).toBe("function,function,function,function,function\n");
  });
});

describe("DESIGN 9.1: the page of a package", () => {
  it.each(["effiqueue", "flexiq"])("of %s shows what the README shows, which is what is tested", (name) => {
    const page = readFileSync(join(scratch, "installed/node_modules", name, "README.md"), "utf8");
    const blocks = page.match(/^```[^]*?^```$/gm) ?? [];
    expect(blocks).not.toHaveLength(0);
    for (const block of blocks) expect(README).toContain(block);
  });
});

describe("DESIGN 11.1: the types in the tarballs", { timeout: 120_000 }, () => {
  it("compile in a strict project, and catch a wrong argument", async () => {
    const dir = join(scratch, "installed");
    writeFileSync(join(dir, "typed.ts"), TYPED);
    const types = ["--types", "node", "--typeRoots", join(ROOT, "node_modules/@types")];
    const options = ["--strict", "--noEmit", "--target", "es2023", "--lib", "es2023", "--module", "nodenext", ...types];
    const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
    const { code, stdout } = await run(process.execPath, [tsc, ...options, "typed.ts"], {
      cwd: dir,
      timeoutMs: 110_000,
    });
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
  });
});

import { chmodSync, chownSync, cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { acquireLock } from "../../../src/act/lock.ts";
import { checkMemory } from "../../../src/app/doctor/memory.ts";
import { checkMetricsAddress, checkToken } from "../../../src/app/doctor/metrics-address.ts";
import { checkStateFolder } from "../../../src/app/doctor/state-folder.ts";
import { checkFirstProcess, checkStopLimit } from "../../../src/app/doctor/stop-limits.ts";
import type { Verdict } from "../../../src/app/doctor/verdicts.ts";
import { checkWorkerCommand } from "../../../src/app/doctor/worker-command.ts";
import { checkWorkerOutput } from "../../../src/app/doctor/worker-output.ts";
import { checkWorkerUser } from "../../../src/app/doctor/worker-user.ts";
import type { WorkerSettings } from "../../../src/config/worker.ts";
import { systemClock } from "../../../src/loop/clock.ts";
import type { MachineReading } from "../../../src/model/machine.ts";
import { load } from "../../config/files.ts";
import { GIB, MIB, treeOf } from "../../observe/host/tree.ts";
import { tempDir } from "../../support/temp-dir.ts";

const IS_ROOT = process.geteuid?.() === 0;

const said = (verdicts: readonly Verdict[]): string[] =>
  verdicts.map(({ status, subject, found }) => `${status} ${subject}: ${found}`);

const only = (verdicts: readonly Verdict[]): Verdict => {
  expect(verdicts).toHaveLength(1);
  return verdicts[0] as Verdict;
};

const settings = (
  command: Partial<WorkerSettings["command"]>,
  stdout: WorkerSettings["output"]["stdout"] = "inherit",
): WorkerSettings => ({
  processName: "consumer_00",
  command: { file: "/bin/sh", args: [], shell: false, env: {}, ...command },
  output: { stdout, stderr: "ignore" },
});

describe("DESIGN 7.10: whether a worker can be started", () => {
  /** A folder with commands of all sorts. */
  function commands(): string {
    const folder = tempDir();
    const script = (name: string, text: string, mode = 0o755): void => {
      writeFileSync(join(folder, name), text);
      chmodSync(join(folder, name), mode);
    };
    script("good", "#!/bin/sh\n");
    script("plain", "#!/bin/sh\n", 0o644);
    script("old", "#!/opt/nowhere/php -q\n");
    script("windows", "#!/bin/sh\r\n");
    script("env-good", "#!/usr/bin/env sh\n");
    script("env-bad", "#!/usr/bin/env -S X=1 nosuchthing -x\n");
    script("worker.php", "<?php\n", 0o644);
    mkdirSync(join(folder, "folder"));
    symlinkSync("/bin/sh", join(folder, "php"));
    return folder;
  }

  it.each<[string, Partial<WorkerSettings["command"]>, Verdict["status"], string]>([
    ["in PATH", { file: "good" }, "ok", "FOLDER/good, in FOLDER"],
    ["by its path", { file: "./good" }, "ok", "FOLDER/good, in FOLDER"],
    [
      "in a PATH of its own",
      { file: "good", env: { PATH: "/nowhere" } },
      "failed",
      "no good in PATH, which is /nowhere",
    ],
    ["nowhere", { file: "nosuchthing" }, "failed", "no nosuchthing in PATH, which is FOLDER:/usr/bin:/bin"],
    ["nowhere by its path", { file: "bin/good" }, "failed", "FOLDER/bin/good does not exist"],
    ["not executable", { file: "./plain" }, "failed", "FOLDER/plain may not be executed"],
    ["a folder", { file: "./folder" }, "failed", "FOLDER/folder is a folder"],
    [
      "without its interpreter",
      { file: "old" },
      "failed",
      "FOLDER/old asks for /opt/nowhere/php in its first line, which does not exist",
    ],
    [
      "written on Windows",
      { file: "windows" },
      "failed",
      "FOLDER/windows has the line ends of Windows, so the kernel looks for an interpreter with a CR in its name",
    ],
    ["by env", { file: "env-good" }, "ok", "FOLDER/env-good, in FOLDER"],
    [
      "by env, missing",
      { file: "env-bad" },
      "failed",
      "FOLDER/env-bad asks for nosuchthing in its first line, which PATH does not hold",
    ],
    ["an interpreter with its script", { file: "php", args: ["worker.php"] }, "ok", "FOLDER/php, in FOLDER"],
    [
      "an interpreter without its script",
      { file: "php", args: ["bin/console", "go"] },
      "warning",
      "FOLDER/php is there, but there is no FOLDER/bin/console for it to run",
    ],
    ["an interpreter with a flag", { file: "php", args: ["-r", "bin/console"] }, "ok", "FOLDER/php, in FOLDER"],
    ["an interpreter with a word", { file: "php", args: ["serve"] }, "ok", "FOLDER/php, in FOLDER"],
    [
      "a shell line",
      { file: "exec good --x 'a b' | cat", shell: true },
      "ok",
      "a line for /bin/sh, in FOLDER; what it runs is for the shell to find",
    ],
    [
      "a shell line with a loop",
      { file: "while true; do good; done", shell: true },
      "ok",
      "a line for /bin/sh, in FOLDER; what it runs is for the shell to find",
    ],
    [
      "a shell line with a variable",
      { file: "A=1 nosuchthing", shell: true },
      "ok",
      "a line for /bin/sh, in FOLDER; what it runs is for the shell to find",
    ],
    [
      "a shell line without its command",
      { file: "nosuchthing --x", shell: true },
      "warning",
      "the shell finds no nosuchthing",
    ],
    [
      "a shell line with an open quote",
      { file: "good 'x", shell: true },
      "failed",
      expect.stringMatching(/^the shell cannot read the line: .*quote/i) as string,
    ],
  ])("%s", (_, command, status, found) => {
    const folder = commands();
    const env = { PATH: `${folder}:/usr/bin:/bin` };
    const verdict = only(checkWorkerCommand(settings({ cwd: folder, ...command }), env));
    expect({ ...verdict, found: verdict.found.replaceAll(folder, "FOLDER") }).toMatchObject({
      subject: "worker command",
      status,
      found,
    });
    expect(verdict.remedy === undefined).toBe(status === "ok");
  });

  it("passes over what may not be executed while PATH holds another", () => {
    const [first, second] = [commands(), commands()];
    chmodSync(join(first, "good"), 0o644);
    const env = { PATH: `${first}:${second}` };
    expect(only(checkWorkerCommand(settings({ file: "good", cwd: "/" }), env)).found).toBe(`${second}/good, in /`);
  });

  it("names a working directory that is none", () => {
    const folder = commands();
    expect(said(checkWorkerCommand(settings({ cwd: join(folder, "gone") }), {}))).toEqual([
      `failed working directory: ${folder}/gone does not exist, or cannot be reached by this user`,
    ]);
    expect(said(checkWorkerCommand(settings({ cwd: join(folder, "good") }), {}))).toEqual([
      `failed working directory: ${folder}/good is no folder`,
    ]);
  });
});

describe("DESIGN 7.10: output and user of workers", () => {
  it("wants files that can be appended to, and makes none", () => {
    const folder = tempDir();
    writeFileSync(join(folder, "there.log"), "");
    const check = (path: string): string[] =>
      said(checkWorkerOutput(settings({}, { file: join(folder, path) }))).map((text) => text.replace(folder, "FOLDER"));
    expect(check("there.log")).toEqual(["ok stdout: FOLDER/there.log can be appended to"]);
    expect(check("new.log")).toEqual(["ok stdout: FOLDER/new.log does not exist yet and can be made"]);
    expect(check("new.log")).toEqual(["ok stdout: FOLDER/new.log does not exist yet and can be made"]);
    expect(check("gone/new.log")).toEqual(["failed stdout: FOLDER/gone is no folder"]);
    expect(check(".")).toEqual(["failed stdout: FOLDER is a folder"]);
    expect(checkWorkerOutput(settings({}))).toEqual([]);
  });

  it("knows users of this system only", () => {
    expect(said(checkWorkerUser("no-such-user-here", settings({}), {}))).toEqual([
      "failed user: this system knows no user no-such-user-here",
    ]);
    expect(checkWorkerUser(undefined, settings({}), {})).toEqual([]);
  });

  it.runIf(IS_ROOT)("tries whether that user gets to the command", () => {
    const folder = tempDir();
    writeFileSync(join(folder, "worker"), "#!/bin/sh\n");
    chmodSync(join(folder, "worker"), 0o755);
    const check = (): Verdict => only(checkWorkerUser("nobody", settings({ file: "./worker", cwd: folder }), {}));
    chmodSync(folder, 0o700);
    expect(check()).toMatchObject({
      status: "warning",
      found: expect.stringContaining(`nobody may not enter ${folder}`) as string,
    });
    chmodSync(folder, 0o755);
    expect(check()).toMatchObject({ status: "ok" });
  });
});

describe("DESIGN 7.10, 4.7: the state folder", () => {
  const EVENTS = { lost: () => undefined, restored: () => undefined };
  const check = (folder: string): string[] =>
    said(checkStateFolder(folder)).map((text) => text.replaceAll(folder, "FOLDER"));

  it("is there, or can be made, and nothing is made", () => {
    const folder = join(tempDir(), "a/b");
    const once = check(folder);
    expect(once).toEqual(["ok state folder: FOLDER does not exist yet and can be made"]);
    expect(check(folder)).toEqual(once);
    mkdirSync(folder, { recursive: true });
    expect(check(folder)).toEqual(["ok state folder: FOLDER, ours", "ok state lock: free, nobody had it yet"]);
  });

  it("is no file, and not below one", () => {
    const file = join(tempDir(), "file");
    writeFileSync(file, "");
    expect(check(file)).toEqual(["failed state folder: FOLDER is no folder"]);
    expect(check(join(file, "x"))[0]).toMatch(/^failed state folder: .* cannot be made, for .*file is no folder$/);
  });

  it.each([
    ["a path", Array.from({ length: 21 }, () => "x".repeat(200)).join("/")],
    ["a name in it", "x".repeat(300)],
  ])("has no more characters than the system takes: %s", (_, name) => {
    const verdict = only(checkStateFolder(join(tempDir(), name)));
    expect(verdict).toMatchObject({ status: "failed", remedy: expect.stringContaining("a shorter one") as string });
  });

  it.runIf(IS_ROOT)("is not another user's", () => {
    const folder = tempDir();
    chownSync(folder, 65_534, 65_534);
    expect(check(folder)).toEqual(["failed state folder: FOLDER belongs to user 65534, and this is root"]);
  });

  it("has a lock that is free or held by a process with a number", () => {
    const folder = tempDir();
    const lock = acquireLock(folder, systemClock, EVENTS);
    const held = checkStateFolder(folder)[1];
    expect(held).toMatchObject({
      status: "warning",
      found: `held by process ${process.pid}, so that a second daemon is refused`,
    });
    expect(held?.remedy).toContain(`kill -TERM ${process.pid}`);
    const copy = join(tempDir(), "copy");
    cpSync(folder, copy, { recursive: true });
    expect(check(copy)[1]).toMatch(/^ok state lock: free; the folder is a copy/);
    lock.release();
    expect(check(folder)[1]).toBe("ok state lock: free, released by the last daemon");
  });
});

describe("DESIGN 7.10: the token of metrics", () => {
  const PROGRAM = `command = "x"\nqueue_connection = "amqp://localhost"\nqueue_name = "q"\nmax_workers = 1\nslo_drain_time = 9\n`;
  const sharedOf = (keys: string) => load(keys + PROGRAM).shared;

  it("is there, or cannot be read by the daemon, or by everybody", () => {
    const file = join(tempDir(), "token");
    const keys = `metrics_addr = ":0"\nmetrics_token_file = "${file}"\n`;
    expect(checkToken(sharedOf(keys))).toMatchObject([{ status: "failed", found: "there is no such file" }]);
    writeFileSync(file, "0123456789abcdef", { mode: 0o600 });
    expect(checkToken(sharedOf(keys))).toMatchObject([{ subject: "metrics_token_file", status: "ok" }]);
    chmodSync(file, 0o644);
    expect(checkToken(sharedOf(keys))).toMatchObject([{ status: "failed", remedy: `chmod 640 ${file}` }]);
  });

  it("is not looked for where nobody would ask for it, and makes an open address a guarded one", async () => {
    expect(checkToken(sharedOf('metrics_token_file = "/nothing"\n'))).toEqual([]);
    expect(checkToken(sharedOf('metrics_addr = ":0"\n'))).toEqual([]);
    expect(await checkMetricsAddress(":0", false, true)).toMatchObject({ status: "ok" });
  });
});

describe("DESIGN 7.10: the address of metrics", () => {
  it("is free, taken, or none of this machine's", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.on("listening", resolve));
    const address = server.address();
    const taken = `127.0.0.1:${typeof address === "object" ? (address?.port ?? 0) : 0}`;

    expect(await checkMetricsAddress(undefined, false)).toMatchObject({ status: "skipped" });
    expect(await checkMetricsAddress("127.0.0.1:0", false)).toMatchObject({ status: "ok" });
    expect(await checkMetricsAddress(":0", false)).toMatchObject({
      status: "warning",
      found: ":0 is free, and open to every network of this machine",
    });
    expect(await checkMetricsAddress(taken, false)).toMatchObject({
      status: "failed",
      found: `${taken} is in use by another process`,
    });
    expect(await checkMetricsAddress(taken, true)).toMatchObject({ status: "warning" });
    expect(await checkMetricsAddress("203.0.113.7:9464", false)).toMatchObject({
      status: "failed",
      found: "203.0.113.7:9464 is no address of this machine",
    });
  });
});

describe("DESIGN 7.10: memory", () => {
  const config = (more = "") =>
    load(
      `command = "x"\nqueue_connection = "amqp://h"\nqueue_name = "q"\nmax_workers = 20\nslo_drain_time = "2m"\n${more}`,
    );
  const machine = (change: Partial<MachineReading> = {}): MachineReading => ({
    totalBytes: 16 * GIB,
    usedBytes: 4 * GIB,
    swapTotalBytes: 0,
    swapUsedBytes: 0,
    limitedBy: "host",
    groupBytes: new Map(),
    ...change,
  });

  it("says what there is, from where, and what a worker may take", () => {
    expect(said(checkMemory(config(), machine()))).toEqual([
      "ok memory: 16.0 GiB of the whole machine, 4.0 GiB in use",
      "ok swap: none; the memory left free (ram_headroom) is all the reserve there is",
      "skipped memory for workers: 10.0 GiB for workers: the 20 of max_workers fit if one takes at most 512 MiB; what it takes is known once one runs",
    ]);
    const group = machine({ totalBytes: 3 * GIB, usedBytes: 500 * MIB, limitedBy: "/sys/fs/cgroup" });
    expect(said(checkMemory(config(), group))[0]).toBe(
      "ok memory: 3.0 GiB by the limit of the control group /sys/fs/cgroup, 500 MiB in use",
    );
  });

  it.each([
    ["host", "ok processors: 1.5 of the whole machine"],
    ["affinity", "ok processors: 1.5 that we may run on"],
    ["/sys/fs/cgroup", "ok processors: 1.5 by the quota of the control group /sys/fs/cgroup"],
  ])("says how many processors there are, and by what: %s", (limitedBy, text) => {
    const cpus = { count: 1.5, busyShare: null, limitedBy };
    expect(said(checkMemory(config(), machine({ cpus }))).at(-1)).toBe(text);
  });

  it("warns of a headroom that leaves nothing", () => {
    const verdicts = checkMemory(config(), machine({ usedBytes: 15 * GIB }));
    expect(said(verdicts)[2]).toBe(
      "warning memory for workers: none is left after ram_headroom, so each program stays at one worker",
    );
  });

  it("refuses a budget that the machine does not have, and warns of one that is not free", () => {
    expect(said(checkMemory(config('ram_budget = "20GB"'), machine()))[2]).toBe(
      "failed memory for workers: ram_budget is 20.0 GiB, and there are 16.0 GiB",
    );
    expect(said(checkMemory(config('ram_budget = "14GB"'), machine())).slice(2)).toEqual([
      "warning memory for workers: ram_budget is 14.0 GiB, and 12.0 GiB are free now",
      expect.stringContaining("14.0 GiB for workers") as string,
    ]);
  });

  it("warns of swap in use above the cap, from both sides", () => {
    const swap = (used: number): string =>
      said(checkMemory(config(), machine({ swapTotalBytes: 10 * GIB, swapUsedBytes: used * GIB })))[1] ?? "";
    expect(swap(2)).toBe("ok swap: 2.0 GiB of 10.0 GiB in use (20%)");
    expect(swap(2.5)).toMatch(/^warning swap: 2\.5 GiB of 10\.0 GiB in use \(25%\): above swap_ratio_cap/);
  });

  it("says what it cannot know", () => {
    const unknown = machine({ totalBytes: null, usedBytes: null, swapTotalBytes: null, swapUsedBytes: null });
    expect(checkMemory(config(), unknown).map(({ status }) => status)).toEqual(["warning", "skipped"]);
  });
});

describe("DESIGN 7.10: who may kill the daemon too early (CASES S9), and process 1 (CASES B23)", () => {
  const place = (files: Record<string, string>, env: NodeJS.ProcessEnv = {}, pid = 100) => ({
    root: treeOf(files),
    env,
    pid,
  });

  it.each<[string, Record<string, string>, NodeJS.ProcessEnv, number, Verdict["status"], string]>([
    ["nobody seen", {}, {}, 30, "skipped", "TimeoutStopSec=35"],
    ["systemd, short drain", {}, { INVOCATION_ID: "a" }, 30, "ok", ""],
    ["systemd, long drain", {}, { NOTIFY_SOCKET: "/run/x" }, 86, "warning", "in the unit: TimeoutStopSec=91"],
    ["docker, short drain", { ".dockerenv": "" }, {}, 5, "ok", ""],
    ["docker, default drain", { ".dockerenv": "" }, {}, 30, "warning", "docker run --stop-timeout 35"],
    ["podman", { "run/.containerenv": "" }, {}, 30, "warning", "docker run --stop-timeout 35"],
    [
      "Kubernetes",
      { ".dockerenv": "" },
      { KUBERNETES_SERVICE_HOST: "10.0.0.1" },
      26,
      "warning",
      "terminationGracePeriodSeconds: 31",
    ],
  ])("%s", (_, files, env, drainSec, status, remedy) => {
    const verdict = checkStopLimit(drainSec, place(files, env));
    expect(verdict).toMatchObject({ status, found: expect.stringContaining(`${drainSec} s to drain`) as string });
    expect(verdict.remedy ?? "").toContain(remedy);
  });

  it.each<[string, string, number, Verdict["status"]]>([
    ["an init", "/sbin/init\0splash\0", 100, "ok"],
    ["tini in front", "/sbin/tini\0--\0effiqueue\0run\0", 100, "ok"],
    ["this process", "node\0x.js\0", 1, "warning"],
    ["the daemon by its file", "node\0/app/node_modules/effiqueue/dist/cli/main.js\0run\0", 100, "warning"],
    ["the daemon", "/usr/local/bin/node\0/usr/local/bin/effiqueue\0run\0", 100, "warning"],
  ])("process 1 is %s", (_, cmdline, pid, status) => {
    expect(checkFirstProcess(place({ "proc/1/cmdline": cmdline }, {}, pid)).map((verdict) => verdict.status)).toEqual([
      status,
    ]);
  });

  it("says nothing of a process 1 that cannot be seen", () => {
    const here = place({ "proc/x": "" });
    rmSync(join(here.root, "proc"), { recursive: true });
    expect(checkFirstProcess(here)).toEqual([]);
  });
});

/** `effiqueue run` without a broker: it holds its floor, so everything but the queue can be seen. */

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { originOf, recordOf } from "../../src/act/lock-record.ts";
import type { StatusReply } from "../../src/report/api-types.ts";
import { daemonOn } from "../support/daemon-process.ts";
import { effiqueue } from "../support/effiqueue-process.ts";
import { isAlive, startStranger } from "../support/processes.ts";
import { waitFor } from "../support/wait-for.ts";

/** Nobody listens on port 1. */
const NO_BROKER = "amqp://guest:s3cret-word@127.0.0.1:1/%2F";

const toml = (command: string, more = ""): string => `command = ${JSON.stringify(command)}
queue_connection = "${NO_BROKER}"
queue_name = "work"
min_workers = 2
max_workers = 4
slo_drain_time = "30s"
poll_interval = "1s"
${more}`;

/** In a pid namespace of its own, as in a container; it takes a privilege that not every user has. */
const AS_PROCESS_ONE = ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child"];
const canBeProcessOne = spawnSync("unshare", [...AS_PROCESS_ONE.slice(1), "true"]).status === 0;

/** Gives a command a terminal. */
const hasScript = spawnSync("script", ["--version"]).status === 0;

const TWO_PROGRAMS = (one: string, two: string): string => `queue_connection = "${NO_BROKER}"
command = "sleep 600"
min_workers = 1
max_workers = 2
min_uptime = "0s"
slo_drain_time = "30s"
metrics_addr = "127.0.0.1:0"
[[program]]
queue_name = "${one}"
[[program]]
queue_name = "${two}"
`;

const OBEDIENT = "sleep 600";
const STUBBORN = `sh -c 'trap "" TERM; touch ready-$$; while :; do sleep 1; done'`;

describe("DESIGN 7.9: the life of the daemon", () => {
  it("keeps the floor while the broker is away, drains at SIGTERM and exits 0", async () => {
    const { living, run } = daemonOn(toml(OBEDIENT));
    const daemon = run();
    const pids = await daemon.workersOf(2);
    await daemon.logged("observe.queue.unreadable");
    expect(pids.every(isAlive)).toBe(true);

    expect(await daemon.stop()).toBe(0);
    expect(daemon.lines("app.daemon.stopping")).toMatchObject([{ signal: "SIGTERM" }]);
    expect(daemon.lines("app.daemon.stopped")).toHaveLength(1);
    await waitFor(() => living().length === 0);
    expect(daemon.stdout + daemon.stderr).not.toContain("s3cret");
  });

  it("replaces a worker that dies at once, not at the next poll", async () => {
    const daemon = daemonOn(toml(OBEDIENT, 'min_uptime = "0s"\n').replace('"1s"', '"1h"')).run();
    const [first = 0] = await daemon.workersOf(2);
    process.kill(first, "SIGKILL");
    await daemon.workersOf(3);
    expect(await daemon.stop()).toBe(0);
  });

  it("leaves its workers to a successor when it is killed: the same pids", async () => {
    const { run } = daemonOn(toml(OBEDIENT));
    const first = run();
    const pids = await first.workersOf(2);
    first.kill("SIGKILL");
    await first.ended;
    expect(pids.every(isAlive)).toBe(true);

    const second = run();
    expect((await second.workersOf(2, "act.worker.adopted")).toSorted()).toEqual(pids.toSorted());
    await second.logged("loop.tick.decided");
    expect(second.workers()).toEqual([]);
    expect(await second.stop()).toBe(0);
    expect(pids.some(isAlive)).toBe(false);
  });

  it("kills what still drains at the second signal, and says so by its exit code", async () => {
    const { dir, living, run } = daemonOn(toml(STUBBORN, 'drain_timeout = "10m"\n'));
    const daemon = run();
    const pids = await daemon.workersOf(2);
    await waitFor(() => pids.every((pid) => existsSync(join(dir, `ready-${pid}`))), { what: "both traps" });
    daemon.kill("SIGINT");
    await daemon.waitFor(() => daemon.lines("act.worker.stop_signalled").length === 2, "two stop signals");
    // Within a quarter of a second it would be the same key press.
    const again = setInterval(() => daemon.kill("SIGINT"), 100);
    const { code } = await daemon.ended;
    clearInterval(again);
    expect(code).toBe(1);
    await waitFor(() => living().length === 0);
  });

  it("takes two signals at once for one: Ctrl-C arrives twice behind npm", async () => {
    const { dir, run } = daemonOn(toml(STUBBORN, 'drain_timeout = "1500ms"\n'));
    const daemon = run();
    const pids = await daemon.workersOf(2);
    await waitFor(() => pids.every((pid) => existsSync(join(dir, `ready-${pid}`))), { what: "both traps" });
    daemon.kill("SIGINT");
    daemon.kill("SIGTERM");
    expect((await daemon.ended).code).toBe(0);
    expect(daemon.lines("act.worker.drain_timed_out")).toHaveLength(2);
  });

  it("backs off from a command that is not there, and lives", async () => {
    const daemon = daemonOn(toml("no-such-worker --fast")).run();
    await daemon.logged("act.spawning.backed_off");
    const [failed] = daemon.lines("act.worker.spawn_failed");
    expect(failed?.msg).toContain("PATH holds no no-such-worker");
    expect(await daemon.stop()).toBe(0);
  });

  it("outlives the readers of its output", async () => {
    const daemon = daemonOn(toml(OBEDIENT, 'min_uptime = "0s"\n')).run();
    const [first = 0] = await daemon.workersOf(2);
    daemon.child.stderr?.destroy();
    daemon.child.stdout?.destroy();
    // It has something to say, and nobody to say it to.
    process.kill(first, "SIGKILL");
    await waitFor(() => !isAlive(first));
    expect(await daemon.stop()).toBe(0);
  });

  it.skipIf(!hasScript)("names the program of each line on a terminal", async () => {
    const { runThrough } = daemonOn(toml(OBEDIENT));
    const daemon = runThrough(["sh", "-c", 'exec script -qec "$*" /dev/null', "sh"]);
    await daemon.waitFor(() => /effiqueue work: worker \d+ started as number 1/.test(daemon.stdout), "a second worker");
    expect(daemon.stdout).toMatch(/effiqueue: version \S+ runs work of .*; memory [\d.]+ GiB \(/);
    expect(daemon.stdout).not.toContain("{");
  });

  it("goes on when its log cannot be written, for the disk is full", async () => {
    const { dir, living, runThrough } = daemonOn(toml(STUBBORN, 'drain_timeout = "1s"\n'));
    const daemon = runThrough(["sh", "-c", 'exec "$@" 2>/dev/full', "sh"]);
    const ready = (): string[] => readdirSync(dir).filter((name) => name.startsWith("ready-"));
    await waitFor(() => ready().length === 2, { what: "two workers" });
    expect(await daemon.stop()).toBe(0);
    await waitFor(() => living().length === 0);
  });

  it("ends at a fault of its own with 70, and leaves its workers to the next one", async () => {
    const fault = "process.on('SIGUSR2', () => { throw new Error('with ' + ['s3cret', 'word'].join('-')) })";
    const { run } = daemonOn(toml(OBEDIENT), "effiqueue.toml", {
      NODE_OPTIONS: `--import "data:text/javascript,${encodeURIComponent(fault)}"`,
    });
    const first = run();
    const pids = await first.workersOf(2);
    first.kill("SIGUSR2");
    const { code, stderr } = await first.ended;
    expect(code).toBe(70);
    expect(stderr).toContain("a fault of effiqueue that nobody caught");
    expect(stderr).not.toContain("s3cret-word");
    const second = run();
    expect((await second.workersOf(2, "act.worker.adopted")).toSorted()).toEqual(pids.toSorted());
    expect(await second.stop()).toBe(0);
  });

  it.skipIf(!canBeProcessOne)("heeds SIGTERM as process 1, and says that an init belongs there", async () => {
    const { living, runThrough } = daemonOn(toml(OBEDIENT));
    const daemon = runThrough(AS_PROCESS_ONE);
    await daemon.workersOf(2);
    expect(daemon.lines("app.config.warned").map(({ msg }) => msg)).toContainEqual(
      expect.stringContaining("runs as process 1") as string,
    );
    const inner = readFileSync(`/proc/${daemon.pid}/task/${daemon.pid}/children`, "utf8").trim();
    process.kill(Number(inner), "SIGTERM");
    expect((await daemon.ended).code).toBe(0);
    await waitFor(() => living().length === 0);
  });

  it("starts bare, and takes its level from the environment", async () => {
    const { dir, file } = daemonOn(toml(OBEDIENT));
    const { code, stderr } = await effiqueue(["--config", file], { cwd: dir, env: { EFFIQUEUE_LOG: "loud" } });
    expect({ code, stderr }).toEqual({
      code: 64,
      stderr: expect.stringMatching(/^effiqueue: EFFIQUEUE_LOG: expected one of trace, .*got "loud"\n$/) as string,
    });
  });
});

describe("DESIGN 7.9: a pool that another process takes over", () => {
  it("leaves the daemon; the other programs go on, and without any it ends, its workers untouched", async () => {
    const { dir, living, run } = daemonOn(TWO_PROGRAMS("one", "two"));
    const thief = await startStranger("exec sleep 600");
    // As a daemon of another container would, that has presumed this one dead.
    const steal = (program: string): void => {
      const folder = join(dir, "state", program);
      const claim = { folder, identity: thief, origin: originOf(folder) };
      writeFileSync(join(folder, "lock.1000"), recordOf(claim, false));
    };
    const daemon = run();
    const [one = 0, two = 0] = await daemon.workersOf(2);
    steal("one");
    await daemon.logged("act.pool.lock_lost");
    for (const pid of [one, two]) process.kill(pid, "SIGKILL");
    await daemon.workersOf(3);
    const status = (await (await fetch(`${await daemon.url()}/api/status`)).json()) as StatusReply;
    expect(status.programs.map(({ state }) => state === "lost")).toEqual([true, false]);

    steal("two");
    const { code, stderr } = await daemon.ended;
    expect(code).toBe(69);
    expect(stderr).toContain(`effiqueue: process ${thief.pid} has taken over every worker pool`);
    expect(daemon.lines("act.worker.spawned").slice(2)).toMatchObject([{ program: "two" }]);
    expect(living()).toEqual(daemon.workers().slice(2));
  });
});

describe("DESIGN 7.9: a start that fails", () => {
  const withMetrics = (address: string): string => toml(OBEDIENT, `metrics_addr = "${address}"\n`);

  it("refuses a second daemon on the same state, naming the first, and harms neither it nor its workers", async () => {
    const { run } = daemonOn(toml(OBEDIENT));
    const first = run();
    const pids = await first.workersOf(2);
    const { code, stderr } = await run().ended;
    expect(code).toBe(69);
    expect(stderr.split("\n").find((line) => line.startsWith("effiqueue: "))).toMatch(
      new RegExp(
        `^effiqueue: program "work": the worker pool of \\S+/state/work is already run by process ${first.pid}: `,
      ),
    );
    expect(pids.every(isAlive)).toBe(true);
    expect(await first.stop()).toBe(0);
  });

  it("starts nobody when the address is taken, and lets go of its locks", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const taken = server.address();
    const port = typeof taken === "object" ? (taken?.port ?? 0) : 0;
    const { living, run } = daemonOn(withMetrics(`127.0.0.1:${port}`));
    const { code, stderr } = await run().ended;
    server.close();
    expect(code).toBe(69);
    expect(stderr).toContain(`metrics_addr "127.0.0.1:${port}": another process listens there`);
    expect(stderr).not.toMatch(/^\s+at /m);
    expect(living()).toEqual([]);

    const second = run("--metrics-addr", "127.0.0.1:0");
    await second.workersOf(2);
    expect(await second.url()).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(await second.stop()).toBe(0);
  });

  it("leaves the workers of an earlier life running", async () => {
    const { file, run } = daemonOn(toml(OBEDIENT));
    const first = run();
    const pids = await first.workersOf(2);
    first.kill("SIGKILL");
    await first.ended;
    writeFileSync(file, withMetrics("192.0.2.1:9464"));
    const { code, stderr } = await run().ended;
    expect(code).toBe(69);
    expect(stderr).toContain("this machine has no such address");
    expect(pids.every(isAlive)).toBe(true);

    writeFileSync(file, toml(OBEDIENT));
    const third = run();
    await third.workersOf(2, "act.worker.adopted");
    expect(await third.stop()).toBe(0);
  });

  it("names a state folder that cannot be used", async () => {
    const { dir, run } = daemonOn(toml(OBEDIENT));
    writeFileSync(join(dir, "state"), "a file");
    const { code, stderr } = await run().ended;
    expect(code).toBe(69);
    expect(stderr).toContain(`the state folder ${dir}/state/work cannot be used`);
  });

  it("gives back the lock of the first program when that of the second cannot be had", async () => {
    const { dir, living, run } = daemonOn(TWO_PROGRAMS("one", "two/2"));
    mkdirSync(join(dir, "state"));
    writeFileSync(join(dir, "state/two%2F2"), "in the way");
    expect((await run().ended).code).toBe(69);
    expect(living()).toEqual([]);
    const other = daemonOn(TWO_PROGRAMS("one", "three"));
    const daemon = other.run("--state-dir", join(dir, "state"));
    await daemon.workersOf(2);
    expect(await daemon.stop()).toBe(0);
  });
});

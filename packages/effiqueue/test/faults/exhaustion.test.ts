/** A machine that has no more of something: the daemon goes on, and neither forgets nor doubles a worker. */
import { execFileSync } from "node:child_process";
import { closeSync, openSync, readdirSync, rmSync, writeSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { type DaemonProcess, daemonOn } from "../support/daemon-process.ts";
import { effiqueue } from "../support/effiqueue-process.ts";
import { mayMount, mountTmpfs } from "../support/mount.ts";
import { isAlive } from "../support/processes.ts";
import { mayTrace, refuseCalls } from "../support/refused-calls.ts";
import { waitFor } from "../support/wait-for.ts";

const config = (more = ""): string => `command = "sleep 600"
queue_connection = "amqp://guest:guest@127.0.0.1:1/%2F"
queue_name = "work"
min_workers = 3
max_workers = 3
min_uptime = "0s"
slo_drain_time = "30s"
poll_interval = "500ms"
metrics_addr = "127.0.0.1:0"
${more}`;

const limitFiles = ({ pid }: DaemonProcess, soft: number): void => {
  execFileSync("prlimit", ["--pid", String(pid), `--nofile=${soft}:`]);
};

/** Clients that take what may still be opened, and keep it. */
async function useUpFiles(daemon: DaemonProcess): Promise<void> {
  const open = (): Set<number> => new Set(readdirSync(`/proc/${daemon.pid}/fd`).map(Number));
  let limit = 0;
  for (let [free, taken] = [4, open()]; free > 0; limit += 1) free -= taken.has(limit) ? 0 : 1;
  limitFiles(daemon, limit);
  const { port } = new URL(await daemon.url());
  for (let i = 0; i < 20; i += 1) {
    const client = connect(Number(port), "127.0.0.1").on("error", () => undefined);
    onTestFinished(() => void client.destroy());
  }
  const isFull = (taken: Set<number>): boolean => Array.from({ length: limit }).every((_, i) => taken.has(i));
  await waitFor(() => isFull(open()), { what: `${limit} open files` });
}

/** A file that takes all there is. */
function fillUp(folder: string): string {
  const file = join(folder, "full");
  const handle = openSync(file, "w");
  try {
    for (;;) writeSync(handle, Buffer.alloc(4096));
  } catch {
    return file;
  } finally {
    closeSync(handle);
  }
}

const ticks = (daemon: DaemonProcess): number => daemon.lines("loop.tick.decided").length;
const moreTicks = (daemon: DaemonProcess, count: number): Promise<unknown> => {
  const from = ticks(daemon);
  return daemon.waitFor(() => ticks(daemon) >= from + count, `${count} more ticks`);
};

describe("DESIGN 4.2: a daemon that can open no more files", () => {
  it("takes nobody for dead that it cannot look at, adopted workers included, and replaces who dies when it can", async () => {
    const { living, run } = daemonOn(config());
    const first = run();
    const pids = await first.workersOf(3);
    first.kill("SIGKILL");
    await first.ended;
    const daemon = run("--log-level", "debug");
    await daemon.workersOf(3, "act.worker.adopted");
    await moreTicks(daemon, 1);

    limitFiles(daemon, 3);
    // Adopted workers are looked at once a second.
    await moreTicks(daemon, 6);
    expect(pids.every(isAlive)).toBe(true);
    expect(daemon.lines("act.worker.exited")).toEqual([]);
    const [victim = 0, ...others] = pids;
    process.kill(victim, "SIGKILL");
    await waitFor(() => !isAlive(victim));
    await moreTicks(daemon, 2);

    limitFiles(daemon, 1024);
    const [successor = 0] = await daemon.workersOf(1);
    expect(living().toSorted()).toEqual([daemon.pid, ...others, successor].toSorted());
    expect(await daemon.stop()).toBe(0);
    await waitFor(() => living().length === 0);
  });

  it("says so when it cannot start a worker for that, and starts it when it can", async () => {
    const daemon = daemonOn(config()).run();
    const [victim = 0] = await daemon.workersOf(3);
    await daemon.logged("loop.tick.decided");
    limitFiles(daemon, 3);
    process.kill(victim, "SIGKILL");
    const { msg } = await daemon.logged("act.worker.spawn_failed");
    expect(msg).toContain("no more files can be opened (EMFILE): raise LimitNOFILE");
    limitFiles(daemon, 1024);
    await daemon.workersOf(4);
    expect(await daemon.stop()).toBe(0);
  });

  it.each(["its own", "adopted"])("stops its workers all the same when it is told to: %s", async (whose) => {
    const { living, run } = daemonOn(config());
    let daemon = run();
    await daemon.workersOf(3);
    if (whose === "adopted") {
      daemon.kill("SIGKILL");
      await daemon.ended;
      daemon = run();
      await daemon.workersOf(3, "act.worker.adopted");
    }
    await daemon.logged("loop.tick.decided");
    await useUpFiles(daemon);
    expect(await daemon.stop()).toBe(0);
    expect(living()).toEqual([]);
    expect(daemon.lines("act.worker.stop_signalled")).toHaveLength(3);
    expect(daemon.lines("act.worker.drain_timed_out")).toEqual([]);
  });
});

/** The system counts processes by user, and does not count those of root. */
describe.runIf(process.getuid?.() === 0)("DESIGN 4.6: a machine that starts no more processes", () => {
  it("is tried again at growing intervals, with the reason, and has its workers when it starts them", async () => {
    const { run } = daemonOn(config('user = "games"\n'));
    const daemon = run();
    await daemon.workersOf(3);
    execFileSync("prlimit", ["--pid", String(daemon.pid), "--nproc=1:"]);
    const [victim = 0] = daemon.workers();
    process.kill(victim, "SIGKILL");
    await daemon.logged("act.spawning.backed_off");
    expect(daemon.lines("act.worker.spawn_failed")[0]?.msg).toContain("no more processes may be started (EAGAIN)");
    execFileSync("prlimit", ["--pid", String(daemon.pid), "--nproc=4096:"]);
    await daemon.workersOf(4);
    expect(daemon.workers().slice(1).every(isAlive)).toBe(true);
    expect(await daemon.stop()).toBe(0);
  });
});

/** Faults of the whole machine, which nobody may bring about beside other tests. */
describe.runIf(mayTrace)("DESIGN 4.14: a machine that has nothing left to start a worker with", () => {
  it.each([
    ["memory", "ENOMEM", "clone,clone3,fork,vfork", "no memory is left to start a process (ENOMEM)"],
    ["open files", "ENFILE", "openat,pipe2", "the machine has as many open files as it may (ENFILE)"],
  ])("is named, keeps the other workers, and has the missing one when there is some again: %s", async (...fault) => {
    const [, error, calls, words] = fault;
    const daemon = daemonOn(config()).run();
    const [victim = 0, ...others] = await daemon.workersOf(3);
    await daemon.logged("loop.tick.decided");
    const allow = await refuseCalls(daemon.pid, calls, error);
    process.kill(victim, "SIGKILL");
    await daemon.logged("act.spawning.backed_off");
    for (const { msg } of daemon.lines("act.worker.spawn_failed")) expect(msg).toContain(words);
    expect(others.every(isAlive)).toBe(true);
    await allow();
    await daemon.workersOf(4);
    expect(others.every(isAlive)).toBe(true);
    expect(await daemon.stop()).toBe(0);
  });
});

describe.runIf(mayMount)("DESIGN 4.8: a disk that is full under the state", () => {
  it("is said once, costs no worker, and hides none from a successor", async () => {
    const { file, living, run } = daemonOn(config());
    const stateDir = mountTmpfs("128k");
    const first = run("--state-dir", stateDir);
    const pids = await first.workersOf(3);
    await first.logged("loop.tick.decided");
    const full = fillUp(stateDir);
    const [victim = 0, ...others] = pids;
    process.kill(victim, "SIGKILL");
    const [successor = 0] = (await first.workersOf(4)).slice(3);
    await moreTicks(first, 0);
    expect(first.lines("act.state.unwritable")).toHaveLength(1);

    first.kill("SIGKILL");
    await first.ended;
    const refused = await effiqueue(["run", "--config", file, "--state-dir", stateDir], { cwd: stateDir });
    expect(refused.code).toBe(69);
    expect(refused.stderr).toContain(`${stateDir}/work cannot be used`);
    expect(living().toSorted()).toEqual([...others, successor].toSorted());

    rmSync(full);
    const third = run("--state-dir", stateDir);
    expect((await third.workersOf(3, "act.worker.adopted")).toSorted()).toEqual([...others, successor].toSorted());
    expect(await third.stop()).toBe(0);
    await waitFor(() => living().length === 0);
  });
});

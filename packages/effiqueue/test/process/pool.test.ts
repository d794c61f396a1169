import { execFileSync } from "node:child_process";
import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { PoolClosedError, SpawnError } from "../../src/act/errors.ts";
import { readProcStat } from "../../src/act/platform/identity.ts";
import { openTestPool } from "../support/pool.ts";
import { groupIsGone, isAlive, OBEDIENT, pidsIn, readyCount, sh } from "../support/processes.ts";
import { tempDir } from "../support/temp-dir.ts";
import { waitFor } from "../support/wait-for.ts";

/** Stopped, or about to be: on a busy machine a process may not have had its turn to take the signal. */
function isStopped(pid: number): boolean {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const pending = [...status.matchAll(/^(?:SigPnd|ShdPnd):\s+([0-9a-f]+)$/gm)].map(([, mask = "0"]) =>
    BigInt(`0x${mask}`),
  );
  const sigstop = 1n << BigInt(constants.signals.SIGSTOP - 1);
  return /^State:\s+T/m.test(status) || pending.some((mask) => (mask & sigstop) !== 0n);
}

describe("DESIGN 4.1: spawning", () => {
  it("makes every worker the leader of its own group and session", () => {
    const { pool } = openTestPool();
    const pid = pool.spawn();
    expect(readProcStat(pid)).toMatchObject({ groupId: pid, sessionId: pid, parentPid: process.pid });
  });

  it("tells a worker its program, number and pool, beside the environment of the command", async () => {
    const folder = tempDir();
    const { pool } = openTestPool({
      program: "mail",
      command: sh('env > "$OUT/env"; touch "$OUT/done"; exec sleep 600', {
        OUT: folder,
        EFFIQUEUE_PROGRAM: "not this one",
      }),
    });
    pool.spawn();
    await waitFor(() => readyCount(folder) === 2);
    const lines = readFileSync(join(folder, "env"), "utf8").split("\n");
    expect(lines).toEqual(
      expect.arrayContaining([
        "EFFIQUEUE_PROGRAM=mail",
        "EFFIQUEUE_PROCESS_NUM=0",
        "EFFIQUEUE_WORKER=mail/0",
        `OUT=${folder}`,
      ]),
    );
    expect(lines.some((line) => /^EFFIQUEUE_POOL=[0-9a-f]{16}$/.test(line))).toBe(true);
  });

  it("keeps from a worker what systemd says to the autoscaler alone", async () => {
    vi.stubEnv("NOTIFY_SOCKET", "/run/systemd/notify");
    vi.stubEnv("WATCHDOG_USEC", "30000000");
    onTestFinished(() => void vi.unstubAllEnvs());
    const folder = tempDir();
    const { pool } = openTestPool({
      command: sh('env > "$OUT/env"; touch "$OUT/done"; exec sleep 600', { OUT: folder }),
    });
    pool.spawn();
    await waitFor(() => readyCount(folder) === 2);
    const names = readFileSync(join(folder, "env"), "utf8").replaceAll(/=.*/g, "").split("\n");
    expect(names).toContain("PATH");
    expect(names.filter((name) => /^(NOTIFY|WATCHDOG|LISTEN)_/.test(name))).toEqual([]);
  });

  it("gives a new worker the lowest free number", async () => {
    const { pool, pids } = openTestPool();
    await pool.resize(3);
    const [, second] = pids();
    expect(await pool.terminate(second ?? 0)).toBe(true);
    const pid = pool.spawn();
    expect(pool.snapshot().map(({ processNum }) => processNum)).toEqual([0, 2, 1]);
    expect(pool.snapshot().find(({ identity }) => identity.pid === pid)?.processNum).toBe(1);
  });

  it("passes arguments to a shell command line as its parameters, unquoted by nobody", async () => {
    const folder = tempDir();
    const { pool } = openTestPool({
      command: { file: 'echo "$0|$1|$2" > "$3"', args: ["two words", "$HOME", join(folder, "out")], shell: true },
      exitCodes: [0],
    });
    pool.spawn();
    await waitFor(() => pool.reap().length === 1);
    expect(readFileSync(join(folder, "out"), "utf8")).toBe("sh|two words|$HOME\n");
  });

  it("lets a worker print 20 MB into a file, appended, or into nothing", async () => {
    const file = join(tempDir(), "worker.log");
    writeFileSync(file, "before\n");
    const command = sh("head -c 10000000 /dev/zero; head -c 10000000 /dev/zero >&2");
    for (const target of [{ file }, "ignore"] as const) {
      const { pool } = openTestPool({ command, output: { stdout: target, stderr: target }, exitCodes: [0] });
      pool.spawn();
      const exit = await waitFor(() => pool.reap()[0]);
      expect(exit).toMatchObject({ exitCode: 0, kind: "exited" });
    }
    expect(statSync(file).size).toBe(20_000_000 + "before\n".length);
  });

  it("grows by spawning and shrinks by draining, and leaves a pool alone that has the wished size", async () => {
    const { pool, events, pids } = openTestPool();
    await pool.resize(4);
    expect(pool.counts()).toEqual({ starting: 0, serving: 4, draining: 0 });
    const four = pids();
    await pool.resize(4);
    expect(pids()).toEqual(four);
    await pool.resize(1);
    expect(pool.counts().serving).toBe(1);
    await waitFor(() => pool.counts().draining === 0);
    expect(pids()).toEqual(four.slice(3));
    expect(events.of("act.worker.spawned")).toHaveLength(4);
  });

  it("stops the workers of a batch until the last one is started, and then lets all of them run", async () => {
    const folder = tempDir();
    const spawned: number[] = [];
    const stoppedAtSpawn: number[] = [];
    const { pool, pids } = openTestPool({
      command: sh('touch "$OUT/$$"; exec sleep 600', { OUT: folder }),
      reporter: {
        emit: (name, fields) => {
          if (name !== "act.worker.spawned") return;
          stoppedAtSpawn.push(spawned.filter(isStopped).length);
          spawned.push((fields as { pid: number }).pid);
        },
      },
    });
    await pool.resize(5);
    expect(stoppedAtSpawn).toEqual([0, 1, 2, 3, 4]);
    expect(pids().filter(isStopped)).toEqual([]);
    await waitFor(() => readyCount(folder) === 5);
  });

  it("lets the others of a batch run when one cannot be started", async () => {
    const { pool, pids } = openTestPool({
      worker: (processNum) => ({
        command: processNum < 2 ? OBEDIENT : { file: "no-such-worker", args: [] },
        output: { stdout: "ignore", stderr: "ignore" },
      }),
    });
    await pool.resize(4);
    expect(pids()).toHaveLength(2);
    await waitFor(() => pids().every((pid) => readProcStat(pid)?.state === "S"));
  });

  it("holds on a wish that is no number", async () => {
    const { pool } = openTestPool();
    await pool.resize(1);
    await pool.resize(Number.NaN);
    await pool.resize(Number.POSITIVE_INFINITY);
    expect(pool.counts().serving).toBe(1);
  });
});

describe("DESIGN 4.6: a command that cannot be started", () => {
  const folder = (): string => tempDir();

  it.each([
    ["PATH holds no no-such-worker", () => ({ file: "no-such-worker", args: [] })],
    ["/nowhere/worker does not exist", () => ({ file: "/nowhere/worker", args: [] })],
    ["its working directory /nowhere does not exist", () => ({ file: "sleep", args: ["600"], cwd: "/nowhere" })],
    [
      "plain.txt is not executable",
      () => {
        const file = join(folder(), "plain.txt");
        writeFileSync(file, "text");
        return { file, args: [] };
      },
    ],
    [
      "pipe is a folder, a pipe or the like; name a program",
      () => {
        const file = join(folder(), "pipe");
        execFileSync("mkfifo", ["-m", "755", file]);
        return { file, args: [] };
      },
    ],
    [
      "script asks for /nowhere/interpreter in its first line, which does not exist",
      () => {
        const file = join(folder(), "script");
        writeFileSync(file, "#!/nowhere/interpreter\n");
        chmodSync(file, 0o755);
        return { file, args: [] };
      },
    ],
    [
      "its arguments and its environment are longer than the system takes (E2BIG)",
      () => ({ file: "sleep", args: ["600"], env: { LONG: "x".repeat(4 * 1024 * 1024) } }),
    ],
  ])("is refused with the reason: %s", (reason, command) => {
    const { pool, events } = openTestPool({ command: command() });
    expect(() => pool.spawn()).toThrow(SpawnError);
    expect(() => pool.spawn()).toThrow(reason);
    expect(events.of("act.worker.spawn_failed")[0]?.error).toContain(reason);
    expect(pool.snapshot()).toEqual([]);
  });

  it("is refused, and not waited for, when its output is a named pipe that nobody reads", () => {
    const pipe = join(tempDir(), "pipe");
    execFileSync("mkfifo", [pipe]);
    const { pool } = openTestPool({ output: { stdout: { file: pipe }, stderr: "ignore" } });
    expect(() => pool.spawn()).toThrow(`its output file ${pipe} is a named pipe`);
  });

  it("is refused when its output file cannot be opened", () => {
    const { pool } = openTestPool({ output: { stdout: { file: "/nowhere/log" }, stderr: "ignore" } });
    expect(() => pool.spawn()).toThrow("/nowhere/log cannot be opened");
  });
});

describe("DESIGN 2.7: an exit wakes at once", () => {
  it("calls back when a worker ends, and hands out its exit once", async () => {
    const { pool } = openTestPool();
    const pid = pool.spawn();
    let woken = 0;
    const unsubscribe = pool.onWake(() => woken++);
    process.kill(pid, "SIGKILL");
    await waitFor(() => woken > 0);
    expect(pool.reap()).toMatchObject([{ pid, processNum: 0, exitCode: null, signal: "SIGKILL", kind: "crashed" }]);
    expect(pool.reap()).toEqual([]);

    unsubscribe();
    process.kill(pool.spawn(), "SIGKILL");
    await waitFor(() => pool.reap().length === 1);
    expect(woken).toBe(1);
  });

  it("replaces a killed worker from within the callback, before anybody polls", async () => {
    const { pool, pids } = openTestPool();
    await pool.resize(2);
    const before = pids();
    pool.onWake(() => void pool.resize(2));
    process.kill(before[0] ?? 0, "SIGKILL");
    await waitFor(() => pool.counts().serving === 2 && !pids().includes(before[0] ?? 0));
  });
});

describe("DESIGN 4.9: starting and stopping in any order", () => {
  it("leaves nothing behind after many resizes, kills and double shutdowns", async () => {
    const ready = tempDir();
    const { pool, events, pids } = openTestPool({ command: sh('touch "$READY/$$"; exec sleep 600', { READY: ready }) });
    for (const [step, wish] of [3, 0, 5, 1, 4, 0, 2, 6, 0, 1].entries()) {
      const resized = pool.resize(wish);
      const some = pids()[step % 3];
      if (some !== undefined && step % 2 === 0) process.kill(some, "SIGKILL");
      if (some !== undefined && step % 3 === 0) void pool.terminate(some);
      await resized;
    }
    await Promise.all([pool.shutdown(), pool.shutdown()]);
    await pool.shutdown();
    const spawned = events.of("act.worker.spawned").map(({ pid }) => pid);
    const exited = events.of("act.worker.exited").map(({ pid }) => pid);
    expect(spawned.length).toBeGreaterThan(10);
    expect(exited.sort()).toEqual(spawned.sort());
    expect(events.names("act.pool.")).toEqual(["act.pool.shutdown_started", "act.pool.shutdown_finished"]);
    expect(pidsIn(ready).filter(isAlive)).toEqual([]);
    expect(spawned.every(groupIsGone)).toBe(true);
  });

  it("starts nothing after shutdown or close, and says so", async () => {
    for (const end of ["shutdown", "close"] as const) {
      const { pool } = openTestPool({ command: OBEDIENT });
      await pool.resize(1);
      const [worker] = pool.snapshot();
      const ended = pool[end]();
      expect(() => pool.spawn()).toThrow(PoolClosedError);
      await ended;
      await pool.resize(3);
      pool.close();
      await pool.shutdown();
      expect(await pool.terminate(worker?.identity.pid ?? 0)).toBe(false);
      if (end === "close") process.kill(worker?.identity.pid ?? 0, "SIGKILL");
    }
  });
});

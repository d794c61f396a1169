import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { readProcStat, thisMachine } from "../../src/act/platform/identity.ts";
import type { ProcessIdentity } from "../../src/model/worker.ts";
import { FakeDirectory } from "../support/fake-directory.ts";
import { killIfThere } from "../support/kill-if-there.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { openTestPool } from "../support/pool.ts";
import {
  type Fixture,
  groupIsGone,
  isAlive,
  killAtEnd,
  pidsIn,
  readyCount,
  STUBBORN,
  sh,
  startFixture,
  startStranger,
} from "../support/processes.ts";
import { tempDir } from "../support/temp-dir.ts";
import { waitFor } from "../support/wait-for.ts";

/** The shell stays the leader, so that the command line is the one it was started with. */
const SLEEP = "sleep 600; true";

interface Left {
  readonly stateDir: string;
  readonly workers: readonly ProcessIdentity[];
  readonly pids: readonly number[];
}

/** Workers of a pool that has let go of them: cheaper than a controller to kill, where it makes no difference. */
async function leaveWorkers(count: number, script = SLEEP): Promise<Left> {
  const stateDir = join(tempDir(), "state");
  const { pool, pids } = openTestPool({ stateDir, command: sh(script) });
  await pool.resize(count);
  const workers = pool.snapshot().map(({ identity }) => identity);
  workers.forEach(killAtEnd);
  pool.close();
  return { stateDir, workers, pids: pids() };
}

/** A controller in a process of its own, with workers that it started. */
async function startController(count: number, script = SLEEP): Promise<Left & { readonly controller: Fixture }> {
  const stateDir = join(tempDir(), "state");
  const controller = startFixture("controller.mjs", stateDir, String(count), script);
  const workers = JSON.parse(await controller.line()) as ProcessIdentity[];
  workers.forEach(killAtEnd);
  return { stateDir, controller, workers, pids: workers.map(({ pid }) => pid) };
}

async function kill({ child }: Fixture): Promise<void> {
  const exit = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await exit;
}

interface StateFile {
  format: number;
  workers: { identity: ProcessIdentity; processNum: number; startedAtMs: number; state: string }[];
}
const stateFile = (stateDir: string): string => join(stateDir, "workers.json");
const readState = (stateDir: string): StateFile => JSON.parse(readFileSync(stateFile(stateDir), "utf8")) as StateFile;
const writeState = (stateDir: string, state: StateFile): void =>
  writeFileSync(stateFile(stateDir), JSON.stringify(state));

const childrenOf = (parent: number): number[] =>
  readdirSync("/proc")
    .map(Number)
    .filter((pid) => pid > 0 && readProcStat(pid)?.parentPid === parent);

const oneWorker = (identity: ProcessIdentity, state = "working"): StateFile => ({
  format: 1,
  workers: [{ identity, processNum: 0, startedAtMs: 0, state }],
});

describe("DESIGN 4.8: adoption", () => {
  it("lets workers run that a killed controller had stopped while it started others", async () => {
    const { stateDir, pids } = await leaveWorkers(2);
    for (const pid of pids) process.kill(-pid, "SIGSTOP");
    // D: a shell that waits for a stopped child to begin with its command.
    await waitFor(() => pids.every((pid) => /[TD]/.test(readProcStat(pid)?.state ?? "")));
    const next = openTestPool({ stateDir, command: sh(SLEEP) });
    expect(next.pids()).toEqual(pids);
    await waitFor(() => pids.every((pid) => readProcStat(pid)?.state === "S"));
  });

  it("takes over the five workers of a controller that was killed, and starts none beside them", async () => {
    const { stateDir, controller, pids } = await startController(5);
    const recorded = readState(stateDir).workers;
    await kill(controller);
    expect(pids.every(isAlive)).toBe(true);

    const next = openTestPool({ stateDir, command: sh(SLEEP) });
    expect(next.pids()).toEqual(pids);
    expect(next.pool.counts()).toEqual({ starting: 0, serving: 5, draining: 0 });
    for (const [i, worker] of next.pool.snapshot().entries()) {
      expect(worker).toMatchObject({ adopted: true, processNum: i, startedAt: recorded[i]?.startedAtMs });
    }
    await next.pool.resize(5);
    expect(next.events.of("act.worker.spawned")).toEqual([]);
    expect(readState(stateDir).workers).toEqual(recorded);
  });

  it("finds workers by their mark that were spawned in the instant before the kill, and leaves other marked ones alone", async () => {
    const { stateDir, controller, pids } = await startController(3);
    await kill(controller);
    writeState(stateDir, { format: 1, workers: readState(stateDir).workers.slice(0, 1) });
    const mark = { EFFIQUEUE_POOL: readFileSync(join(stateDir, "pool-id"), "utf8").trim() };
    const other = await startStranger("sleep 601; true", mark);
    const elsewhere = await startStranger(SLEEP, { EFFIQUEUE_POOL: "0123456789abcdef" });

    const next = openTestPool({ stateDir, command: sh(SLEEP) });
    expect(next.pids().sort()).toEqual([...pids].sort());
    expect(next.pool.snapshot().map(({ processNum }) => processNum)).toEqual([0, 1, 2]);
    const strays = next.events.of("act.worker.stray_ignored");
    expect(strays).toContainEqual({
      program: "test",
      pid: other.pid,
      why: "it runs another command: /bin/sh -c sleep 601; true",
    });
    // Its child may be mentioned too; none of the groups of workers is, and nobody without our mark.
    expect(strays.filter(({ pid }) => pid !== other.pid).every(({ why }) => why === "it leads no process group")).toBe(
      true,
    );
    await next.pool.shutdown();
    expect([other, elsewhere].every(({ pid }) => isAlive(pid))).toBe(true);
    expect(pids.every(groupIsGone)).toBe(true);
  });

  it.each([
    ["that is listed", (stateDir: string) => readState(stateDir)],
    ["that is not", () => ({ format: 1, workers: [] })],
    ["of a list that cannot be read", () => "nonsense"],
  ])("leaves alone what a worker %s has forked into a group of its own, though it looks the same", async (_, list) => {
    const stateDir = join(tempDir(), "state");
    const forks = `import os, time\nif os.fork() == 0: os.setsid()\ntime.sleep(600)`;
    const command = { file: "/usr/bin/python3", args: ["-c", forks] };
    const { pool, pids } = openTestPool({ stateDir, command });
    await pool.resize(2);
    for (const { identity } of pool.snapshot()) killAtEnd(identity);
    const children = await waitFor(() => {
      const found = pids().flatMap(childrenOf);
      return found.length === 2 && found.every((pid) => readProcStat(pid)?.groupId === pid) && found;
    });
    for (const pid of children) onTestFinished(() => killIfThere(pid));
    pool.close();
    writeFileSync(stateFile(stateDir), JSON.stringify(list(stateDir)));

    const next = openTestPool({ stateDir, command });
    expect(next.pids().sort()).toEqual(pids().sort());
    expect(
      next.events
        .of("act.worker.stray_ignored")
        .map(({ pid }) => pid)
        .sort(),
    ).toEqual(children.sort());
    await next.pool.shutdown();
    expect(children.every(isAlive)).toBe(true);
  });

  it("recognises a script whatever its interpreter", async () => {
    const folder = tempDir();
    const stateDir = join(folder, "state");
    const file = join(folder, "worker");
    writeFileSync(file, '#!/bin/sh\ntouch "$READY/$$"\nwhile :; do sleep 0.05; done\n', { mode: 0o755 });
    const ready = tempDir();
    const command = { file, args: ["--queue", "mail"], env: { READY: ready } };
    const first = openTestPool({ stateDir, command });
    const pid = first.pool.spawn();
    first.pool.snapshot().forEach(({ identity }) => killAtEnd(identity));
    await waitFor(() => readyCount(ready) === 1);
    first.pool.close();
    const adopting = (...args: string[]): number[] => {
      writeState(stateDir, { format: 1, workers: [] });
      const { pool, pids } = openTestPool({ stateDir, command: { ...command, args } });
      const found = pids();
      pool.close();
      return found;
    };
    expect(adopting("--queue", "sms")).toEqual([]);
    expect(adopting("--queue", "mail")).toEqual([pid]);
  });

  it("never signals a stranger that has a recorded worker's pid", async () => {
    const stranger = await startStranger(SLEEP);
    const stateDir = tempDir();
    writeState(stateDir, oneWorker({ ...stranger, startTime: String(Number(stranger.startTime) - 1) }));
    const { pool, events } = openTestPool({ stateDir });
    expect(pool.snapshot()).toEqual([]);
    await pool.resize(1);
    pool.killAll();
    await pool.shutdown();
    expect(isAlive(stranger.pid)).toBe(true);
    expect(events.of("act.worker.adopted")).toEqual([]);
  });

  it.each([
    ["another boot", { bootId: "00000000-0000-0000-0000-000000000000" }],
    ["another pid namespace", { pidNamespace: "pid:[1]" }],
    ["everybody (pid 1)", { pid: 1 }],
  ])("takes nobody over from %s", async (_, elsewhere) => {
    const stranger = await startStranger(SLEEP);
    const stateDir = tempDir();
    writeState(stateDir, oneWorker({ ...stranger, ...elsewhere }));
    const { pool } = openTestPool({ stateDir });
    expect(pool.snapshot()).toEqual([]);
    await pool.shutdown();
    expect(isAlive(stranger.pid)).toBe(true);
  });

  it.each([
    ["is no JSON", "{half", "it is not a JSON object"],
    ["is empty", "", "it is not a JSON object"],
    ["is of a later version", '{"format":2,"workers":[]}', "it is not a worker list of format 1"],
    ["lists something else", '{"format":1,"workers":[{"pid":-1}]}', "it is not a worker list of format 1"],
  ])("says so when the state file %s, keeps it, and finds the workers by their mark", async (_, text, error) => {
    const { stateDir, pids } = await leaveWorkers(2);
    writeFileSync(stateFile(stateDir), text);
    const next = openTestPool({ stateDir, command: sh(SLEEP) });
    expect(next.events.of("act.state.unreadable")).toEqual([
      { program: "test", error, kept_as: `${stateFile(stateDir)}.bad` },
    ]);
    expect(readFileSync(`${stateFile(stateDir)}.bad`, "utf8")).toBe(text);
    expect(next.pids().sort()).toEqual([...pids].sort());
    expect(readState(stateDir).workers).toHaveLength(2);
  });

  it("sees the exit of an adopted worker, wakes, and does not claim to know its exit code", async () => {
    const { stateDir, pids } = await leaveWorkers(2);
    const { pool } = openTestPool({ stateDir, minUptimeMs: 0 });
    let woken = 0;
    pool.onWake(() => woken++);
    process.kill(pids[0] ?? 0, "SIGKILL");
    await waitFor(() => woken === 1);
    expect(pool.reap()).toMatchObject([{ pid: pids[0], exitCode: null, signal: null, kind: "exited" }]);
    expect(pool.counts().serving).toBe(1);
  });

  it("drains adopted workers like its own", async () => {
    const ready = tempDir();
    const obedient = await leaveWorkers(1);
    const stubborn = await leaveWorkers(1, STUBBORN.replaceAll("$READY", ready));
    await waitFor(() => readyCount(ready) === 1);

    const first = openTestPool({ stateDir: obedient.stateDir });
    expect(await first.pool.terminate(obedient.pids[0] ?? 0)).toBe(true);
    expect(first.pool.reap()).toMatchObject([{ kind: "stopped" }]);

    const second = openTestPool({ stateDir: stubborn.stateDir, drainTimeoutMs: 200 });
    expect(await second.pool.terminate(stubborn.pids[0] ?? 0)).toBe(false);
    expect(second.pool.reap()).toMatchObject([{ kind: "killed" }]);
    expect(groupIsGone(stubborn.pids[0] ?? 0)).toBe(true);
  });

  it("goes on with a drain without a second stop signal", async () => {
    const folder = tempDir();
    const script = `trap 'echo term >> ${folder}/log' TERM; touch ${folder}/$$; while :; do sleep 0.02; done`;
    const { stateDir, controller, pids } = await startController(1, script);
    const [pid] = pids as [number];
    await waitFor(() => readyCount(folder) === 1);
    controller.say(`terminate ${pid}`);
    await controller.line();
    await waitFor(() => existsSync(join(folder, "log")));
    await kill(controller);

    const clock = new ManualClock();
    const { pool } = openTestPool({ stateDir, clock, drainTimeoutMs: 7_000 });
    expect(pool.counts()).toEqual({ starting: 0, serving: 0, draining: 1 });
    clock.advance(6_900);
    expect(isAlive(pid)).toBe(true);
    clock.advance(100);
    await waitFor(() => groupIsGone(pid));
    expect(readFileSync(join(folder, "log"), "utf8")).toBe("term\n");
    clock.advance(1_000);
    expect(pool.reap()).toMatchObject([{ pid, kind: "killed" }]);
  });

  it("does not call a retiring worker to work that its queue keeps cordoned", async () => {
    const { stateDir, workers } = await leaveWorkers(1);
    const [worker] = workers as [ProcessIdentity];
    writeState(stateDir, oneWorker(worker, "retiring"));
    const directory = new FakeDirectory();
    const { pool } = openTestPool({ stateDir, directory });
    expect(pool.counts()).toEqual({ starting: 0, serving: 0, draining: 1 });
    const [adopted] = pool.snapshot();
    if (adopted !== undefined) directory.register(adopted, 1);
    await pool.resize(1);
    expect(directory.asked).toEqual([`uncordon ${worker.pid}`]);
    expect(pool.counts().serving).toBe(1);
  });
});

describe("DESIGN 4.2: groups of workers that nobody watched", () => {
  it("are ended when their leader died in between, if they carry the mark", async () => {
    const folder = tempDir();
    const { stateDir, controller, pids } = await startController(1, `sleep 600 & touch ${folder}/$!; wait`);
    const [member] = await waitFor(() => (readyCount(folder) === 1 ? pidsIn(folder) : undefined));
    await kill(controller);
    process.kill(pids[0] ?? 0, "SIGKILL");
    await waitFor(() => !isAlive(pids[0] ?? 0));
    expect(isAlive(member ?? 0)).toBe(true);

    const { pool, events } = openTestPool({ stateDir });
    expect(events.of("act.worker.leftovers_killed")).toEqual([{ program: "test", pid: pids[0], count: 1 }]);
    expect(events.of("act.worker.stray_ignored")).toEqual([]);
    expect(pool.snapshot()).toEqual([]);
    await waitFor(() => !isAlive(member ?? 0));
  });

  it("are left alone when they do not: the number may have gone to somebody else's group", async () => {
    const folder = tempDir();
    const leader = await startStranger(`sleep 600 & touch ${folder}/$!; sleep 600`);
    const [member] = await waitFor(() => (readyCount(folder) === 1 ? pidsIn(folder) : undefined));
    process.kill(leader.pid, "SIGKILL");
    await waitFor(() => !isAlive(leader.pid));
    const stateDir = tempDir();
    writeState(stateDir, oneWorker({ ...leader, ...thisMachine() }));
    const { pool } = openTestPool({ stateDir });
    await pool.shutdown();
    expect(isAlive(member ?? 0)).toBe(true);
    process.kill(-leader.pid, "SIGKILL");
  });
});

describe("DESIGN 4.7: letting go without stopping anybody", () => {
  it("lets the process of a closed pool end, and its workers run on for a successor", async () => {
    const { stateDir, controller, pids } = await startController(2);
    const exit = new Promise((resolve) => controller.child.once("exit", resolve));
    controller.say("close");
    expect(await exit).toBe(0);
    expect(pids.every(isAlive)).toBe(true);
    expect(openTestPool({ stateDir }).pids()).toEqual(pids);
  });

  it("lets the process of a pool that was shut down end", async () => {
    const { stateDir, controller, pids } = await startController(2);
    const exit = new Promise((resolve) => controller.child.once("exit", resolve));
    controller.say("shutdown");
    expect(await exit).toBe(0);
    expect(pids.every(groupIsGone)).toBe(true);
    expect(readState(stateDir).workers).toEqual([]);
  });
});

/** Workers that were started with other settings than now, and how one takes the place of another. */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { PoolSettings, WorkerSettings } from "../../src/act/options.ts";
import { FakeDirectory } from "../support/fake-directory.ts";
import { openTestPool, type TestPool } from "../support/pool.ts";
import { isAlive, OBEDIENT, sh } from "../support/processes.ts";
import { tempDir } from "../support/temp-dir.ts";
import { waitFor } from "../support/wait-for.ts";

const quiet: NonNullable<WorkerSettings["output"]> = { stdout: "ignore", stderr: "ignore" };
const settings = (worker: Partial<WorkerSettings> = {}, more: Partial<PoolSettings> = {}): PoolSettings => ({
  worker: () => ({ command: OBEDIENT, output: quiet, ...worker }),
  drainTimeoutMs: 30_000,
  stopSignal: "SIGTERM",
  stopTarget: "group",
  minUptimeMs: 10_000,
  exitCodes: [],
  ...more,
});

const outdated = ({ pool }: TestPool): (boolean | undefined)[] => pool.snapshot().map((worker) => worker.outdated);
const states = ({ pool }: TestPool): string[] => pool.snapshot().map(({ state }) => state);

describe("DESIGN 4.10: outdated workers", () => {
  it.each<[string, WorkerSettings, boolean]>([
    ["nobody, when nothing changes", { command: { ...OBEDIENT }, output: quiet }, false],
    ["nobody, by the order of variables", { command: { ...OBEDIENT, env: { B: "2", A: "1" } }, output: quiet }, false],
    ["by its command", { command: { ...OBEDIENT, args: ["600"] }, output: quiet }, true],
    ["by its environment", { command: { ...OBEDIENT, env: { A: "2", B: "2" } }, output: quiet }, true],
    ["by its folder", { command: { ...OBEDIENT, env: { A: "1", B: "2" }, cwd: "/" }, output: quiet }, true],
    [
      "by its output",
      { command: { ...OBEDIENT, env: { A: "1", B: "2" } }, output: { ...quiet, stderr: "inherit" } },
      true,
    ],
  ])("are told %s", async (name, worker, expected) => {
    const env = name.includes("nothing") ? {} : { env: { A: "1", B: "2" } };
    const test = openTestPool({ command: { ...OBEDIENT, ...env } });
    await test.pool.resize(2);
    expect(outdated(test)).toEqual([false, false]);
    test.pool.change(settings(worker));
    expect(outdated(test)).toEqual([expected, expected]);
    expect(states(test), "and nobody is touched for it").toEqual(["serving", "serving"]);
  });

  it("are told by the next life of the pool too, and one without a record is not", async () => {
    const stateDir = join(tempDir(), "state");
    const first = openTestPool({ stateDir, command: sh("sleep 600; true") });
    await first.pool.resize(2);
    first.pool.close();
    const same = openTestPool({ stateDir, command: sh("sleep 600; true") });
    expect([same.pids(), outdated(same)]).toEqual([first.pids(), [false, false]]);
    same.pool.close();
    const other = openTestPool({ stateDir, command: sh("sleep 601; true") });
    expect([other.pids(), outdated(other)]).toEqual([first.pids(), [true, true]]);
  });

  it("are followed by workers of the new settings, and drained by the new ones", async () => {
    const test = openTestPool({ command: sh("trap '' TERM; sleep 600") });
    await test.pool.resize(1);
    test.pool.change(settings({}, { stopSignal: "SIGKILL" }));
    const [old = 0] = test.pids();
    expect(await test.pool.relieve(old)).toBe(true);
    expect(outdated(test)).toEqual([true, false]);
    await test.pool.recycle(old);
    await waitFor(() => !isAlive(old));
    expect(test.events.of("act.worker.stop_signalled")).toMatchObject([{ pid: old, signal: "SIGKILL" }]);
  });
});

describe("DESIGN 4.3: relieving a worker", () => {
  it("starts one in its place, and it works on without counting", async () => {
    const test = openTestPool();
    await test.pool.resize(2);
    const [old = 0, other] = test.pids();
    expect(await test.pool.relieve(old)).toBe(true);
    expect(states(test)).toEqual(["relieved", "serving", "serving"]);
    expect(test.pool.counts()).toEqual({ starting: 0, serving: 2, draining: 1 });
    const [, , successor] = test.pids();
    expect(test.events.of("act.worker.relieved")).toEqual([{ program: "test", pid: old, by_pid: successor }]);
    expect(test.events.of("act.worker.stop_signalled")).toEqual([]);
    expect(await test.pool.relieve(old), "twice").toBe(false);
    expect(await test.pool.recycle(old)).toBe(true);
    await waitFor(() => test.pids().length === 2);
    expect(test.pids()).toEqual([other, successor]);
    expect(test.pool.reap()).toMatchObject([{ pid: old, kind: "stopped" }]);
  });

  it("takes it back when the one in its place is lost, before another is spawned", async () => {
    const test = openTestPool();
    await test.pool.resize(1);
    const [old = 0] = test.pids();
    await test.pool.relieve(old);
    const [, successor = 0] = test.pids();
    process.kill(successor, "SIGKILL");
    await waitFor(() => test.pids().length === 1);
    await test.pool.resize(1);
    expect(test.pids()).toEqual([old]);
    expect(states(test)).toEqual(["serving"]);
    expect(test.events.of("act.worker.recalled")).toEqual([{ program: "test", pid: old }]);
  });

  it("does nothing where no worker can be started", async () => {
    const test = openTestPool();
    await test.pool.resize(1);
    test.pool.change(settings({ command: { file: "no-such-command", args: [] } }));
    expect(await test.pool.relieve(test.pids()[0] ?? 0)).toBe(false);
    expect(states(test)).toEqual(["serving"]);
  });

  it("is not written down: a successor finds a worker that works", async () => {
    const stateDir = join(tempDir(), "state");
    const first = openTestPool({ stateDir });
    await first.pool.resize(1);
    await first.pool.relieve(first.pids()[0] ?? 0);
    first.pool.close();
    const second = openTestPool({ stateDir });
    expect(second.pids()).toEqual(first.pids());
    expect(states(second)).toEqual(["serving", "serving"]);
  });

  it("ends, where the queue knows its workers, as for any that goes: it takes nothing new, and is told to stop when idle", async () => {
    const directory = new FakeDirectory();
    const test = openTestPool({ directory });
    test.pool.spawn();
    const [old] = test.pool.snapshot();
    if (old === undefined) throw new Error("no worker");
    directory.register(old, 1);
    await test.pool.refresh();
    const { pid } = old.identity;
    await test.pool.relieve(pid);
    await test.pool.recycle(pid);
    expect(states(test)).toEqual(["retiring", "starting"]);
    directory.set(pid, { busy: 0 });
    await test.pool.refresh();
    await waitFor(() => test.pids().length === 1);
    expect(test.pool.reap()).toMatchObject([{ pid, kind: "stopped" }]);
  });
});

import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { WorkerPoolOptions, WorkerSettings } from "../../src/act/options.ts";
import { ControlLoop } from "../../src/loop/control-loop.ts";
import { FakeClock, FakePolicy, FakeSource, Records } from "../loop/fakes.ts";
import { openTestPool } from "../support/pool.ts";
import { groupIsGone, isAlive, killAtEnd, pidsIn, readyCount, STUBBORN, sh } from "../support/processes.ts";
import { Recorder } from "../support/recorder.ts";
import { tempDir } from "../support/temp-dir.ts";
import { waitFor } from "../support/wait-for.ts";

type PoolOptions = Partial<WorkerPoolOptions & WorkerSettings>;

/** Two programs with real workers on one loop of a clock that the test moves. */
function setup(a: PoolOptions, b: PoolOptions) {
  const clock = new FakeClock();
  const records = new Records();
  const program = (name: string, options: PoolOptions) => {
    const opened = openTestPool({ program: name, clock, ...options });
    const parts = { program: name, source: new FakeSource(), policy: new FakePolicy(0), pool: opened.pool };
    return { ...parts, events: opened.events, pids: opened.pids };
  };
  const programs = { a: program("a", a), b: program("b", b) };
  const loop = new ControlLoop({
    programs: [programs.a, programs.b],
    clock,
    reporter: new Recorder(),
    pollIntervalMs: 10_000,
    listener: records,
  });
  onTestFinished(() => loop.stop());
  /** Moves on to the next poll as soon as both have decided at this one. */
  const poll = async (): Promise<void> => {
    const seen = [records.of("a").length, records.of("b").length];
    await clock.advance(10_000);
    await waitFor(() => records.of("a").length > (seen[0] ?? 0) && records.of("b").length > (seen[1] ?? 0));
  };
  return { ...programs, clock, records, loop, poll };
}

describe("DESIGN 4.5, 7.7: slow drains beside a second program", () => {
  it("hold up neither its decisions nor its workers, nor those of their own program", async () => {
    const ready = tempDir();
    const { a, b, clock, records, loop, poll } = setup(
      { command: sh(STUBBORN, { READY: ready }), drainTimeoutMs: 300_000 },
      { drainTimeoutMs: 300_000 },
    );
    a.policy.desired = 2;
    b.policy.desired = 1;
    void loop.run();
    await waitFor(() => readyCount(ready) === 2 && b.pool.counts().serving === 1);
    const stubborn = a.pids();

    a.policy.desired = 0;
    await poll();
    await waitFor(() => a.pool.counts().draining === 2);
    for (let polls = 0; polls < 20; polls++) await poll();
    expect(
      records
        .of("b")
        .slice(-10)
        .map(({ observation }) => observation.dtSec),
    ).toEqual(Array(10).fill(10));
    expect(records.of("a").at(-1)?.counts).toEqual({ starting: 0, serving: 0, draining: 2 });

    b.policy.desired = 3;
    await poll();
    await waitFor(() => b.pool.counts().serving === 3);
    expect(stubborn.every(isAlive)).toBe(true);
    await clock.advance(100_000);
    await waitFor(() => a.pool.counts().draining === 0);
    expect(a.events.of("act.worker.drain_timed_out")).toHaveLength(2);
    expect(stubborn.every(groupIsGone)).toBe(true);
  });
});

describe("DESIGN 4.9: the shutdown of two programs", () => {
  it("costs one drain timeout, though four workers ignore the signal", async () => {
    const ready = tempDir();
    const command = sh(STUBBORN, { READY: ready });
    const { a, b, clock, loop } = setup({ command }, { command });
    a.policy.desired = b.policy.desired = 2;
    const running = loop.run();
    await waitFor(() => readyCount(ready) === 4);
    const four = [...a.pids(), ...b.pids()];
    const since = clock.nowMs;
    const ended = Promise.all([loop.stop(), a.pool.shutdown(), b.pool.shutdown()]);
    await clock.advance(29_999);
    expect(four.every(isAlive)).toBe(true);
    await clock.advance(1);
    await Promise.all([ended, running]);
    expect(clock.nowMs - since).toBe(30_000);
    expect(four.every(groupIsGone)).toBe(true);
  });
});

describe("DESIGN 4.5: workers with processes of their own, on one loop", () => {
  it("leave nothing when they are scaled to nothing, be it a shell's command or a leader's children", async () => {
    const [ofShell, ofLeader] = [tempDir(), tempDir()];
    const child = `touch "$READY/$$"; exec sleep 600`;
    const { a, b, loop, poll } = setup(
      { command: { file: `sh -c '${child}'; true`, args: [], shell: true, env: { READY: ofShell } } },
      {
        // Stops its own children when it is told to stop.
        command: sh(`sh -c '${child}' & trap "kill $!; exit 0" TERM; touch "$READY/$$"; wait`, { READY: ofLeader }),
        stopTarget: "leader",
      },
    );
    a.policy.desired = b.policy.desired = 2;
    void loop.run();
    await waitFor(() => readyCount(ofShell) === 2 && readyCount(ofLeader) === 4);
    const leaders = [...a.pids(), ...b.pids()];
    const children = [...pidsIn(ofShell), ...pidsIn(ofLeader)];
    a.policy.desired = b.policy.desired = 0;
    await poll();
    await waitFor(() => leaders.every(groupIsGone) && !children.some(isAlive));
    await waitFor(() => a.pool.counts().draining + b.pool.counts().draining === 0);
    expect([...a.pool.reap(), ...b.pool.reap()].every(({ kind }) => kind === "stopped")).toBe(true);
  });
});

describe("DESIGN 4.8: the successors of two programs", () => {
  it.each(["kept", "lost"])(
    "adopt each their own workers of one and the same command, with lists that were %s",
    async (lists) => {
      const folder = tempDir();
      const ready = tempDir();
      const options = (name: string): PoolOptions => ({
        program: name,
        stateDir: join(folder, name),
        command: sh('touch "$READY/$$"; sleep 600; true', { READY: ready }),
      });
      const first = ["a", "b"].map((name) => openTestPool(options(name)));
      for (const { pool } of first) await pool.resize(2);
      for (const { pool } of first) pool.snapshot().forEach(({ identity }) => killAtEnd(identity));
      const pids = first.map((each) => each.pids());
      await waitFor(() => readyCount(ready) === 4);
      for (const [i, { pool }] of first.entries()) {
        pool.close();
        const list = join(folder, i === 0 ? "a" : "b", "workers.json");
        if (lists === "lost") writeFileSync(list, "{");
      }
      rmSync(ready, { recursive: true });
      // In the other order, so that the first to look finds the workers of the second as well.
      const b = openTestPool(options("b"));
      const a = openTestPool(options("a"));
      expect([a.pids().sort(), b.pids().sort()]).toEqual(pids.map((each) => [...each].sort()));
      expect([...a.events.of("act.worker.stray_ignored"), ...b.events.of("act.worker.stray_ignored")]).toEqual([]);
      await Promise.all([a.pool.shutdown(), b.pool.shutdown()]);
      expect(pids.flat().every(groupIsGone)).toBe(true);
    },
  );
});

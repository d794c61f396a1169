import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ManualClock } from "../support/manual-clock.ts";
import { openTestPool } from "../support/pool.ts";
import { groupIsGone, isAlive, pidsIn, readyCount, STUBBORN, sh } from "../support/processes.ts";
import { tempDir } from "../support/temp-dir.ts";
import { waitFor } from "../support/wait-for.ts";

/** Starts `child` in the background, announces both, and then is `leader`. */
const withChild = (child: string, leader: string): string => `(${child}) & touch "$READY/$$"; ${leader}`;

describe("DESIGN 4.5: draining", () => {
  it("ends an obedient worker with the stop signal alone", async () => {
    const { pool, events } = openTestPool();
    const pid = pool.spawn();
    expect(await pool.terminate(pid)).toBe(true);
    expect(pool.reap()).toMatchObject([{ pid, kind: "stopped", signal: "SIGTERM" }]);
    expect(events.of("act.worker.stop_signalled")).toEqual([{ program: "test", pid, signal: "SIGTERM" }]);
    expect(events.of("act.worker.drain_timed_out")).toEqual([]);
  });

  it("sends the stop signal that was asked for", async () => {
    const ready = tempDir();
    const script = 'trap "exit 7" INT; trap "" TERM; touch "$READY/$$"; while :; do sleep 0.02; done';
    const { pool } = openTestPool({ command: sh(script, { READY: ready }), stopSignal: "SIGINT" });
    const pid = pool.spawn();
    await waitFor(() => readyCount(ready) === 1);
    expect(await pool.terminate(pid)).toBe(true);
    expect(pool.reap()).toMatchObject([{ exitCode: 7, kind: "stopped" }]);
  });

  it("kills a worker that ignores the stop signal, after the drain timeout and not before", async () => {
    const ready = tempDir();
    const clock = new ManualClock();
    const { pool, events } = openTestPool({ command: sh(STUBBORN, { READY: ready }), drainTimeoutMs: 5_000, clock });
    const pid = pool.spawn();
    await waitFor(() => readyCount(ready) === 1);
    const clean = pool.terminate(pid);
    expect(pool.counts()).toEqual({ starting: 0, serving: 0, draining: 1 });
    clock.advance(4_999);
    expect(isAlive(pid)).toBe(true);
    expect(events.of("act.worker.drain_timed_out")).toEqual([]);
    clock.advance(1);
    expect(await clean).toBe(false);
    expect(events.of("act.worker.drain_timed_out")).toEqual([{ program: "test", pid, waited_ms: 5_000 }]);
    expect(pool.reap()).toMatchObject([{ pid, kind: "killed", signal: "SIGKILL" }]);
  });

  it("knows no drain of a pid that is not in the pool", async () => {
    const { pool } = openTestPool();
    expect(await pool.terminate(process.pid)).toBe(false);
    expect(await pool.terminate(1)).toBe(false);
  });

  it("signals once however often it is asked", async () => {
    const folder = tempDir();
    const clock = new ManualClock();
    const script = 'trap "echo term >> $READY/log" TERM; touch "$READY/$$"; while :; do sleep 0.02; done';
    const { pool } = openTestPool({ command: sh(script, { READY: folder }), clock, stopTarget: "leader" });
    const pid = pool.spawn();
    await waitFor(() => readyCount(folder) === 1);
    const answers = Promise.all([pool.terminate(pid), pool.terminate(pid), pool.shutdown().then(() => false)]);
    await waitFor(() => readyCount(folder) === 2);
    clock.advance(30_000);
    expect(await answers).toEqual([false, false, false]);
    expect(readFileSync(join(folder, "log"), "utf8")).toBe("term\n");
  });

  it("drains all at once at shutdown, so five that ignore the signal cost one timeout", async () => {
    const ready = tempDir();
    const clock = new ManualClock();
    const { pool, events, pids } = openTestPool({ command: sh(STUBBORN, { READY: ready }), clock });
    await pool.resize(5);
    const five = pids();
    await waitFor(() => readyCount(ready) === 5);
    const ended = pool.shutdown();
    clock.advance(30_000);
    await ended;
    const order = events.all.map(({ name }) => name);
    expect(events.of("act.worker.stop_signalled")).toHaveLength(5);
    expect(events.of("act.worker.drain_timed_out")).toHaveLength(5);
    expect(order.lastIndexOf("act.worker.stop_signalled")).toBeLessThan(order.indexOf("act.worker.drain_timed_out"));
    expect(events.of("act.pool.shutdown_finished")).toEqual([{ program: "test", took_ms: 30_000 }]);
    expect(five.every(groupIsGone)).toBe(true);
  });

  it("kills everything at once when it is told to, also in the middle of a shutdown", async () => {
    const ready = tempDir();
    const { pool, pids } = openTestPool({ command: sh(STUBBORN, { READY: ready }), drainTimeoutMs: 600_000 });
    await pool.resize(3);
    const three = pids();
    await waitFor(() => readyCount(ready) === 3);
    const ended = pool.shutdown();
    pool.killAll();
    await ended;
    expect(pool.reap().map(({ kind }) => kind)).toEqual(["killed", "killed", "killed"]);
    expect(three.every(groupIsGone)).toBe(true);
  });

  it("does not count a worker as late that ended in time while the event loop was blocked", async () => {
    const ready = tempDir();
    const { pool, events } = openTestPool({
      command: sh('trap "exit 0" TERM; touch "$READY/$$"; while :; do sleep 0.02; done', { READY: ready }),
      drainTimeoutMs: 200,
    });
    const pid = pool.spawn();
    await waitFor(() => readyCount(ready) === 1);
    const clean = pool.terminate(pid);
    const nap = new Int32Array(new SharedArrayBuffer(4));
    for (let naps = 0; isAlive(pid) && naps < 1_000; naps++) Atomics.wait(nap, 0, 0, 10);
    Atomics.wait(nap, 0, 0, 250);
    expect(await clean).toBe(true);
    expect(events.of("act.worker.drain_timed_out")).toEqual([]);
  });
});

describe("DESIGN 4.5: nothing of a worker's group is left", () => {
  it("when a worker that forked a stubborn child has ended by itself", async () => {
    const ready = tempDir();
    const { pool, events } = openTestPool({ command: sh(withChild(STUBBORN, "exit 3"), { READY: ready }) });
    const pid = pool.spawn();
    await waitFor(() => pool.reap().length === 1);
    // The child, and the `touch` by which it announces itself if that still runs.
    expect(events.of("act.worker.leftovers_killed")).toMatchObject([{ pid }]);
    await waitFor(() => groupIsGone(pid));
  });

  it("when a shell was the leader: its command has the drain time that the shell did not use", async () => {
    const folder = tempDir();
    const worker = join(folder, "worker.sh");
    // Finishes its job when it is told to stop; the shell above it dies of the same signal at once.
    writeFileSync(
      worker,
      'trap "touch $READY/asked" TERM; touch "$READY/$$"; while [ ! -e "$READY/finish" ]; do sleep 0.02; done; touch "$READY/finished"\n',
    );
    const { pool, events } = openTestPool({
      command: { file: `sh ${worker}; true`, args: [], shell: true, env: { READY: folder } },
    });
    const pid = pool.spawn();
    await waitFor(() => readyCount(folder) === 2);
    const [job] = pidsIn(folder);
    const clean = pool.terminate(pid);
    await waitFor(() => !isAlive(pid) && readyCount(folder) === 3);
    expect(isAlive(job ?? 0)).toBe(true);
    expect(pool.counts().draining).toBe(1);
    writeFileSync(join(folder, "finish"), "");
    expect(await clean).toBe(true);
    expect(readyCount(folder)).toBe(5);
    expect(groupIsGone(pid)).toBe(true);
    expect(events.names("act.worker.")).toEqual([
      "act.worker.spawned",
      "act.worker.stop_signalled",
      "act.worker.exited",
    ]);
  });

  it("when a shell was the leader and its command ignores the signal: it is killed after the timeout", async () => {
    const ready = tempDir();
    const { pool, events } = openTestPool({
      command: { file: `(${STUBBORN}); true`, args: [], shell: true, env: { READY: ready } },
      drainTimeoutMs: 300,
    });
    const pid = pool.spawn();
    await waitFor(() => readyCount(ready) === 1);
    expect(await pool.terminate(pid)).toBe(false);
    expect(groupIsGone(pid)).toBe(true);
    expect(events.of("act.worker.drain_timed_out")).toHaveLength(1);
    expect(pool.reap()).toMatchObject([{ pid, kind: "killed", signal: "SIGTERM" }]);
  });

  it("when the leader alone is signalled: what it did not stop itself is killed when it ends", async () => {
    const ready = tempDir();
    const { pool, events } = openTestPool({
      command: sh(
        withChild("exec sleep 600", 'trap "exit 0" TERM; touch "$READY/ready"; while :; do sleep 0.02; done'),
        {
          READY: ready,
        },
      ),
      stopTarget: "leader",
    });
    const pid = pool.spawn();
    await waitFor(() => readyCount(ready) === 2);
    expect(await pool.terminate(pid)).toBe(true);
    expect(events.of("act.worker.leftovers_killed")).toMatchObject([{ pid }]);
    await waitFor(() => groupIsGone(pid));
  });
});

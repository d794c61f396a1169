import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ManualClock } from "../support/manual-clock.ts";
import { openTestPool, type TestPool } from "../support/pool.ts";
import { sh } from "../support/processes.ts";
import { tempDir } from "../support/temp-dir.ts";
import { waitFor } from "../support/wait-for.ts";

const spawnCount = ({ events }: TestPool): number => events.of("act.worker.spawned").length;
const allExited = (test: TestPool): Promise<boolean> => waitFor(() => test.pool.snapshot().length === 0);

/** As the loop does: at every wake the pool is asked for `size` again. */
const keepAt = ({ pool }: TestPool, size: number): (() => Promise<void>) => {
  pool.onWake(() => void pool.resize(size));
  return () => pool.resize(size);
};

describe("DESIGN 4.6: crash back-off", () => {
  it("tries a command that exits at once about twenty times in ten minutes, not thousands", async () => {
    const clock = new ManualClock();
    const test = openTestPool({ command: sh("exit 1"), clock });
    await keepAt(test, 1)();
    for (let sec = 0; sec < 600; sec++) {
      await allExited(test);
      clock.advance(1_000);
      await test.pool.resize(1);
    }
    await allExited(test);
    // Three at once, pauses of 1 to 32 s, then one a minute.
    expect(spawnCount(test)).toBeGreaterThanOrEqual(15);
    expect(spawnCount(test)).toBeLessThanOrEqual(20);
    expect(test.events.of("act.spawning.backed_off").slice(0, 3)).toEqual([
      { program: "test", consecutive_crashes: 3, delay_sec: 1 },
      { program: "test", consecutive_crashes: 4, delay_sec: 2 },
      { program: "test", consecutive_crashes: 5, delay_sec: 4 },
    ]);
    expect(test.pool.reap().every(({ kind, exitCode }) => kind === "crashed" && exitCode === 1)).toBe(true);
  });

  it("spawns nothing while it pauses, says so once, and wakes the loop when the pause is over", async () => {
    const clock = new ManualClock();
    const test = openTestPool({ command: sh("exit 1"), clock });
    for (let crash = 0; crash < 3; crash++) {
      await test.pool.resize(1);
      await allExited(test);
    }
    let woken = 0;
    test.pool.onWake(() => woken++);
    await test.pool.resize(1);
    await test.pool.resize(4);
    expect(test.pool.spawnBackoffSec()).toBe(1);
    clock.advance(999);
    await test.pool.resize(1);
    expect(spawnCount(test)).toBe(3);
    expect(woken).toBe(0);
    clock.advance(1);
    expect(woken).toBe(1);
    expect(test.pool.spawnBackoffSec()).toBe(0);
    expect(test.events.names("act.spawning.")).toEqual(["act.spawning.backed_off", "act.spawning.resumed"]);
    await test.pool.resize(1);
    expect(spawnCount(test)).toBe(4);
  });

  it("counts from the start again after a worker that reached the minimum uptime", async () => {
    const clock = new ManualClock();
    const folder = tempDir();
    const crash = 'until [ -e "$FOLDER/crash" ]; do sleep 0.02; done; exit 1';
    const test = openTestPool({ command: sh(crash, { FOLDER: folder }), clock, minUptimeMs: 2_000 });
    await test.pool.resize(1);
    clock.advance(2_000);
    writeFileSync(join(folder, "crash"), "");
    await allExited(test);
    expect(test.pool.reap()).toMatchObject([{ kind: "exited", exitCode: 1 }]);
    for (let crashes = 0; crashes < 2; crashes++) {
      await test.pool.resize(1);
      await allExited(test);
    }
    expect(test.events.of("act.spawning.backed_off")).toEqual([]);
    await test.pool.resize(1);
    await allExited(test);
    expect(test.events.of("act.spawning.backed_off")).toHaveLength(1);
  });

  it("does not take an exit with an expected code for a crash", async () => {
    const test = openTestPool({ command: sh("exit 4"), exitCodes: [0, 4] });
    for (let exits = 0; exits < 5; exits++) {
      await test.pool.resize(1);
      await allExited(test);
    }
    expect(test.pool.reap().map(({ kind }) => kind)).toEqual(Array(5).fill("exited"));
    expect(test.events.of("act.spawning.backed_off")).toEqual([]);
  });

  it("counts a command that cannot be started as a crash and starts it once it can be", async () => {
    const clock = new ManualClock();
    const folder = tempDir();
    const file = join(folder, "worker");
    const test = openTestPool({ command: { file, args: [] }, clock });
    await keepAt(test, 5)();
    await waitFor(() => test.events.of("act.spawning.backed_off").length === 1);
    await test.pool.resize(5);
    expect(test.events.of("act.worker.spawn_failed")).toHaveLength(3);

    writeFileSync(file, "#!/bin/sh\nexec sleep 600\n", { mode: 0o755 });
    expect(existsSync(file)).toBe(true);
    clock.advance(1_000);
    await waitFor(() => test.pool.counts().serving === 5);
    expect(test.events.of("act.worker.spawn_failed")).toHaveLength(3);
  });

  it("of one pool does not hold up another", async () => {
    const broken = openTestPool({ command: sh("exit 1") });
    const sound = openTestPool();
    for (let crash = 0; crash < 3; crash++) {
      await broken.pool.resize(1);
      await allExited(broken);
    }
    await Promise.all([broken.pool.resize(2), sound.pool.resize(2)]);
    expect(broken.pool.counts().serving).toBe(0);
    expect(sound.pool.counts().serving).toBe(2);
  });
});

/** Workers that misbehave, as real processes. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readProcStat } from "../../src/act/platform/identity.ts";
import { groupExists } from "../../src/act/platform/signals.ts";
import { newMark } from "../support/marked.ts";
import { openTestPool } from "../support/pool.ts";
import { isAlive, pidsIn, readyCount, sh } from "../support/processes.ts";
import { tempDir } from "../support/temp-dir.ts";
import { waitFor } from "../support/wait-for.ts";

describe("DESIGN 4.5: a worker that somebody has held", () => {
  it("finishes what it has when it is told to stop, and is not killed for what it did not hear", async () => {
    const folder = tempDir();
    const script = `trap 'echo finished > ${folder}/out; exit 0' TERM; touch ${folder}/$$; while :; do sleep 0.02; done`;
    const { pool } = openTestPool({ command: sh(script) });
    const pid = pool.spawn();
    await waitFor(() => readyCount(folder) === 1);
    process.kill(-pid, "SIGSTOP");
    // D: a shell that waits for a held child to begin with its command.
    await waitFor(() => /[TD]/.test(readProcStat(pid)?.state ?? ""));
    expect(pool.counts().serving).toBe(1);
    expect(await pool.terminate(pid)).toBe(true);
    expect(readFileSync(join(folder, "out"), "utf8")).toBe("finished\n");
  });
});

describe("DESIGN 4.5: a worker that forks without end", () => {
  /** A child takes the place of the one that made it, so that no list of processes is ever true; and a crowd of those that stay. */
  const bomb = (folder: string): string => `
    trap "" TERM
    comet() { comet & }
    crowd() { if [ "$1" -gt 0 ]; then crowd $(($1 - 1)) & crowd $(($1 - 1)) & fi; exec sleep 600; }
    crowd 6 &
    comet &
    touch ${folder}/$$`;
  const isWhole = (living: () => number[]): boolean => living().length > 64;

  it("ends with all of them when it is killed after its drain timeout", async () => {
    const [folder, { env, living }] = [tempDir(), newMark()];
    const { pool } = openTestPool({ command: sh(`${bomb(folder)}; exec sleep 600`, env), drainTimeoutMs: 100 });
    const pid = pool.spawn();
    await waitFor(() => readyCount(folder) === 1 && isWhole(living), { what: "the crowd" });
    expect(await pool.terminate(pid)).toBe(false);
    await waitFor(() => !groupExists(pid), { what: "the end of the group" });
    expect(living()).toEqual([]);
  });

  it("ends with all of them when it has ended by itself", async () => {
    const [folder, { env, living }] = [tempDir(), newMark()];
    const script = `${bomb(folder)}; until [ -e ${folder}/go ]; do sleep 0.02; done`;
    const { pool, events } = openTestPool({ command: sh(script, env) });
    const pid = pool.spawn();
    await waitFor(() => pidsIn(folder).length === 1 && isWhole(living), { what: "the crowd" });
    process.kill(pid, "SIGKILL");
    await waitFor(() => events.of("act.worker.exited").length === 1);
    await waitFor(() => !groupExists(pid), { what: "the end of the group" });
    expect(living()).toEqual([]);
  });

  it("ends though nobody of it was ever seen", async () => {
    const { env } = newMark();
    const { pool, events } = openTestPool({ command: sh("comet() { comet & }; comet", env) });
    const pid = pool.spawn();
    await waitFor(() => events.of("act.worker.exited").length === 1);
    await waitFor(() => !groupExists(pid), { what: "the end of the group" });
  });
});

describe("DESIGN 4.6, 4.8, 4.15: a worker that puts itself into the background", () => {
  it("has crashed as often as it did so, is tried less and less often, and what it left is named at once and not touched", async () => {
    const [{ env, living }, stateDir] = [newMark(), join(tempDir(), "state")];
    // It leaves when the other is in a session of its own, as a daemon does.
    const script = `before=$(ls "$READY"); setsid sh -c 'touch "$READY/$$"; exec sleep 600' &
      while [ "$before" = "$(ls "$READY")" ]; do sleep 0.02; done`;
    const command = sh(script, { ...env, READY: tempDir() });
    const { pool, events } = openTestPool({ stateDir, command });
    for (let crashes = 0; crashes < 3; crashes += 1) {
      await pool.resize(1);
      await waitFor(() => events.of("act.worker.exited").length === crashes + 1);
    }
    expect(events.of("act.worker.exited").map(({ kind }) => kind)).toEqual(["crashed", "crashed", "crashed"]);
    await pool.resize(1);
    expect(events.of("act.spawning.backed_off")).toHaveLength(1);
    expect(events.of("act.worker.spawned")).toHaveLength(3);
    expect(living()).toHaveLength(3);
    const named = events.of("act.worker.stray_ignored");
    expect(named.map(({ pid }) => pid).toSorted()).toEqual(living().toSorted());
    expect(named[0]?.why).toMatch(/^worker \d+ has ended and left it in another process group/);
    pool.close();

    const next = openTestPool({ stateDir, command });
    expect(
      next.events
        .of("act.worker.stray_ignored")
        .map(({ pid }) => pid)
        .toSorted(),
    ).toEqual(living().toSorted());
    expect(next.pids()).toEqual([]);
    await next.pool.shutdown();
    expect(living()).toHaveLength(3);
  });
});

describe("DESIGN 4.1: the output of a worker", () => {
  it("may go to a full disk: the worker runs on, and so does the pool", async () => {
    const folder = tempDir();
    const script = `echo lost; touch ${folder}/$$; exec sleep 600`;
    const { pool } = openTestPool({
      worker: () => ({ command: sh(script), output: { stdout: { file: "/dev/full" }, stderr: { file: "/dev/full" } } }),
    });
    const pid = pool.spawn();
    await waitFor(() => existsSync(join(folder, String(pid))));
    expect(isAlive(pid)).toBe(true);
    expect(await pool.terminate(pid)).toBe(true);
  });
});

describe("DESIGN 4.9: two hundred workers at shutdown", () => {
  it("are all told at once, and cost one drain timeout, though half of them ignore the signal", async () => {
    const [ready, { env, living }] = [tempDir(), newMark()];
    const script = `if [ $((EFFIQUEUE_PROCESS_NUM % 2)) = 0 ]; then trap "" TERM; fi; touch ${ready}/$$; exec sleep 600`;
    const { pool, events, pids } = openTestPool({ command: sh(script, env), drainTimeoutMs: 2_000 });
    await pool.resize(200);
    expect(new Set(pids()).size).toBe(200);
    await waitFor(() => readyCount(ready) === 200, { timeoutMs: 50_000, what: "200 workers" });
    await pool.shutdown();
    expect(events.of("act.worker.stop_signalled")).toHaveLength(200);
    expect(events.of("act.worker.drain_timed_out")).toHaveLength(100);
    const ends = pool.reap().map(({ kind }) => kind);
    expect([ends.length, ends.filter((kind) => kind === "killed").length]).toEqual([200, 100]);
    expect(living()).toEqual([]);
  });
});

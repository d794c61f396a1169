import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { tempDir } from "../../../effiqueue/test/support/temp-dir.ts";
import { Queue } from "../../src/queue.ts";
import { type FlexiqProcess, spawnWorker } from "../support/flexiq-process.ts";

const JOBS = 20_000;
const WORKERS = 4;
const SLOTS = 8;
const JOB_MS = 3;
const KILL_EVERY_MS = 1_000;
/** A quiet machine is done before; a loaded one, where workers take seconds to start, must not be stormed for ever. */
const MAX_KILLS = 25;
/** A second on a quiet machine. The bound tells it from the lease of 30 s, on any machine. */
const RESTART_BOUND_MS = 5_000;

interface Run {
  readonly job: number;
  readonly pid: number;
  readonly startMs: number;
  endMs: number | undefined;
}

/** What the jobs themselves wrote down; a line that a kill cut off is no record. */
function readRuns(folder: string): Run[] {
  const runs: Run[] = [];
  for (const file of readdirSync(folder)) {
    const open = new Map<number, Run>();
    for (const line of readFileSync(join(folder, file), "utf8").split("\n").slice(0, -1)) {
      const [what, job = 0, ms = 0] = line.split(" ").map((part, i) => (i === 0 ? part : Number(part))) as [
        string,
        number?,
        number?,
      ];
      if (what === "start") {
        const run: Run = { job, pid: Number(file), startMs: ms, endMs: undefined };
        open.set(job, run);
        runs.push(run);
      } else {
        const run = open.get(job);
        if (run !== undefined) run.endMs = ms;
      }
    }
  }
  return runs.sort((a, b) => a.startMs - b.startMs);
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

describe("DESIGN 9.6: workers that are killed at random", () => {
  it("completes every job, records none twice, and runs again only what a killed worker ran", {
    timeout: 300_000,
  }, async () => {
    const folder = tempDir();
    const traces = join(folder, "traces");
    mkdirSync(traces);
    const queue = new Queue({ dbPath: join(folder, "q.db") });
    // More deaths than one job can meet: none may end in the dead letters here.
    await queue.enqueueMany(
      Array.from({ length: JOBS }, () => ({ task: "trace", args: [traces, JOB_MS], options: { maxRetries: 50 } })),
    );

    const start = (): FlexiqProcess => spawnWorker({ cwd: folder, args: ["--slots", String(SLOTS)] });
    const workers = Array.from({ length: WORKERS }, start);
    const killedAt = new Map<number, number>();
    while ((await queue.stats()).completed < JOBS) {
      // The rhythm of the storm; nothing is waited for.
      await sleep(KILL_EVERY_MS);
      const serving = workers.filter((worker) => worker.stderr.includes(" serves "));
      const victim = serving[Math.floor(Math.random() * serving.length)];
      if (victim === undefined || killedAt.size === MAX_KILLS) continue;
      victim.kill("SIGKILL");
      killedAt.set(victim.pid, Date.now());
      workers[workers.indexOf(victim)] = start();
    }
    await Promise.all(workers.map((worker) => worker.logged(" serves ")));
    for (const worker of workers) worker.kill("SIGTERM");
    for (const worker of workers) expect(await worker.ended).toMatchObject({ code: 0 });

    // The store: all completed, nothing stuck, nothing lost.
    expect(await queue.stats()).toMatchObject({ completed: JOBS, pending: 0, running: 0, failed: 0, dead: 0 });
    // The last to be killed may have left its entry, for the others ended before they looked for dead ones.
    expect((await queue.store.workers()).filter(({ identity }) => !killedAt.has(identity.pid))).toEqual([]);
    expect(killedAt.size).toBeGreaterThan(0);

    // The jobs' own records.
    const runs = readRuns(traces);
    const byJob = groupByJob(runs);
    expect(byJob.size).toBe(JOBS);
    const restartMs: number[] = [];
    for (const [job, ofJob] of byJob) {
      const last = ofJob.at(-1);
      expect(last?.endMs, `job ${job} ended`).toBeDefined();
      for (const [i, run] of ofJob.slice(0, -1).entries()) {
        // Every run but the last was cut off by a kill, or its outcome was.
        const diedAt = killedAt.get(run.pid);
        expect(diedAt, `job ${job} ran again though worker ${run.pid} was not killed`).toBeDefined();
        restartMs.push((ofJob[i + 1]?.startMs ?? 0) - (diedAt ?? 0));
      }
    }
    // What ran in a killed worker, and had not ended, has another run.
    for (const run of runs)
      if (killedAt.has(run.pid) && run.endMs === undefined) expect(byJob.get(run.job)?.length).toBeGreaterThan(1);
    for (const worker of killedAt.keys())
      expect(runs.filter((run) => run.pid === worker && run.endMs === undefined).length).toBeLessThanOrEqual(SLOTS);
    expect(median(restartMs)).toBeLessThan(RESTART_BOUND_MS);
    console.log(
      `killed ${killedAt.size} workers; ${restartMs.length} jobs ran again, ` +
        `${median(restartMs)} ms (median) and ${Math.max(...restartMs)} ms (worst) after the kill`,
    );
    queue.close();
  });
});

function groupByJob(runs: readonly Run[]): Map<number, Run[]> {
  const groups = new Map<number, Run[]>();
  for (const run of runs) {
    const group = groups.get(run.job);
    if (group === undefined) groups.set(run.job, [run]);
    else group.push(run);
  }
  return groups;
}

/** The autoscaler as its users run it: `flexiq autoscale`, real workers, a real file. */
import { readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { describe, expect, it, onTestFinished } from "vitest";
import { waitFor } from "../../../effiqueue/test/support/wait-for.ts";
import { FIELDS } from "../../src/autoscale/fields.ts";
import { register } from "../../src/cli/autoscale.ts";
import { exitCodeOf } from "../../src/cli/errors.ts";
import {
  autoscale,
  CLI,
  isAlive,
  killIfAlive,
  PATIENCE_MS,
  place,
  run,
  untilRunning,
  untilWorkers,
  workerPids,
} from "./support.ts";

const SHORT_LEASE = `
export const quick = new Queue({ workers: 1, leaseMs: 1_000 });
quick.task("hold", async (gate) => {
  while (!existsSync(gate)) await sleep(5);
  return process.pid;
});
`;

/** Slow to decide: what happens quickly happens because something woke the loop. */
const ONLY_WAKES = ["--poll-interval", "600"];

describe("DESIGN 11: an autoscaler with real workers", () => {
  it("follows a burst from 0 to 6 and back to 0 when idle, and aborts no job", async () => {
    const where = place();
    const scaler = autoscale(
      where,
      ...["--min-workers", "0", "--max-workers", "6", "--target-queue-depth", "2", "--scale-down-window", "0.3"],
    );
    await waitFor(() => scaler.of("loop.tick.decided").length > 2, { what: "decisions", timeoutMs: PATIENCE_MS });
    expect(await workerPids(where)).toEqual([]);

    const ids = await where.hold(24);
    await untilWorkers(where, 6);
    await untilRunning(where, 6);
    where.open();
    await untilWorkers(where, 0);
    await waitFor(() => scaler.of("act.worker.exited").length === 6, { what: "six exits", timeoutMs: PATIENCE_MS });

    const jobs = await where.queue.jobs();
    expect(jobs.map(({ id, state, attempts }) => ({ id, state, attempts }))).toEqual(
      ids.map((id) => ({ id, state: "completed", attempts: 1 })),
    );
    expect(scaler.of("act.worker.exited").map(({ kind }) => kind)).toEqual(Array(6).fill("stopped"));
    expect(scaler.of("act.worker.spawned")).toHaveLength(6);

    for (const { level, msg } of scaler.of("loop.tick.decided")) {
      expect(level).toBe("info");
      expect(msg).toMatch(/^pending=\d+ running=\d+ workers=\d+ -> \d+ \((scale-up|scale-down|hold): .+\)$/);
    }
    scaler.child.kill("SIGTERM");
    expect(await scaler.ended).toBe(0);
    expect(scaler.text()).toBe("");
  });

  it("takes an idle worker and not the oldest, which is busy (CASES B16)", async () => {
    const where = place();
    // Three workers for three jobs at first; then one long job on the oldest asks for two at a target of 0.5.
    const scaler = autoscale(
      where,
      ...["--min-workers", "2", "--max-workers", "3", "--target-queue-depth", "1", "--target-utilisation", "0.5"],
      ...["--scale-down-window", "0.3", "--tolerance", "0", "--drain-timeout", "1"],
    );
    await untilWorkers(where, 2);
    const [long] = await where.hold(1, "long");
    await untilRunning(where, 1);
    const [worker] = (await where.queue.store.workers()).filter(({ busy }) => busy > 0);
    await where.hold(2, "short");
    await untilWorkers(where, 3);
    await untilRunning(where, 3);
    where.open("short");
    const left = await untilWorkers(where, 2);
    await waitFor(() => scaler.of("act.worker.exited").length === 1, { what: "one exit", timeoutMs: PATIENCE_MS });
    expect(left).toContain(worker?.identity.pid);
    expect(scaler.of("act.worker.exited")[0]).toMatchObject({ kind: "stopped", exit_code: 0 });

    where.open("long");
    expect(await where.queue.result(long ?? 0, { timeoutMs: PATIENCE_MS })).toBe(worker?.identity.pid);
    expect((await where.queue.job(long ?? 0))?.attempts).toBe(1);
    scaler.child.kill("SIGTERM");
    expect(await scaler.ended).toBe(0);
  });

  it("is succeeded, after kill -9, by one that runs the same five workers on, and no job notices", async () => {
    const where = place();
    const flags = ["--min-workers", "5", "--max-workers", "5"];
    const first = autoscale(where, ...flags);
    const ids = await where.hold(5);
    const pids = await untilWorkers(where, 5);
    await untilRunning(where, 5);
    const before = await where.queue.jobs({ state: "running" });
    first.child.kill("SIGKILL");
    expect(await first.ended).toBe("SIGKILL");

    const second = autoscale(where, ...flags);
    await waitFor(() => second.of("loop.tick.decided").length >= 3, {
      what: "decisions of the successor",
      timeoutMs: PATIENCE_MS,
    });
    expect(
      second
        .of("act.worker.adopted")
        .map(({ pid }) => pid)
        .sort(),
    ).toEqual([...pids].sort());
    expect(second.of("act.worker.spawned")).toEqual([]);
    expect(await workerPids(where)).toEqual(pids);
    expect(await where.queue.jobs({ state: "running" })).toEqual(before);

    where.open();
    const ran = await Promise.all(ids.map((id) => where.queue.result(id, { timeoutMs: PATIENCE_MS })));
    expect(ran.map(Number).sort((a, b) => a - b)).toEqual(pids);
    expect((await where.queue.jobs()).map(({ attempts }) => attempts)).toEqual([1, 1, 1, 1, 1]);
    second.child.kill("SIGINT");
    expect(await second.ended).toBe(0);
    expect(pids.filter(isAlive)).toEqual([]);
  });

  it("replaces a killed worker when it dies, not at the next poll, and its job runs again", async () => {
    const where = place();
    const scaler = autoscale(where, "--min-workers", "2", ...ONLY_WAKES);
    const pids = await untilWorkers(where, 2);
    const [id] = await where.hold(1);
    await untilRunning(where, 1);
    const victim = (await where.queue.store.workers()).find(({ busy }) => busy > 0)?.identity.pid ?? 0;
    process.kill(victim, "SIGKILL");
    const after = await waitFor(
      async () => {
        const now = await workerPids(where);
        return now.length === 2 && !now.includes(victim) && now;
      },
      { what: "a replacement", timeoutMs: PATIENCE_MS },
    );
    expect(after.filter((pid) => pids.includes(pid))).toHaveLength(1);
    expect(scaler.of("act.worker.exited")).toMatchObject([{ pid: victim, signal: "SIGKILL" }]);
    where.open();
    await where.queue.result(id ?? 0, { timeoutMs: PATIENCE_MS });
    expect((await where.queue.job(id ?? 0))?.attempts).toBe(2);
    scaler.child.kill("SIGTERM");
    expect(await scaler.ended).toBe(0);
  });

  it("names workers that all are held, with the remedy; their jobs wait, and end when they may go on", async () => {
    const where = place(SHORT_LEASE);
    const flags = ["--app", `${where.app}:quick`, "--min-workers", "2", "--max-workers", "2"];
    const scaler = autoscale(where, ...flags);
    const pids = await untilWorkers(where, 2);
    onTestFinished(() => pids.forEach(killIfAlive));
    const ids = await where.hold(2);
    await untilRunning(where, 2);
    for (const pid of pids) process.kill(pid, "SIGSTOP");
    const silent = () => scaler.of("observe.worker.silent");
    await waitFor(() => silent().length === 2, { what: "both named", timeoutMs: PATIENCE_MS });
    expect(
      silent()
        .map(({ pid }) => pid)
        .sort(),
    ).toEqual([...pids].sort());
    for (const { pid, level, jobs, msg } of silent()) {
      expect({ level, jobs }).toEqual({ level: "warn", jobs: 1 });
      expect(msg).toContain(`kill -CONT ${String(pid)}`);
    }
    expect(await where.queue.stats()).toMatchObject({ pending: 2, running: 0 });

    for (const pid of pids) process.kill(pid, "SIGCONT");
    where.open();
    for (const id of ids) expect(pids).toContain(await where.queue.result(id, { timeoutMs: PATIENCE_MS }));
    expect([...(await untilWorkers(where, 2))].sort()).toEqual([...pids].sort());
    scaler.child.kill("SIGTERM");
    expect(await scaler.ended).toBe(0);
  });

  it("says once that workers have other slots than it was told, and counts with theirs", async () => {
    const where = place();
    const scaler = autoscale(where, "--threads-per-worker", "4", "--max-workers", "3", "--scale-down-window", "0");
    await untilWorkers(where, 1);
    await waitFor(() => scaler.of("observe.slots.mismatched").length > 0, {
      what: "the mismatch",
      timeoutMs: PATIENCE_MS,
    });
    await where.hold(2);
    // Two jobs on one slot each at 0.75 need three workers; on four slots one would do.
    await untilWorkers(where, 3);
    expect(scaler.of("observe.slots.mismatched")).toMatchObject([
      { configured_slots: 4, measured_slots: 1, level: "warn" },
    ]);
    where.open();
    scaler.child.kill("SIGTERM");
    expect(await scaler.ended).toBe(0);
  });
});

describe("DESIGN 11.1: the workers' folder", () => {
  it("is the one in which the command was typed, although the app has gone elsewhere", async () => {
    const where = place(`process.chdir("/");`);
    const scaler = run(where, [CLI, "autoscale", "--app", "./tasks.mjs", "--poll-interval", "0.1"]);
    await untilWorkers(where, 1);
    scaler.child.kill("SIGTERM");
    expect(await scaler.ended).toBe(0);
    expect(scaler.text()).toBe("");
  });
});

describe("DESIGN 4.7: one autoscaler a pool", () => {
  it("refuses the second with exit 69 and names the first, whatever path it has come by", async () => {
    const where = place();
    const first = autoscale(where);
    await untilWorkers(where, 1);
    const link = join(where.dir, "link.db");
    symlinkSync(where.dbPath, link);
    const second = autoscale({ ...where, env: { ...where.env, FLEXIQ_DB_PATH: link } });
    expect(await second.ended).toBe(69);
    expect(second.text()).toContain(`process ${first.pid}`);
    expect(second.text().split("\n")).toHaveLength(1);
    expect(second.of("act.worker.spawned")).toEqual([]);
    first.child.kill("SIGTERM");
    expect(await first.ended).toBe(0);
    const third = autoscale(where);
    await untilWorkers(where, 1);
    third.child.kill("SIGTERM");
    expect(await third.ended).toBe(0);
  });
});

describe("DESIGN 4.6: workers that cannot live", () => {
  it("pauses longer and longer after workers that exit at once, and spins nowhere", async () => {
    const where = place(`if (process.argv.includes("worker")) process.exit(3);`);
    const scaler = autoscale(where, "--min-workers", "1", ...ONLY_WAKES);
    await waitFor(() => scaler.of("act.spawning.backed_off").length >= 2, {
      what: "two pauses",
      timeoutMs: PATIENCE_MS,
    });
    const spawned = scaler.of("act.worker.spawned").length;
    expect(spawned).toBeLessThanOrEqual(4);
    expect(scaler.of("act.worker.exited").every(({ exit_code }) => exit_code === 3)).toBe(true);
    expect(scaler.of("act.worker.exited").every(({ level }) => level === "warn")).toBe(true);
    expect(scaler.of("act.spawning.backed_off").map(({ delay_sec }) => delay_sec)).toEqual([1, 2]);
    // A tick for each exit and each end of a pause, not more.
    expect(scaler.of("loop.tick.decided").length).toBeLessThanOrEqual(2 * spawned + 4);
    scaler.child.kill("SIGTERM");
    expect(await scaler.ended).toBe(0);
  });
});

describe("DESIGN 11.4: the end", () => {
  it("waits for running jobs, then kills, and gives the jobs back at once", async () => {
    const where = place();
    const scaler = autoscale(where, "--min-workers", "2", "--drain-timeout", "0.5");
    await where.hold(2);
    await untilRunning(where, 2);
    const pids = await workerPids(where);
    scaler.child.kill("SIGTERM");
    expect(await scaler.ended).toBe(0);
    expect(pids.filter(isAlive)).toEqual([]);
    expect(scaler.of("act.worker.drain_timed_out")).toHaveLength(2);
    expect(await where.queue.stats()).toMatchObject({ pending: 2, running: 0 });
  });

  it("kills at once when it is told twice", async () => {
    const where = place();
    const scaler = autoscale(where, "--min-workers", "1", "--drain-timeout", "3600");
    await where.hold(1);
    await untilRunning(where, 1);
    const pids = await workerPids(where);
    scaler.child.kill("SIGTERM");
    await waitFor(() => scaler.of("act.pool.shutdown_started").length > 0, {
      what: "the drain",
      timeoutMs: PATIENCE_MS,
    });
    expect(pids.filter(isAlive)).toEqual(pids);
    // Within a quarter of a second of the first it would be the same request.
    await waitFor(() => !scaler.child.kill("SIGINT"), {
      what: "the end",
      timeoutMs: PATIENCE_MS,
    });
    expect(await scaler.ended).toBe(0);
    expect(pids.filter(isAlive)).toEqual([]);
  });
});

describe("DESIGN 12.1: what the command line refuses", () => {
  it.each([
    { flag: ["--min-workers", "-1"], says: "--min-workers: expected a whole number >= 0, got -1" },
    { flag: ["--min-workers", "11"], says: "--max-workers: expected a whole number >= 1 and >= --min-workers, got 10" },
    {
      flag: ["--max-workers", "abc"],
      says: '--max-workers: expected a whole number >= 1 and >= --min-workers, got "abc"',
    },
    {
      flag: ["--max-workers", "2.5"],
      says: "--max-workers: expected a whole number >= 1 and >= --min-workers, got 2.5",
    },
    { flag: ["--target-queue-depth", "0"], says: "--target-queue-depth: expected a number > 0, got 0" },
    { flag: ["--target-queue-depth-per-worker", "0"], says: "--target-queue-depth: expected a number > 0, got 0" },
    { flag: ["--target-utilisation", "75"], says: "--target-utilisation: expected a number > 0 and <= 1, got 75" },
    { flag: ["--scale-up-window", "-1"], says: "--scale-up-window: expected seconds >= 0, got -1" },
    { flag: ["--scale-down-window-sec", "x"], says: '--scale-down-window: expected seconds >= 0, got "x"' },
    { flag: ["--tolerance", ""], says: '--tolerance: expected a number >= 0 and <= 1, got ""' },
    { flag: ["--poll-interval", "0"], says: "--poll-interval: expected seconds > 0 and <= 2147483, got 0" },
    { flag: ["--drain-timeout", "10s"], says: '--drain-timeout: expected seconds >= 0 and <= 2147483, got "10s"' },
    { flag: ["--threads-per-worker", "0x4"], says: '--threads-per-worker: expected a whole number >= 1, got "0x4"' },
    { flag: ["--app", ""], says: '--app: expected MODULE[:EXPORT], such as ./tasks.js:queue, got ""' },
    { flag: ["--log-level", "loud"], says: "'--log-level <level>' argument 'loud' is invalid" },
    { flag: ["--max-worker", "5"], says: "(Did you mean --max-workers?)" },
  ])("$flag: wrong usage, in terms of flags, before anything is touched", async ({ flag, says }) => {
    const command = new Command("autoscale").exitOverride().configureOutput({ outputError: () => undefined });
    register(command);
    const refusal: unknown = await command
      .parseAsync(["--app", "./nowhere.mjs", ...flag], { from: "user" })
      .catch((error: unknown) => error);
    expect(String(refusal)).toContain(says);
    expect(exitCodeOf(refusal)).toBe(64);
  });

  it("exits 64 with one line that says everything that is wrong", async () => {
    const where = place();
    const attempt = run(where, [CLI, "autoscale", "--tolerance", "2", "--poll-interval", "0"]);
    expect(await attempt.ended).toBe(64);
    expect(attempt.text()).toMatch(
      /^flexiq: --app: expected .*; --tolerance: expected .*; --poll-interval: expected .*$/,
    );
    expect(readdirSync(where.dir)).not.toContain("data");
  });

  it("says in one message why an app is none, and spawns nothing", async () => {
    const cases = [
      { app: "./missing.mjs", tasks: "", says: "missing.mjs" },
      { app: "./tasks.mjs", tasks: "const = 5;", says: "does not parse" },
      { app: "./tasks.mjs:other", tasks: "export const other = 5;", says: "no queue is exported as other" },
    ];
    for (const { app, tasks, says } of cases) {
      const where = place(tasks);
      const attempt = run(where, [CLI, "autoscale", "--app", app]);
      expect(await attempt.ended).toBe(1);
      expect(attempt.text()).toContain(says);
      expect(attempt.text().split("\n")).toHaveLength(1);
      expect(attempt.log()).toEqual([]);
      expect(readdirSync(where.dir)).not.toContain("data");
    }
  });

  it("shows a flag for every field in its help, and each once", () => {
    const command = new Command("autoscale");
    register(command);
    const help = command.helpInformation();
    for (const { flag } of FIELDS) expect(help.split(`--${flag} <`)).toHaveLength(2);
    expect(help).not.toContain("target-queue-depth-per-worker");
  });
});

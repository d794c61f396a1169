import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Clock, monotonicMs, systemClock } from "effiqueue";
import { Queue } from "flexiq";
import { type AutoscaleConfig, AutoscaleController, type ControllerOptions, type StatsQueue } from "flexiq/autoscale";
import { describe, expect, it, onTestFinished } from "vitest";
import { tempDir } from "../../../effiqueue/test/support/temp-dir.ts";
import { waitFor } from "../../../effiqueue/test/support/wait-for.ts";
import { isAlive, killIfAlive, PATIENCE_MS, place, quiet, untilRunning, untilWorkers } from "./support.ts";

/** Lives until it is told to stop. */
const IDLER = { file: process.execPath, args: ["-e", "setInterval(() => {}, 1e6)"] };

/** A controller that leaves nothing behind, whatever the test does. */
function controllerOf(queue: StatsQueue, fields: Partial<AutoscaleConfig>, more: ControllerOptions = {}) {
  const { options, log } = quiet();
  const config = { appPath: "tasks", drainTimeoutSec: 5, ...fields };
  const controller = new AutoscaleController(queue, config, { ...options, ...more });
  onTestFinished(async () => {
    const stopped = controller.stop();
    controller.processManager.killAll();
    await stopped;
  });
  return { controller, log, of: (event: string) => log.filter((record) => record.event === event) };
}

const idle: StatsQueue = { stats: () => ({ pending: 0, running: 0 }) };

describe("DESIGN 11.1: a queue that is not flexiq's", () => {
  it("gets the workers it needs from any command, and keeps no state", async () => {
    const counts = { pending: 45, running: 0 };
    const queue = { stats: () => Promise.resolve(counts) };
    const { controller } = controllerOf(queue, { scaleDownWindowSec: 0 }, { command: IDLER });
    expect(await controller.tick()).toEqual({
      pending: 45,
      running: 0,
      currentWorkers: 0,
      desiredWorkers: 3,
      rationale: expect.stringMatching(/^scale-up: 45 pending \/ 15 per worker asks for 3/) as string,
    });
    const pids = controller.processManager.livePids();
    expect(pids.filter(isAlive)).toHaveLength(3);
    counts.pending = 0;
    expect(await controller.tick()).toMatchObject({ currentWorkers: 3, desiredWorkers: 1 });
    await waitFor(() => controller.processManager.countLive() === 1);
    await controller.stop();
    expect(pids.filter(isAlive)).toEqual([]);
  });

  it("takes its slots from the queue, unless the configuration says otherwise", async () => {
    const busy = { stats: () => ({ pending: 0, running: 16 }), workers: 8 };
    const bound = controllerOf(busy, { targetUtilisation: 1 }, { command: IDLER });
    expect((await bound.controller.tick()).desiredWorkers).toBe(2);
    const told = controllerOf(busy, { targetUtilisation: 1, threadsPerWorker: 4 }, { command: IDLER });
    expect((await told.controller.tick()).desiredWorkers).toBe(4);
  });
});

describe("DESIGN 11.3: what is no queue", () => {
  it.each([undefined, null, 5, "queue", {}, { stats: 5 }])("is refused at once: %o", (queue) => {
    const config = { appPath: "./tasks.js" };
    expect(() => new AutoscaleController(queue as never, config)).toThrow(/^queue: expected a Queue, or an object/);
  });

  it("nor is nothing a configuration", () => {
    expect(() => new AutoscaleController(idle, undefined as never)).toThrow(/^appPath: expected MODULE/);
  });
});

describe("DESIGN 11.2: where its state is", () => {
  it("is where it is told, for a queue that has no folder of its own, and there is one owner", async () => {
    const stateDir = join(tempDir(), "state");
    const first = controllerOf(idle, { minWorkers: 2 }, { command: IDLER, stateDir });
    await first.controller.tick();
    expect(readdirSync(stateDir)).toEqual(expect.arrayContaining(["lock.1", "workers.json"]));
    const second = controllerOf(idle, { minWorkers: 2 }, { command: IDLER, stateDir });
    await expect(second.controller.tick()).rejects.toMatchObject({ code: "locked-by-other" });
    await expect(second.controller.tick()).rejects.toThrow(String(process.pid));
  });

  it("ends with an error when another has taken it over, and leaves the workers to that one", async () => {
    const stateDir = join(tempDir(), "state");
    const hasty: Clock = { ...systemClock, after: (ms, call, how) => systemClock.after(ms / 100, call, how) };
    const fields = { pollIntervalSec: 600, drainTimeoutSec: 600 };
    const { controller, of } = controllerOf(idle, fields, { command: IDLER, stateDir, clock: hasty });
    const serving = controller.serveForever();
    const pids = await waitFor(() => controller.processManager.countLive() > 0 && controller.processManager.livePids());
    onTestFinished(() => pids.forEach(killIfAlive));
    const successor = { pid: 4_000_000, startTime: "1", bootId: "another", pidNamespace: "another", released: false };
    writeFileSync(join(stateDir, "lock.2"), JSON.stringify(successor));
    await expect(serving).rejects.toMatchObject({ code: "locked-by-other" });
    await expect(serving).rejects.toThrow("4000000");
    await expect(controller.tick()).rejects.toThrow("4000000");
    expect(pids.filter(isAlive)).toEqual(pids);
    expect(of("act.worker.stop_signalled")).toEqual([]);
  });
});

describe("DESIGN 8.6: a queue that cannot be read", () => {
  it("holds the pool, replaces those that die, and says so (CASES B07)", async () => {
    const counts = { pending: 45, running: 0 };
    let down = false;
    const queue: StatsQueue = {
      stats: () => {
        if (down) throw new Error("connection refused");
        return counts;
      },
    };
    const { controller, of } = controllerOf(queue, { minWorkers: 2, scaleDownWindowSec: 0 }, { command: IDLER });
    await controller.tick();
    expect(controller.processManager.countLive()).toBe(3);
    down = true;
    for (let i = 0; i < 3; i += 1) {
      const decision = await controller.tick();
      expect(decision).toMatchObject({
        pending: Number.NaN,
        running: Number.NaN,
        currentWorkers: 3,
        desiredWorkers: 3,
      });
      expect(decision.rationale).toBe("hold: queue unreadable");
      expect(Object.isFrozen(decision)).toBe(true);
    }
    expect(of("observe.queue.unreadable")).toMatchObject([{ error: "connection refused", level: "warn" }]);
    expect(of("loop.tick.decided").at(-1)?.msg).toBe("pending=? running=? workers=3 -> 3 (hold: queue unreadable)");
    const [first, second] = controller.processManager.livePids();
    for (const pid of [first, second]) process.kill(pid ?? 0, "SIGKILL");
    await waitFor(() => controller.processManager.countLive() === 1);
    expect(await controller.tick()).toMatchObject({ currentWorkers: 1, desiredWorkers: 3 });
    expect(controller.processManager.countLive()).toBe(3);
  });
});

describe("DESIGN 11.4: the processes by hand", () => {
  it("starts, ends, reaps and names them, as the seed's table says", async () => {
    const { controller } = controllerOf(idle, { minWorkers: 0 }, { command: IDLER });
    const pool = controller.processManager;
    expect(pool.livePids()).toEqual([]);
    const a = pool.spawnWorker();
    const b = pool.spawnWorker();
    expect(pool.countLive()).toBe(2);
    expect(pool.livePids()).toEqual([a, b]);
    expect(await pool.terminateWorker(a)).toBe(true);
    expect(await pool.terminateWorker(a)).toBe(false);
    expect(await pool.terminateWorker(process.pid)).toBe(false);
    expect(pool.reapDead()).toEqual([a]);
    expect(pool.reapDead()).toEqual([]);
    pool.killAll();
    await waitFor(() => pool.countLive() === 0);
    expect(pool.reapDead()).toEqual([b]);
    const c = pool.spawnWorker();
    await pool.shutdown();
    expect(isAlive(c)).toBe(false);
    expect(pool.countLive()).toBe(0);
    expect(() => pool.spawnWorker()).toThrow(/stopped/);
    pool.killAll();
  });

  it("says false of a worker that had to be killed", async () => {
    const stubborn = {
      file: process.execPath,
      args: ["-e", "process.on('SIGTERM', () => {}); console.log('ready'); setInterval(() => {}, 1e6)"],
    };
    const ready = join(tempDir(), "ready");
    const output = { stdout: { file: ready }, stderr: "ignore" } as const;
    const { controller } = controllerOf(idle, { minWorkers: 0, drainTimeoutSec: 0.2 }, { command: stubborn, output });
    const pid = controller.processManager.spawnWorker();
    await waitFor(() => existsSync(ready) && readFileSync(ready, "utf8").includes("ready"));
    expect(await controller.processManager.terminateWorker(pid)).toBe(false);
    expect(isAlive(pid)).toBe(false);
  });

  it("tells of every exit, also of those that the loop has seen", async () => {
    const { controller } = controllerOf(idle, { minWorkers: 1 }, { command: IDLER });
    await controller.tick();
    const pool = controller.processManager;
    const [pid = 0] = pool.livePids();
    process.kill(pid, "SIGKILL");
    await waitFor(() => pool.countLive() === 0);
    await controller.tick();
    await controller.tick();
    expect(pool.countLive()).toBe(1);
    expect(pool.reapDead()).toEqual([pid]);
  });
});

describe("DESIGN 11.4: beginning and end", () => {
  it("touches nothing before it is used, and nothing when it is stopped unused", async () => {
    const { dbPath, queue } = place();
    const { controller } = controllerOf(queue, {});
    await controller.stop();
    await controller.stop();
    expect(existsSync(dbPath)).toBe(false);
    await expect(controller.tick()).rejects.toMatchObject({ code: "stopped" });
    await expect(controller.serveForever()).rejects.toMatchObject({ code: "stopped" });
  });

  it("serves until it is stopped, replaces who dies, and takes its signal handlers with it", async () => {
    const before = process.listenerCount("SIGTERM");
    const { controller, of } = controllerOf(idle, { minWorkers: 1, pollIntervalSec: 600 }, { command: IDLER });
    const serving = controller.serveForever();
    const pool = controller.processManager;
    await waitFor(() => pool.countLive() === 1);
    expect(process.listenerCount("SIGTERM")).toBe(before + 1);
    const [pid = 0] = pool.livePids();
    process.kill(pid, "SIGKILL");
    await waitFor(() => pool.countLive() === 1 && pool.livePids()[0] !== pid);
    await Promise.all([controller.stop(), controller.stop(), serving]);
    expect(process.listenerCount("SIGTERM")).toBe(before);
    expect(pool.countLive()).toBe(0);
    expect(of("loop.tick.decided").length).toBeLessThan(6);
  });

  it("stops while the queue hangs", async () => {
    const { controller } = controllerOf(
      { stats: () => new Promise(() => undefined) },
      { pollIntervalSec: 1 },
      { command: IDLER },
    );
    const serving = controller.serveForever();
    const pid = controller.processManager.spawnWorker();
    await controller.stop();
    await serving;
    expect(isAlive(pid)).toBe(false);
  });

  it("throws when its state folder cannot be, and has spawned nothing", async () => {
    const { app, queue } = place();
    const { controller, log } = controllerOf(queue, {}, { stateDir: join(app, "no-folder") });
    await expect(controller.tick()).rejects.toMatchObject({ name: "FlexiqError", code: "cannot-open" });
    await expect(controller.serveForever()).rejects.toMatchObject({ name: "FlexiqError", code: "cannot-open" });
    expect(log).toEqual([]);
  });

  it("throws what opening the queue's file says, and has spawned nothing", async () => {
    const { app, dir } = place();
    writeFileSync(join(dir, "other.db"), "no database at all, but longer than the header of one: ".repeat(20));
    const queue = new Queue({ dbPath: join(dir, "other.db") });
    const { controller, log } = controllerOf(queue, { appPath: app });
    await expect(controller.serveForever()).rejects.toMatchObject({ name: "FlexiqError" });
    expect(log).toEqual([]);
    expect(existsSync(`${queue.dbPath}.autoscale`)).toBe(false);
  });
});

describe("DESIGN 11.1: embedded, on flexiq's own queue", () => {
  it("decides by the tick, runs the app's workers on the queue's file, and drains them at the end", async () => {
    const where = place();
    const { controller } = controllerOf(where.queue, {
      appPath: where.app,
      targetQueueDepthPerWorker: 1,
      maxWorkers: 2,
    });
    const [first = 0] = await where.hold(2);
    const decision = await controller.tick();
    expect(decision).toMatchObject({ pending: 2, running: 0, currentWorkers: 0, desiredWorkers: 2 });
    const pids = controller.processManager.livePids();
    expect(await untilWorkers(where, 2)).toEqual([...pids].sort((a, b) => a - b));
    await untilRunning(where, 2);
    expect(await controller.tick()).toMatchObject({ pending: 0, running: 2, currentWorkers: 2 });
    where.open();
    expect(pids).toContain(await where.queue.result(first, { timeoutMs: PATIENCE_MS }));
    await controller.stop();
    expect(await where.queue.store.workers()).toEqual([]);
    expect(pids.filter(isAlive)).toEqual([]);
    expect(existsSync(`${where.dbPath}.autoscale`)).toBe(true);
  });

  it("counts no work of a paused queue, and takes the jobs of the dead back before it counts", async () => {
    const where = place();
    const { controller } = controllerOf(where.queue, { appPath: where.app, minWorkers: 0 });
    await where.hold(1);
    await where.queue.pause("default");
    expect(await controller.tick()).toMatchObject({ pending: 0, desiredWorkers: 0 });
    await where.queue.resume("default");
    expect(await controller.tick()).toMatchObject({ pending: 1, desiredWorkers: 1 });
    await untilRunning(where, 1);
    const [pid = 0] = controller.processManager.livePids();
    process.kill(pid, "SIGKILL");
    await waitFor(() => controller.processManager.countLive() === 0);
    expect(await controller.tick()).toMatchObject({ pending: 1, running: 0, currentWorkers: 0, desiredWorkers: 1 });
  });
});

describe("DESIGN 4.10: recycling in the autoscaler", () => {
  it.each([
    ["age", { maxWorkerAgeSec: 60 }],
    ["memory", { maxWorkerMemory: "1MB" }],
  ])("replaces a worker for its %s, and then the other one", async (why, limit) => {
    let aheadMs = 0;
    const clock: Clock = { ...systemClock, monotonicMs: () => monotonicMs(systemClock.monotonicMs() + aheadMs) };
    const { controller, of } = controllerOf(idle, { minWorkers: 2, ...limit }, { command: IDLER, clock });
    await controller.tick();
    const before = controller.processManager.livePids();
    aheadMs = 61_000;
    await waitFor(
      async () => {
        await controller.tick();
        return of("act.worker.exited").length === 2 && controller.processManager.countLive() === 2;
      },
      { what: "two others", timeoutMs: PATIENCE_MS },
    );
    const recycled = of("act.worker.recycled");
    expect(recycled.map(({ why: said }) => said)).toEqual([why, why]);
    // The largest first, whoever that is.
    expect(recycled.map(({ pid }) => pid).sort()).toEqual([...before].sort());
    expect(of("act.worker.exited").map(({ kind }) => kind)).toEqual(["stopped", "stopped"]);
  });

  it("replaces workers that have finished their number of jobs, and no job notices", async () => {
    let aheadMs = 0;
    const clock: Clock = { ...systemClock, monotonicMs: () => monotonicMs(systemClock.monotonicMs() + aheadMs) };
    const where = place(`
const hasty = new Queue({ workers: 1, leaseMs: 300 });
hasty.task("hold", hold.run);
export { hasty };`);
    const limits = { minWorkers: 2, maxWorkers: 2, maxWorkerJobs: 2 };
    const { controller, of } = controllerOf(where.queue, { appPath: `${where.app}:hasty`, ...limits }, { clock });
    const finished = async () => (await where.queue.store.workers()).map((worker) => worker.finished);
    /** Each of the two takes one. */
    const oneEach = async (gate: string) => {
      const ids = await where.hold(2, gate);
      await untilRunning(where, 2);
      where.open(gate);
      return ids;
    };
    await controller.tick();
    const before = await untilWorkers(where, 2);
    aheadMs = 61_000;
    const first = await oneEach("first");
    await waitFor(async () => (await finished()).every((jobs) => jobs === 1), {
      what: "a job each",
      timeoutMs: PATIENCE_MS,
    });
    await controller.tick();
    expect(of("act.worker.recycled")).toEqual([]);
    const second = await oneEach("second");
    await waitFor(async () => (await finished()).every((jobs) => jobs === 2), {
      what: "two each",
      timeoutMs: PATIENCE_MS,
    });
    await waitFor(
      async () => {
        await controller.tick();
        return of("act.worker.exited").length === 2 && controller.processManager.countLive() === 2;
      },
      { what: "two others", timeoutMs: PATIENCE_MS },
    );
    expect(of("act.worker.recycled")).toMatchObject([
      { why: "jobs", value: 2, limit: 2 },
      { why: "jobs", value: 2, limit: 2 },
    ]);
    expect(new Set(of("act.worker.exited").map(({ pid }) => pid))).toEqual(new Set(before));
    expect(of("act.worker.exited").map(({ kind }) => kind)).toEqual(["stopped", "stopped"]);
    for (const id of [...first, ...second]) {
      expect(await where.queue.job(id)).toMatchObject({ state: "completed", attempts: 1 });
    }
  });
});

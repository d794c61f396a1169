import { existsSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempDir } from "../../../effiqueue/test/support/temp-dir.ts";
import { waitFor } from "../../../effiqueue/test/support/wait-for.ts";
import { Queue } from "../../src/queue.ts";
import { FlexiqProcess, spawnWorker, startWorker } from "../support/flexiq-process.ts";
import { letGo, started } from "../support/hold.ts";
import { lockFile } from "../support/lock-file.ts";

function queueIn(folder: string): Queue {
  return new Queue({ dbPath: join(folder, "q.db") });
}

describe("DESIGN 10.2: stopping", () => {
  it.each(["SIGTERM", "SIGINT"] as const)("finishes what runs and claims nothing more after %s", async (signal) => {
    const folder = tempDir();
    const queue = queueIn(folder);
    const gate = join(folder, "gate");
    const running = await queue.enqueue("hold", [gate]);
    const worker = await startWorker({ cwd: folder });
    await started(gate);
    worker.kill(signal);
    await worker.logged("stopping");
    const late = await queue.enqueue("add", [1, 1]);
    letGo(gate);
    expect(await worker.ended).toMatchObject({ code: 0, signal: null });
    expect(await queue.job(running)).toMatchObject({ state: "completed", attempts: 1, result: "let go" });
    expect(await queue.job(late)).toMatchObject({ state: "pending", attempts: 0 });
    expect(await queue.store.workers()).toEqual([]);
    queue.close();
  });

  it("gives running jobs back at the second signal, without counting the attempt", async () => {
    const folder = tempDir();
    const queue = queueIn(folder);
    const heeds = join(folder, "heeds");
    const deaf = join(folder, "deaf");
    const ids = [await queue.enqueue("hold", [heeds]), await queue.enqueue("stubborn", [deaf])];
    const worker = await startWorker({ cwd: folder });
    await started(heeds);
    await started(deaf);
    worker.kill("SIGTERM");
    await worker.logged("stopping");
    worker.kill("SIGTERM");
    expect(await worker.ended).toMatchObject({ code: 0, signal: null });
    for (const id of ids) expect(await queue.job(id)).toMatchObject({ state: "pending", attempts: 0 });
    expect(await queue.store.workers()).toEqual([]);

    // And they run again.
    letGo(heeds);
    letGo(deaf);
    await startWorker({ cwd: folder });
    for (const id of ids) expect(await queue.result(id, { timeoutMs: 20_000 })).toBe("let go");
    queue.close();
  });

  it("does not wait for a handler whose timeout was reported", async () => {
    const folder = tempDir();
    const queue = queueIn(folder);
    const id = await queue.enqueue("stubborn", [join(folder, "never")], { timeoutMs: 20, maxRetries: 0 });
    const worker = await startWorker({ cwd: folder });
    await worker.logged("its handler went on");
    await waitFor(async () => (await queue.job(id))?.state === "dead");
    worker.kill("SIGTERM");
    expect(await worker.ended).toMatchObject({ code: 0 });
    expect(worker.stderr).toContain("leaves 1 handlers behind");
    queue.close();
  });

  it("exits at the first signal while the app still loads", async () => {
    const folder = tempDir();
    const loading = join(folder, "loading");
    writeFileSync(
      join(folder, "slow.mjs"),
      `import { writeFileSync } from "node:fs"; writeFileSync(${JSON.stringify(loading)}, "");
       await new Promise((resolve) => setTimeout(resolve, 600_000));`,
    );
    const worker = new FlexiqProcess(["worker", "--app", "./slow.mjs"], { cwd: folder });
    await waitFor(() => existsSync(loading));
    worker.kill("SIGTERM");
    expect(await worker.ended).toMatchObject({ code: 0, signal: null });
  });

  it("ends although the app keeps the event loop alive", async () => {
    const folder = tempDir();
    const app = join(folder, "app.mjs");
    const flexiq = new URL("../../dist/index.js", import.meta.url).href;
    writeFileSync(
      app,
      `import { Queue } from ${JSON.stringify(flexiq)}; export const queue = new Queue(); setInterval(() => {}, 1000);`,
    );
    const worker = await startWorker({ cwd: folder, app });
    worker.kill("SIGTERM");
    expect(await worker.ended).toMatchObject({ code: 0, signal: null });
  });
});

describe("DESIGN 10.6: stray errors", () => {
  it("fails the job that caused one, finishes the others and exits 1", async () => {
    const folder = tempDir();
    const queue = queueIn(folder);
    const gate = join(folder, "gate");
    const other = await queue.enqueue("hold", [gate]);
    const worker = await startWorker({ cwd: folder });
    await started(gate);
    const stray = await queue.enqueue("stray", [], { maxRetries: 0 });
    await worker.logged("an error that nobody caught");
    await worker.logged("stopping");
    letGo(gate);
    expect(await worker.ended).toMatchObject({ code: 1, signal: null });
    expect(await queue.job(other)).toMatchObject({ state: "completed", attempts: 1 });
    const job = await queue.job(stray);
    expect(job).toMatchObject({ state: "dead", attempts: 1 });
    expect(job?.error).toContain("thrown past the handler");
    queue.close();
  });

  it("goes on when nobody reads what it prints", async () => {
    const folder = tempDir();
    const queue = queueIn(folder);
    const worker = await startWorker({ cwd: folder });
    worker.child.stdout?.destroy();
    worker.child.stderr?.destroy();
    const printing = await queue.enqueue("print");
    const after = await queue.enqueue("add", [1, 1]);
    await queue.enqueue("fail", ["to be logged"], { maxRetries: 0 });
    await queue.result(printing, { timeoutMs: 20_000 });
    expect(await queue.result(after, { timeoutMs: 20_000 })).toBe(2);
    await waitFor(async () => (await queue.stats()).dead === 1);
    const last = await queue.enqueue("add", [2, 2]);
    expect(await queue.result(last, { timeoutMs: 20_000 })).toBe(4);
    worker.kill("SIGTERM");
    expect(await worker.ended).toMatchObject({ code: 0, signal: null });
    queue.close();
  });
});

describe("DESIGN 10.6: a handler that ends the process", () => {
  it.each([0, 3])("with %i is named, is no regular end, and costs its job an attempt", async (code) => {
    const folder = tempDir();
    const queue = queueIn(folder);
    const id = await queue.enqueue("exit", [code], { maxRetries: 0 });
    const worker = await startWorker({ cwd: folder });
    expect(await worker.ended).toMatchObject({
      code: code === 0 ? 1 : code,
      stderr: expect.stringContaining("called process.exit()") as string,
    });
    const next = await startWorker({ cwd: folder });
    await expect(queue.result(id, { timeoutMs: 20_000 })).rejects.toMatchObject({ code: "job-dead" });
    next.kill("SIGTERM");
    expect(await next.ended).toMatchObject({ code: 0 });
    queue.close();
  });
});

describe("DESIGN 10.6: the other jobs of a worker that one of them ends", () => {
  it("lose no attempt where they have begun", async () => {
    const folder = tempDir();
    const queue = queueIn(folder);
    const gate = join(folder, "gate");
    const held = await queue.enqueue("hold", [gate], { maxRetries: 0 });
    const culprit = await queue.enqueue("exit-at", [join(folder, "go"), 3], { maxRetries: 0 });
    const worker = await startWorker({ cwd: folder });
    await started(gate);
    letGo(join(folder, "go"));
    const { code, stderr } = await worker.ended;
    expect(code).toBe(3);
    expect(stderr).toContain(`the handler of job ${culprit} (exit-at) called process.exit()`);
    expect(await queue.job(culprit)).toMatchObject({ state: "dead", error: "its handler called process.exit(3)" });
    expect(await queue.job(held)).toMatchObject({ state: "pending", attempts: 0 });
    queue.close();
  });

  it("lose no attempt where they have not", async () => {
    const folder = tempDir();
    const queue = queueIn(folder);
    const [culprit, behind] = await queue.enqueueMany([
      { task: "exit", args: [0], options: { maxRetries: 0 } },
      { task: "exit", args: [0], options: { maxRetries: 0 } },
    ]);
    const worker = await startWorker({ cwd: folder });
    expect(await worker.ended).toMatchObject({ code: 1 });
    expect(await queue.job(culprit as number)).toMatchObject({ state: "dead" });
    expect(await queue.job(behind as number)).toMatchObject({ state: "pending", attempts: 0 });
    queue.close();
  });

  it("lose one where the file is locked by somebody who does not let go, and it is said", async () => {
    const folder = tempDir();
    const queue = queueIn(folder);
    const gate = join(folder, "gate");
    const held = await queue.enqueue("hold", [gate]);
    await queue.enqueue("exit-at", [join(folder, "go"), 3], { maxRetries: 0 });
    const worker = await startWorker({ cwd: folder });
    await started(gate);
    const unlock = await lockFile(queue.dbPath);
    letGo(join(folder, "go"));
    expect((await worker.ended).stderr).toContain("count as attempted, for they could not be given back");
    await unlock();
    letGo(gate);
    const next = await startWorker({ cwd: folder });
    expect(await queue.result(held, { timeoutMs: 20_000 })).toBe("let go");
    expect(await queue.job(held)).toMatchObject({ attempts: 2 });
    next.kill("SIGTERM");
    await next.ended;
    queue.close();
  });
});

describe("DESIGN 11.1: a worker whose app names another file than FLEXIQ_DB_PATH", () => {
  const app = (folder: string): string => {
    const path = join(folder, "own-file.mjs");
    const flexiq = new URL("../../dist/index.js", import.meta.url).href;
    writeFileSync(
      path,
      `import { Queue } from ${JSON.stringify(flexiq)};\nexport const queue = new Queue({ dbPath: "own.db" });`,
    );
    return path;
  };

  it("says so and serves the app's", async () => {
    const cwd = tempDir();
    const worker = await startWorker({ cwd, app: app(cwd) });
    expect(worker.stderr).toContain(`own.db, while FLEXIQ_DB_PATH names ${cwd}/q.db`);
    worker.kill("SIGTERM");
    await worker.ended;
  });

  it("is refused by the pool of an autoscaler, which measures that file", async () => {
    const cwd = tempDir();
    const worker = spawnWorker({ cwd, app: app(cwd), env: { EFFIQUEUE_POOL: "some pool" } });
    expect(await worker.ended).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^flexiq: --app .* names the file .*own\.db, while .*: leave dbPath out/) as string,
    });
  });

  it("is no matter when the two paths are one file", async () => {
    const cwd = tempDir();
    symlinkSync(join(cwd, "own.db"), join(cwd, "q.db"));
    writeFileSync(join(cwd, "own.db"), "");
    const worker = await startWorker({ cwd, app: app(cwd), env: { EFFIQUEUE_POOL: "some pool" } });
    worker.kill("SIGTERM");
    expect(await worker.ended).toMatchObject({ code: 0 });
    expect(worker.stderr).not.toContain("while FLEXIQ_DB_PATH");
  });
});

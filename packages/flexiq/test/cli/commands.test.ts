import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Ended } from "../../../effiqueue/test/support/built-command.ts";
import { tempDir } from "../../../effiqueue/test/support/temp-dir.ts";
import type { JobRecord } from "../../src/model.ts";
import { Queue } from "../../src/queue.ts";
import { fixture, flexiq, startWorker } from "../support/flexiq-process.ts";
import { started } from "../support/hold.ts";

const APP = ["--app", fixture("tasks.mjs")];

/** Runs commands in one folder, whose file is the default one. */
function shell() {
  const cwd = tempDir();
  const run = (...args: string[]): Promise<Ended> => flexiq(args, { cwd });
  const json = async <T>(...args: string[]): Promise<T> => {
    const { code, stdout, stderr } = await run(...args, "--json");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    return JSON.parse(stdout) as T;
  };
  const dbPath = join(cwd, ".flexiq/flexiq.db");
  return { cwd, run, json, dbPath, queue: new Queue({ dbPath }) };
}

describe("DESIGN 12.4: enqueue", () => {
  it("adds a job with every option, and makes the file", async () => {
    const { json, queue, dbPath } = shell();
    const before = Date.now();
    const { id, db } = await json<{ id: number; db: string }>(
      ...["enqueue", "resize", "a.png", "3", `{"wide":true}`, `"4"`, "--queue", "images", "--priority", "-2"],
      ...["--delay", "1h", "--max-retries", "9", "--timeout", "250ms", "--unique-key", "a.png"],
    );
    expect(db).toBe(dbPath);
    const job = await queue.job(id);
    expect(job).toMatchObject({
      task: "resize",
      args: ["a.png", 3, { wide: true }, "4"],
      queue: "images",
      state: "scheduled",
      priority: -2,
      maxRetries: 9,
      timeoutMs: 250,
      uniqueKey: "a.png",
    });
    expect(job?.runAtMs ?? 0).toBeGreaterThanOrEqual(before + 3_600_000);
    // Idempotent by its key.
    expect(await json("enqueue", "resize", "--unique-key", "a.png")).toMatchObject({ id });
    queue.close();
  });

  it("does not say that a job was added which its key kept out", async () => {
    const { cwd, dbPath } = shell();
    for (const arg of ["first", "second"]) {
      const { stdout } = await flexiq(["enqueue", "resize", arg, "--unique-key", "k", "--db", dbPath], { cwd });
      expect(stdout).toBe(`job 1 (resize) has the unique key "k" in ${dbPath}\n`);
    }
  });

  it("takes the defaults of the app's task, and arguments that begin with a dash", async () => {
    const { cwd, queue } = shell();
    const env = { FLEXIQ_DB_PATH: join(cwd, "other.db") };
    expect(await flexiq(["enqueue", ...APP, "fail", "--", "-3"], { cwd, env })).toMatchObject({
      code: 0,
      stdout: `job 1 (fail) enqueued in ${cwd}/other.db\n`,
    });
    const other = new Queue({ dbPath: join(cwd, "other.db") });
    expect(await other.job(1)).toMatchObject({ args: [-3] });
    other.close();
    queue.close();
  });

  it("refuses a task that the app does not declare, and makes no file for it", async () => {
    const { cwd, queue } = shell();
    const env = { FLEXIQ_DB_PATH: join(cwd, "other.db") };
    const { code, stderr } = await flexiq(["enqueue", ...APP, "fial"], { cwd, env });
    expect(code).toBe(64);
    expect(stderr).toMatch(/declares no task "fial", only .*fail/);
    expect(existsSync(env.FLEXIQ_DB_PATH)).toBe(false);
    queue.close();
  });

  it("says when it makes the file that nobody named, for the app may name another", async () => {
    const { run, queue } = shell();
    const first = await run("enqueue", "add");
    expect(first.stdout).toMatch(
      / enqueued in .*flexiq\.db, a new file: no --app, --db or FLEXIQ_DB_PATH named another\n$/,
    );
    expect((await run("enqueue", "add")).stdout).toMatch(/flexiq\.db\n$/);
    queue.close();
  });

  it("adds many at once", async () => {
    const { run, json, queue } = shell();
    const { ids } = await json<{ ids: number[] }>("enqueue", "add", "1", "2", "--count", "5001");
    expect(new Set(ids).size).toBe(5001);
    expect((await run("enqueue", "add", "--count", "2")).stdout).toMatch(/^2 jobs \(add\) enqueued in /);
    expect(await queue.stats()).toMatchObject({ pending: 5003 });
    queue.close();
  });
});

describe("DESIGN 12.4: reading", () => {
  it("shows what names and errors hold, and lets none of it command the terminal, begin a line, turn its direction or hide", async () => {
    const { run, queue } = shell();
    const name = "two\nlines \u001b[31m\u0000 \u202etxt\u200b ü 😀";
    const id = await queue.enqueue(name, [name], { queue: name });
    await queue.pause(name);
    for (const args of [["jobs"], ["queues"], ["job", String(id)]]) {
      const { code, stdout } = await run(...args);
      expect(code).toBe(0);
      expect(stdout).toContain("two\\nlines \\x1b[31m\\x00 \\u{202e}txt\\u{200b} ü 😀");
      expect(stdout).not.toMatch(/[\u001b\u202e\u200b]/);
    }
    queue.close();
  });

  it("shows counts, queues, jobs and one job", async () => {
    const { run, json, queue } = shell();
    const ids: number[] = [];
    for (let i = 0; i < 3; i += 1) ids.push(await queue.enqueue("add", [i, 1]));
    ids.push(await queue.enqueue("mail", ["x".repeat(100)], { queue: "mail", delayMs: 60_000 }));
    const [first = 0, second = 0, , mail = 0] = ids;

    expect(await json("stats")).toMatchObject({ pending: 3, scheduled: 1, running: 0 });
    expect(await json("stats", "mail")).toMatchObject({ pending: 0, scheduled: 1 });
    expect((await run("stats")).stdout).toMatch(/^pending +3\nrunning +0\nscheduled +1\n/);

    expect(await json("queues")).toMatchObject([
      { name: "default", paused: false, stats: { pending: 3 } },
      { name: "mail", paused: false, stats: { scheduled: 1 } },
    ]);
    expect((await run("queues")).stdout).toMatch(/^QUEUE +PENDING .*\ndefault +3 /);

    const jobsOf = async (...args: string[]) => (await json<JobRecord[]>("jobs", ...args)).map(({ id }) => id);
    expect(await jobsOf()).toEqual(ids);
    expect(await jobsOf("--state", "scheduled")).toEqual([mail]);
    expect(await jobsOf("--queue", "default", "--limit", "1", "--after", String(first))).toEqual([second]);
    const { stdout } = await run("jobs");
    expect(stdout.split("\n")).toHaveLength(ids.length + 2);
    expect(stdout).toContain(`["xxxx`);
    expect(stdout).not.toContain("x".repeat(40));
    expect((await run("dead")).stdout).toBe("no jobs\n");

    expect(await json("job", String(mail))).toMatchObject({ id: mail, queue: "mail", state: "scheduled" });
    expect((await run("job", String(mail))).stdout).toMatch(/state +scheduled\nattempts +0 of 4/);
    expect(await json("workers")).toEqual([]);
    queue.close();
  });
});

describe("DESIGN 12.3: the file", () => {
  it("does not make a file that is not there, but says how to name the right one", async () => {
    const { run, dbPath } = shell();
    const commands = [
      ["stats"],
      ["jobs"],
      ["dead"],
      ["queues"],
      ["workers"],
      ["pause", "q"],
      ["retry", "--all"],
      ["purge"],
    ];
    for (const command of commands) {
      const { code, stderr } = await run(...command);
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: `flexiq: there is no queue at ${dbPath}: name its file with --db, its app with --app, or set FLEXIQ_DB_PATH\n`,
      });
    }
    expect(existsSync(dbPath)).toBe(false);
  });

  it("takes the file from --db, from the app, or from the environment", async () => {
    const { cwd, run } = shell();
    const dbPath = join(cwd, "here.db");
    await run("enqueue", "add", "--db", dbPath);
    expect((await run("stats", "--db", "here.db")).stdout).toMatch(/^pending +1\n/);
    expect((await flexiq(["stats"], { cwd, env: { FLEXIQ_DB_PATH: dbPath } })).stdout).toMatch(/^pending +1\n/);
    expect((await flexiq(["stats", ...APP], { cwd, env: { FLEXIQ_DB_PATH: dbPath } })).code).toBe(0);
  });
});

describe("DESIGN 12.4: changing", () => {
  it("cancels the others though one of the jobs is unknown, and says which", async () => {
    const { run, json, queue } = shell();
    const [first = 0, last = 0] = await queue.enqueueMany([{ task: "add" }, { task: "add" }]);
    const { code, stdout, stderr } = await run("cancel", String(first), "98", "99", String(last));
    expect({ code, stdout }).toEqual({ code: 1, stdout: `job ${first}: cancelled\njob ${last}: cancelled\n` });
    expect(stderr).toContain("there is no job 98, 99:");
    expect(await json("stats")).toMatchObject({ cancelled: 2 });
    queue.close();
  });

  it.each([
    [["stats", "emial"], /^pending +0/],
    [["pause", "emial"], /^queue emial is paused/],
    [["jobs", "--queue", "emial"], /^no jobs/],
    [["retry", "--all", "--queue", "emial"], /^0 jobs/],
    [["purge", "--queue", "emial"], /^0 dead jobs/],
  ])("says of a queue without jobs that it has none, and which was meant: %j", async (args, answer) => {
    const { run, queue, dbPath } = shell();
    await queue.enqueue("send", [], { queue: "email" });
    queue.close();
    const { code, stdout, stderr } = await run(...args);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: `flexiq: queue emial has no jobs in ${dbPath}; did you mean email?\n`,
    });
    expect(stdout).toMatch(answer);
  });

  it("retries, cancels, purges, pauses and resumes", async () => {
    const { cwd, run, json, queue, dbPath } = shell();
    const gate = join(cwd, "gate");
    const fail = await queue.enqueue("fail", ["no luck"], { maxRetries: 0 });
    const hold = await queue.enqueue("hold", [gate]);
    const worker = await startWorker({ cwd, env: { FLEXIQ_DB_PATH: dbPath } });
    await started(gate);

    expect(await run("result", String(fail), "--wait", "20s")).toMatchObject({ code: 1, stdout: "" });
    expect(await json("dead")).toMatchObject([{ id: fail, state: "dead", attempts: 1 }]);
    expect((await run("dead")).stdout).toMatch(/fail +\["no luck"\] +1\/1 .* Error: no luck\n/);
    expect(await json("workers")).toMatchObject([{ slots: 2, busy: 1, identity: { pid: worker.pid } }]);

    expect((await run("pause", "default")).stdout).toBe("queue default is paused\n");
    expect(await json("retry", String(fail))).toEqual({ retried: 1 });
    expect(await json("queues")).toMatchObject([{ name: "default", paused: true }]);
    expect(await json("cancel", String(hold), String(fail))).toEqual([
      { id: hold, outcome: "requested" },
      { id: fail, outcome: "cancelled" },
    ]);
    expect((await run("cancel", String(fail))).stdout).toBe(`job ${fail}: had finished before\n`);
    expect(await json("resume", "default")).toEqual({ queue: "default", paused: false });

    const add = await queue.enqueue("add", [2, 3]);
    expect((await run("result", String(add), "--wait", "20s")).stdout).toBe("5\n");
    worker.kill("SIGTERM");
    await worker.ended;

    expect(await json("purge")).toEqual({ purged: 0 });
    expect(await json("purge", "--state", "cancelled", "--older-than", "1h")).toEqual({ purged: 0 });
    expect(await json("purge", "--state", "cancelled")).toEqual({ purged: 2 });
    expect((await run("purge", "--state", "completed", "--queue", "default")).stdout).toBe("1 completed job deleted\n");
    expect(await queue.jobs()).toEqual([]);
    queue.close();
  });

  it("retries the others though some of the jobs cannot be, and says why", async () => {
    const { cwd, run, json, queue, dbPath } = shell();
    const [first = 0, keyed = 0, done = 0] = await queue.enqueueMany([
      { task: "fail", args: ["no"], options: { maxRetries: 0 } },
      { task: "fail", args: ["no"], options: { maxRetries: 0, uniqueKey: "k" } },
      { task: "add", args: [1, 2] },
    ]);
    const worker = await startWorker({ cwd, env: { FLEXIQ_DB_PATH: dbPath } });
    for (const id of [first, keyed, done]) await queue.result(id, { timeoutMs: 20_000 }).catch(() => undefined);
    worker.kill("SIGTERM");
    await worker.ended;
    await queue.enqueue("add", [1, 2], { uniqueKey: "k" });

    const ids = [first, keyed, done, 99, first].map(String);
    expect(await run("retry", ...ids)).toMatchObject({
      code: 1,
      stdout: "1 job pending again\n",
      stderr:
        `flexiq: the unique key of job ${keyed} is another job's by now, job ${done} is completed, there is no job 99: only ` +
        "dead jobs, and failed ones that wait for their retry, can be retried; `flexiq dead` lists the dead\n",
    });
    const again = await run("retry", String(first), "--json");
    expect(again).toMatchObject({ code: 1, stdout: "" });
    expect(JSON.parse(again.stderr)).toMatchObject({ error: { code: "wrong-state" } });
    expect(await json("stats")).toMatchObject({ pending: 2, dead: 1 });
    queue.close();
  });

  it("retries every dead job of a queue", async () => {
    const { cwd, json, queue, dbPath } = shell();
    for (const name of ["a", "a", "b"]) await queue.enqueue("fail", ["no"], { queue: name, maxRetries: 0 });
    const worker = await startWorker({ cwd, env: { FLEXIQ_DB_PATH: dbPath } });
    for (const id of [1, 2, 3]) await queue.result(id, { timeoutMs: 20_000 }).catch(() => undefined);
    worker.kill("SIGTERM");
    await worker.ended;
    expect(await json("retry", "--all", "--queue", "a")).toEqual({ retried: 2 });
    expect(await json("retry", "--all")).toEqual({ retried: 1 });
    expect(await queue.stats()).toMatchObject({ pending: 3, dead: 0 });
    queue.close();
  });
});

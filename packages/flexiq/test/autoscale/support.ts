/** Real autoscalers, workers and files for the tests of the autoscaler; jobs that run exactly as long as a test wants. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Queue } from "flexiq";
import type { ControllerOptions } from "flexiq/autoscale";
import { onTestFinished } from "vitest";
import { tempDir } from "../../../effiqueue/test/support/temp-dir.ts";
import { waitFor } from "../../../effiqueue/test/support/wait-for.ts";

const dist = (path: string): string => new URL(`../../dist/${path}`, import.meta.url).href;

export const CLI = fileURLToPath(dist("cli/main.js"));

/** One slot a worker, so that jobs and workers can be counted against each other. */
const TASKS = `
import { existsSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { Queue } from ${JSON.stringify(dist("index.js"))};
export const queue = new Queue({ workers: 1 });
/** Runs until the file is there. */
export const hold = queue.task("hold", async (gate) => {
  while (!existsSync(gate)) await sleep(5);
  return process.pid;
});
`;

export interface Place {
  readonly dir: string;
  readonly app: string;
  readonly dbPath: string;
  readonly queue: Queue;
  readonly env: NodeJS.ProcessEnv;
  /** Enqueues jobs that run until `open`. */
  hold(count: number, gate?: string): Promise<number[]>;
  open(gate?: string): void;
}

/** A folder with an app and a queue of its own; `tasks` is appended to the app. */
export function place(tasks = ""): Place {
  const dir = tempDir();
  const dbPath = join(dir, "data", "jobs.db");
  const app = join(dir, "tasks.mjs");
  mkdirSync(join(dir, "gates"));
  writeFileSync(app, TASKS + tasks);
  const queue = new Queue({ dbPath, workers: 1 });
  onTestFinished(() => queue.close());
  const gateOf = (gate: string): string => join(dir, "gates", gate);
  return {
    dir,
    app,
    dbPath,
    queue,
    env: { ...process.env, FLEXIQ_DB_PATH: dbPath, ...QUIET },
    hold: (count, gate = "gate") =>
      queue.enqueueMany(Array.from({ length: count }, () => ({ task: "hold", args: [gateOf(gate)] }))),
    open: (gate = "gate") => writeFileSync(gateOf(gate), ""),
  };
}

/** For processes: no extra certificates (50 ms a start), no level or path of whoever runs the tests. */
const QUIET = { NODE_EXTRA_CA_CERTS: undefined, EFFIQUEUE_LOG: undefined };

/** Options of a controller inside a test: workers whose output nobody sees, a log that can be asked. */
export function quiet(): { readonly options: ControllerOptions; readonly log: LogRecord[] } {
  const log: LogRecord[] = [];
  const record = (level: string) => (fields: object, msg: string) =>
    void log.push({ ...fields, level, msg } as LogRecord);
  const logger = { debug: record("debug"), info: record("info"), warn: record("warn"), error: record("error") };
  return { log, options: { logger, env: QUIET, output: { stdout: "ignore", stderr: "ignore" } } };
}

export interface LogRecord {
  readonly event: string;
  readonly level: string;
  readonly logger?: string;
  readonly msg: string;
  readonly pid?: number;
  readonly [field: string]: unknown;
}

export interface Run {
  readonly child: ChildProcess;
  readonly pid: number;
  /** Everything on standard error so far that is no log line. */
  text(): string;
  /** The log lines of the autoscaler so far. */
  log(): LogRecord[];
  of(event: string): LogRecord[];
  /** Resolves with the exit code, or the signal. */
  readonly ended: Promise<number | string>;
}

/**
 * Runs a Node program in the place; what it writes to standard error goes to a file, as its workers' output does.
 *
 * @param through a command that runs the command behind it
 */
export function run(where: Place, args: readonly string[], through: readonly string[] = []): Run {
  const errorFile = join(where.dir, `stderr-${Math.random().toString(36).slice(2)}.log`);
  writeFileSync(errorFile, "");
  const child = spawn("sh", ["-c", 'exec "$@" 2>>"$0" >>"$0"', errorFile, ...through, process.execPath, ...args], {
    cwd: where.dir,
    env: where.env,
    stdio: "ignore",
  });
  const pid = child.pid;
  if (pid === undefined) throw new Error("the program did not start");
  onTestFinished(async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill("SIGKILL");
      await once(child, "exit");
    }
    // Workers outlive their autoscaler by design.
    for (const { identity } of await where.queue.store.workers()) killIfAlive(identity.pid);
  });
  const lines = (): string[] => readFileSync(errorFile, "utf8").split("\n").filter(Boolean);
  const log = (): LogRecord[] =>
    lines()
      .filter((line) => line.startsWith("{") && line.endsWith("}"))
      .map((line) => JSON.parse(line) as LogRecord)
      .filter((record) => record.logger === "flexiq.autoscale");
  return {
    child,
    pid,
    log,
    of: (event) => log().filter((record) => record.event === event),
    text: () =>
      lines()
        .filter((line) => !line.startsWith("{"))
        .join("\n"),
    ended: once(child, "exit").then(([code, signal]) => (code ?? signal) as number | string),
  };
}

/** `flexiq autoscale` for the app of the place, deciding ten times a second. */
export const autoscale = (where: Place, ...flags: readonly string[]): Run =>
  run(where, [CLI, "autoscale", "--app", where.app, "--poll-interval", "0.1", ...flags]);

/** `http://HOST:PORT` of its endpoint. */
export async function urlOf(scaler: Run): Promise<string> {
  const serving = (): unknown => scaler.of("app.status.serving")[0]?.["address"];
  await waitFor(() => serving() !== undefined, { what: "the address", timeoutMs: PATIENCE_MS });
  return `http://${String(serving())}`;
}

/** Several processes have to start on a machine that may be busy. */
export const PATIENCE_MS = 45_000;

/** Pids of the registered workers, in order. */
export const workerPids = async ({ queue }: Place): Promise<number[]> =>
  (await queue.store.workers()).map(({ identity }) => identity.pid).sort((a, b) => a - b);

export const untilWorkers = (where: Place, count: number): Promise<number[]> =>
  waitFor(
    async () => {
      const pids = await workerPids(where);
      return pids.length === count && pids;
    },
    { what: `${count} registered workers`, timeoutMs: PATIENCE_MS },
  );

export const untilRunning = (where: Place, count: number): Promise<boolean> =>
  waitFor(async () => (await where.queue.stats()).running === count, {
    what: `${count} running jobs`,
    timeoutMs: PATIENCE_MS,
  });

/** A zombie is dead. */
export function isAlive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(")") + 2));
  } catch {
    return false;
  }
}

export function killIfAlive(pid: number): void {
  if (isAlive(pid)) process.kill(pid, "SIGKILL");
}

/** Commands as a user would start them, with everything they print, and with nothing of them left when the test ends. */
import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { onTestFinished } from "vitest";
import type { Ended } from "../../packages/effiqueue/test/support/built-command.ts";
import { killIfThere } from "../../packages/effiqueue/test/support/kill-if-there.ts";
import { waitFor } from "../../packages/effiqueue/test/support/wait-for.ts";

export interface Options {
  readonly cwd: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly timeoutMs?: number;
  /** Keeps standard input open for `child.stdin`. Default: there is none. */
  readonly interactive?: boolean;
}

export interface Started {
  readonly child: ChildProcess;
  /** In the environment of the command and of everything it starts. */
  readonly mark: string;
  /** Standard output and standard error so far. */
  output(): string;
  ended(): Promise<Ended>;
}

/** The environment of the test without what would slow down, colour or redirect a command. */
const plainEnv = (): NodeJS.ProcessEnv => {
  const { NODE_EXTRA_CA_CERTS: _slow, FORCE_COLOR: _colour, FLEXIQ_DB_PATH: _file, ...env } = process.env;
  return { ...env, NO_COLOR: "1" };
};

const MARK = "FLEXIQ_TEST_MARK";

/** Starts a command; it and what it started are killed at the end of the test, if they still run. */
export function start(command: string, args: readonly string[], options: Options): Started {
  const started = launch(command, args, options);
  onTestFinished(() => killMarked(started.mark));
  return started;
}

/** Runs a command to its end. */
export async function run(command: string, args: readonly string[], options: Options): Promise<Ended> {
  const started = launch(command, args, options);
  return started.ended().finally(() => killMarked(started.mark));
}

function launch(command: string, args: readonly string[], options: Options): Started {
  const mark = `${MARK}=${randomUUID()}`;
  const child = spawn(command, args, {
    cwd: options.cwd,
    env: { ...plainEnv(), ...options.env, [MARK]: mark.slice(MARK.length + 1) },
    stdio: [options.interactive === true ? "pipe" : "ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout?.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr?.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  // "close", not "exit": everything printed has been read then, by the command and by the workers it started.
  const exited = new Promise<Pick<Ended, "code" | "signal">>((resolve, reject) => {
    child.once("close", (code, signal) => resolve({ code, signal }));
    child.once("error", reject);
  });
  exited.catch(() => undefined);
  return {
    child,
    mark,
    output: () => stdout + stderr,
    async ended() {
      const what = (): string => `the end of ${command} ${args.join(" ")}\n${stdout}${stderr}`;
      return { ...(await within(exited, options.timeoutMs ?? 50_000, what)), stdout, stderr };
    },
  };
}

async function within<T>(promise: Promise<T>, timeoutMs: number, what: () => string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`not within ${timeoutMs} ms: ${what()}`)), timeoutMs);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** Fails when the command, or anything it started, is still there. */
export const nobodyLeft = (started: Pick<Started, "mark">): Promise<true> =>
  waitFor(() => marked(started.mark).length === 0, { what: "every process that was started is gone" });

function killMarked(mark: string): void {
  for (const pid of marked(mark)) killIfThere(pid);
}

const marked = (mark: string): number[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && environmentOf(name).includes(mark))
    .map(Number);

function environmentOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1"); // empty for a zombie
  } catch {
    return "";
  }
}

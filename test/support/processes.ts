/** Commands as a user would start them, with everything they print, and with nothing of them left when the test ends. */
import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { onTestFinished } from "vitest";
import { waitFor } from "../../packages/flexiq/test/support/wait-for.ts";

export interface Options {
  readonly cwd: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly timeoutMs?: number;
}

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Started {
  readonly child: ChildProcess;
  /** Standard output and standard error so far. */
  output(): string;
  ended(): Promise<Ended>;
}

/** The environment of the test without what would slow down or colour a command. */
export const plainEnv = (extra: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => {
  const {
    NODE_EXTRA_CA_CERTS: _slow,
    FORCE_COLOR: _colour,
    FLEXIQ_DB_PATH: _path,
    VITEST: _vitest,
    ...env
  } = process.env;
  return { ...env, NO_COLOR: "1", ...extra };
};

/** Starts a command; it is killed at the end of the test if it still runs. */
export function start(command: string, args: readonly string[], options: Options): Started {
  const child = spawn(command, args, {
    cwd: options.cwd,
    env: plainEnv(options.env),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  // "close", not "exit": everything printed has been read then, by the command and by the workers it started.
  const exited = new Promise<Pick<Ended, "code" | "signal">>((resolve, reject) => {
    child.once("close", (code, signal) => resolve({ code, signal }));
    child.once("error", reject);
  });
  exited.catch(() => undefined);
  onTestFinished(() => void child.kill("SIGKILL"));
  return {
    child,
    output: () => stdout + stderr,
    async ended() {
      const { code, signal } = await within(
        exited,
        options.timeoutMs ?? 60_000,
        () => `${command} ${args.join(" ")}\n${stdout}${stderr}`,
      );
      return { code, signal, stdout, stderr };
    },
  };
}

/** Runs a command to its end. */
export const run = (command: string, args: readonly string[], options: Options): Promise<Ended> =>
  start(command, args, options).ended();

async function within<T>(promise: Promise<T>, timeoutMs: number, what: () => string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`not within ${timeoutMs} ms: ${what()}`)), timeoutMs);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** Pids of living processes whose environment mentions `text`: who was started with a folder of this test. */
export function livingWith(text: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => pid !== process.pid && environmentOf(pid).includes(text));
}

function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1"); // empty for a zombie
  } catch {
    return "";
  }
}

/** Fails when processes of this test are left; they are killed then. */
export async function nobodyLeft(text: string): Promise<void> {
  onTestFinished(() => {
    for (const pid of livingWith(text)) process.kill(pid, "SIGKILL");
  });
  await waitFor(() => livingWith(text).length === 0, { what: `every process with ${text} in its environment is gone` });
}

/** The built `flexiq` command as a process: run to its end, or started and watched through its log. */
import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { waitFor } from "../../../effiqueue/test/support/wait-for.ts";

const CLI = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

/** An app of `test/fixtures`, as `--app` takes it. */
export const fixture = (name: string): string => fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url));

export interface ProcessOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
}

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export class FlexiqProcess {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  stdout = "";
  stderr = "";

  constructor(args: readonly string[], { cwd, env = {} }: ProcessOptions) {
    // Reading extra certificates costs each Node process 50 ms, and no test needs them.
    const { NODE_EXTRA_CA_CERTS: _, FLEXIQ_DB_PATH: __, ...inherited } = process.env;
    this.child = spawn(process.execPath, [CLI, ...args], { cwd, env: { ...inherited, ...env } });
    this.child.stdout?.on("data", (chunk: Buffer) => (this.stdout += chunk.toString()));
    this.child.stderr?.on("data", (chunk: Buffer) => (this.stderr += chunk.toString()));
    this.ended = new Promise((resolve) => {
      this.child.on("close", (code, signal) => resolve({ code, signal, stdout: this.stdout, stderr: this.stderr }));
    });
    onTestFinished(() => {
      if (this.child.exitCode === null && this.child.signalCode === null) this.child.kill("SIGKILL");
    });
  }

  get pid(): number {
    const { pid } = this.child;
    if (pid === undefined) throw new Error("the process could not be started");
    return pid;
  }

  kill(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** Resolves when the text has been logged; fails at once when the process ends without. */
  async logged(text: string): Promise<void> {
    await waitFor(
      () => {
        if (this.stderr.includes(text)) return true;
        if (this.child.exitCode !== null) throw new Error(`ended without saying "${text}":\n${this.stderr}`);
        return false;
      },
      { what: `"${text}" in the log` },
    );
  }
}

/** Runs a command to its end. */
export const flexiq = (args: readonly string[], options: ProcessOptions): Promise<Ended> =>
  new FlexiqProcess(args, options).ended;

export interface WorkerProcessOptions extends ProcessOptions {
  readonly app?: string;
  readonly args?: readonly string[];
}

/** A worker, on its way to serve; `FLEXIQ_DB_PATH` is `q.db` of its folder, unless `env` says otherwise. */
export function spawnWorker({ app, args = [], cwd, env }: WorkerProcessOptions): FlexiqProcess {
  return new FlexiqProcess(["worker", "--app", app ?? fixture("tasks.mjs"), ...args], {
    cwd,
    env: { FLEXIQ_DB_PATH: `${cwd}/q.db`, ...env },
  });
}

/** A worker that serves. */
export async function startWorker(options: WorkerProcessOptions): Promise<FlexiqProcess> {
  const worker = spawnWorker(options);
  await worker.logged(" serves ");
  return worker;
}

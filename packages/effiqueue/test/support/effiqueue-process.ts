/** The built `effiqueue` command as a process: run to its end, or started and watched through its log. */
import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { showsNoPassword } from "./password.ts";
import { waitFor } from "./wait-for.ts";

export const CLI = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

export interface ProcessOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** A command that runs the command behind it, such as `["nice"]`. */
  readonly through?: readonly string[];
}

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A line of the log. */
export type LogLine = { readonly event?: string; readonly msg: string } & Readonly<Record<string, unknown>>;

export class EffiqueueProcess {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  stdout = "";
  stderr = "";

  constructor(args: readonly string[], { cwd, env = {}, through = [] }: ProcessOptions) {
    // Reading extra certificates costs each Node process 50 ms, and no test needs them.
    const { NODE_EXTRA_CA_CERTS: _, EFFIQUEUE_LOG: __, ...inherited } = process.env;
    const [command, ...words] = [...through, process.execPath, CLI, ...args];
    this.child = spawn(command ?? process.execPath, words, { cwd, env: { ...inherited, ...env } });
    this.child.stdout?.on("data", (chunk: Buffer) => (this.stdout += chunk.toString()));
    this.child.stderr?.on("data", (chunk: Buffer) => (this.stderr += chunk.toString()));
    // Not "close", which workers that outlive the daemon would hold back by the output they inherited.
    this.ended = new Promise((resolve) => {
      this.child.on("exit", (code, signal) =>
        setImmediate(() => resolve({ code, signal, stdout: this.stdout, stderr: this.stderr })),
      );
    });
    showsNoPassword(() => this.stdout + this.stderr);
    onTestFinished(() => {
      if (this.isRunning) this.child.kill("SIGKILL");
    });
  }

  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  get pid(): number {
    const { pid } = this.child;
    if (pid === undefined) throw new Error("the process could not be started");
    return pid;
  }

  kill(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** What it has logged as JSON, oldest first. */
  lines(event?: string): LogLine[] {
    return this.stderr
      .split("\n")
      .filter((line) => line.startsWith("{") && line.endsWith("}"))
      .map((line) => JSON.parse(line) as LogLine)
      .filter((line) => event === undefined || line.event === event);
  }

  /** Resolves with the value; fails, with the end of the log, when it does not come, and at once when the process ends without. */
  async waitFor<T>(look: () => T | false | null | undefined, what: string, timeoutMs = 30_000): Promise<T> {
    const lookOrEnd = (): T | false | null | undefined => {
      const value = look();
      const isThere = value !== false && value !== null && value !== undefined;
      if (!isThere && !this.isRunning) throw new Error(`it ended without ${what}`);
      return value;
    };
    try {
      return await waitFor(lookOrEnd, { what, timeoutMs });
    } catch (error) {
      throw new Error(`${String(error)}\n${this.stderr.slice(-4_000)}`);
    }
  }

  logged(event: string, timeoutMs?: number): Promise<LogLine> {
    return this.waitFor(() => this.lines(event)[0], event, timeoutMs);
  }
}

/** Runs a command to its end. */
export const effiqueue = (args: readonly string[], options: ProcessOptions): Promise<Ended> =>
  new EffiqueueProcess(args, options).ended;

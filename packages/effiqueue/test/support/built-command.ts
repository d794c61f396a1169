/** A built command as a process: run to its end, or started and watched through what it prints. */
import { type ChildProcess, spawn } from "node:child_process";
import { onTestFinished } from "vitest";
import { waitFor } from "./wait-for.ts";

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

export interface BuiltCommand {
  /** The file that Node runs. */
  readonly script: string;
  /** A variable that would change what the command does. */
  readonly without: string;
  /** "exit", where children that outlive it would hold back "close" by the output they inherited. */
  readonly endsAt: "exit" | "close";
}

/** Killed at the end of the test, if it still runs. */
export class CommandProcess {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  stdout = "";
  stderr = "";
  #hasEnded = false;

  constructor(
    { script, without, endsAt }: BuiltCommand,
    args: readonly string[],
    { cwd, env = {}, through = [] }: ProcessOptions,
  ) {
    // Reading extra certificates costs each Node process 50 ms, and no test needs them.
    const { NODE_EXTRA_CA_CERTS: _, [without]: __, ...inherited } = process.env;
    const [command = "", ...words] = [...through, process.execPath, script, ...args];
    this.child = spawn(command, words, { cwd, env: { ...inherited, ...env } });
    this.child.stdout?.on("data", (chunk: Buffer) => (this.stdout += chunk.toString()));
    this.child.stderr?.on("data", (chunk: Buffer) => (this.stderr += chunk.toString()));
    this.ended = new Promise((resolve) => {
      this.child.on(endsAt, (code: number | null, signal: NodeJS.Signals | null) =>
        setImmediate(() => {
          this.#hasEnded = true;
          resolve({ code, signal, stdout: this.stdout, stderr: this.stderr });
        }),
      );
    });
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

  /** Resolves with the value; fails, with the end of the log, when it does not come, and at once when the process ends without. */
  async waitFor<T>(look: () => T | false | null | undefined, what: string, timeoutMs = 30_000): Promise<T> {
    const lookOrEnd = (): T | false | null | undefined => {
      const value = look();
      const isThere = value !== false && value !== null && value !== undefined;
      if (!isThere && this.#hasEnded) throw new Error(`it ended without ${what}`);
      return value;
    };
    try {
      return await waitFor(lookOrEnd, { what, timeoutMs });
    } catch (error) {
      throw new Error(`${String(error)}\n${this.stderr.slice(-4_000)}`);
    }
  }
}

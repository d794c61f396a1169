/**
 * What a pool is told at its opening. DESIGN 4.
 */
import type { BackoffPolicy, Clock, OomAccount, Reporter, WorkerDirectory } from "../model/ports.ts";

export interface WorkerCommand {
  /** Looked up in PATH unless it holds a slash. With `shell`, a command line for `sh -c`. */
  readonly file: string;
  /** With `shell`, the positional parameters of the command line. */
  readonly args: readonly string[];
  readonly cwd?: string;
  /** Added to this process's own environment; `undefined` removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly shell?: boolean;
  /** From `workerUser`. Default: who we are. */
  readonly user?: WorkerUser | undefined;
}

export interface WorkerUser {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
  readonly home?: string | undefined;
}

/** Never a pipe to this process: it would block a chatty worker, and kill it when this process dies. */
export type OutputTarget =
  | "inherit"
  | "ignore"
  /** Appended to; opened anew for every worker, so a rotated file is followed. */
  | { readonly file: string };

/** What one worker is started with. */
export interface WorkerSettings {
  readonly command: WorkerCommand;
  /** Default: both inherited. */
  readonly output?: { readonly stdout: OutputTarget; readonly stderr: OutputTarget };
}

export interface WorkerPoolOptions {
  /** Names the pool in events and in the environment of its workers. */
  readonly program: string;
  /** By the number of the worker; a pure function: adoption knows a worker by what its number would be started with. */
  readonly worker: (processNum: number) => WorkerSettings;
  /** Default SIGTERM. */
  readonly stopSignal?: NodeJS.Signals;
  /** Who gets it: the worker's whole group (default), or the leader alone, for workers that stop their children themselves. SIGKILL always goes to the group. */
  readonly stopTarget?: "group" | "leader";
  /** Milliseconds from the stop signal to SIGKILL; also how long a busy worker may retire before it is signalled. */
  readonly drainTimeoutMs: number;
  /** An unasked exit before this age is a crash. Default 10,000. */
  readonly minUptimeMs?: number;
  /** Exit codes that are no crash at whatever age; such a worker is replaced at once, however often. Default none. */
  readonly exitCodes?: readonly number[];
  /** Folder for lock and state. Without it: no lock, and no successor finds the workers. */
  readonly stateDir?: string;
  /** The queue's knowledge of its workers. Without it a worker serves from its spawn on and stops without retiring. */
  readonly directory?: WorkerDirectory;
  /** Tells kills for want of memory from crashes. Without it they are crashes. */
  readonly oomKills?: OomAccount;
  readonly backoff: BackoffPolicy;
  readonly clock: Clock;
  readonly reporter: Reporter;
}

/** What may be another while the pool is open: workers that were started with other settings are outdated, and none is touched for it. */
export type PoolSettings = Pick<WorkerPoolOptions, "worker" | "drainTimeoutMs"> &
  Required<Pick<WorkerPoolOptions, "stopSignal" | "stopTarget" | "minUptimeMs" | "exitCodes">>;

export const DEFAULT_MIN_UPTIME_MS = 10_000;

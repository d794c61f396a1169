/**
 * Starting one worker process: leader of its own group, marked in its environment, its output in nobody's pipe. DESIGN 4.1.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync, statSync } from "node:fs";
import type { ProcessIdentity } from "../model/worker.ts";
import { SpawnError } from "./errors.ts";
import type { OutputTarget, WorkerCommand, WorkerSettings } from "./options.ts";
import { identityOfChild } from "./platform/identity.ts";
import { thisSystem } from "./platform/this-system.ts";
import { whyNot, whyRefused } from "./why-not.ts";

/** The environment variable by which a successor recognises the workers of its pool. */
export const POOL_MARK = "EFFIQUEUE_POOL";
export const PROCESS_NUM_MARK = "EFFIQUEUE_PROCESS_NUM";

export interface SpawnedProcess {
  readonly child: ChildProcess;
  readonly identity: ProcessIdentity;
}

/** Of which pool a worker is, and which of its workers. */
export interface Place {
  readonly program: string;
  readonly poolId: string;
  readonly processNum: number;
}

/** @throws SpawnError naming what is missing */
export function spawnWorker(
  { command, output }: WorkerSettings,
  { program, poolId, processNum }: Place,
): SpawnedProcess {
  const { file, args } = argvOf(command);
  const env: NodeJS.ProcessEnv = {
    ...inherited(),
    ...personal(command.user),
    ...command.env,
    EFFIQUEUE_PROGRAM: program,
    [PROCESS_NUM_MARK]: String(processNum),
    EFFIQUEUE_WORKER: `${program}/${processNum}`,
    [POOL_MARK]: poolId,
  };
  const opened: number[] = [];
  try {
    const stdout = openOutput(output?.stdout ?? "inherit", file, opened);
    const stderr = openOutput(output?.stderr ?? "inherit", file, opened);
    const child = start(file, args, {
      env,
      detached: thisSystem.hasGroups,
      stdio: ["ignore", stdout, stderr],
      ...(command.cwd === undefined ? {} : { cwd: command.cwd }),
      ...(command.user === undefined ? {} : { uid: command.user.uid, gid: command.user.gid }),
    });
    // A command that cannot be started is told by the missing pid at once; the event only repeats it.
    child.on("error", () => undefined);
    if (child.pid === undefined) throw new SpawnError(file, whyNot(file, command, env["PATH"]));
    return { child, identity: identityOfChild(child.pid) };
  } finally {
    for (const handle of opened) closeSync(handle);
  }
}

/** Said by systemd to the daemon alone: a worker that speaks up as the daemon would be believed, or take its sockets. */
const OURS_ALONE = ["NOTIFY_SOCKET", "WATCHDOG_PID", "WATCHDOG_USEC", "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"];

const inherited = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !OURS_ALONE.includes(name)));

/** What a login would set: with the home of root, half of all programs fail to read or write their settings. */
function personal(user: WorkerCommand["user"]): NodeJS.ProcessEnv {
  return user === undefined ? {} : { HOME: user.home, USER: user.name, LOGNAME: user.name };
}

/** The argv that a worker is started with, `argv[0]` apart. */
export function argvOf({ file, args, shell }: WorkerCommand): {
  readonly file: string;
  readonly args: readonly string[];
} {
  if (shell !== true) return { file, args };
  // The word after the command line is `$0`; without parameters the shell supplies its own.
  return { file: "/bin/sh", args: args.length === 0 ? ["-c", file] : ["-c", file, "sh", ...args] };
}

function start(file: string, args: readonly string[], options: Parameters<typeof spawn>[2]): ChildProcess {
  try {
    return spawn(file, args, options);
  } catch (cause) {
    throw new SpawnError(file, whyRefused(cause), { cause });
  }
}

function openOutput(target: OutputTarget, command: string, opened: number[]): "inherit" | "ignore" | number {
  if (typeof target === "string") return target;
  // Opening one waits for a reader, and so would the loop.
  if (isPipe(target.file)) throw new SpawnError(command, `its output file ${target.file} is a named pipe; name a file`);
  try {
    const handle = openSync(target.file, "a");
    opened.push(handle);
    return handle;
  } catch (cause) {
    throw new SpawnError(command, `its output file ${target.file} cannot be opened for appending`, { cause });
  }
}

function isPipe(path: string): boolean {
  try {
    return statSync(path).isFIFO();
  } catch {
    return false;
  }
}

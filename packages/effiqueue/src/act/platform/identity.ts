/**
 * Who a process is, and whether it provably lives or is provably dead. DESIGN 4.2.
 *
 * Linux tells all of it in /proc. Other systems are asked through `ps`, which knows start times to the second; where
 * not even that exists (Windows) identity is the bare pid, death can be proved only by an unused pid, and no
 * recorded process is ever taken over.
 */
import { execFileSync } from "node:child_process";
import { closeSync, openSync, readFileSync, readlinkSync, readSync } from "node:fs";
import { codeOf } from "../../model/errors.ts";
import type { ProcessIdentity } from "../../model/worker.ts";
import { sendSignal } from "./signals.ts";

/** `unknown`: another boot, another pid namespace, or no way to tell just now; it must not be taken for death. */
export type Liveness = "alive" | "dead" | "unknown";

/** The fields of /proc/PID/stat that identity and groups need. */
export interface ProcStat {
  /** R, S, D, T, Z ...; Z and X are dead. */
  readonly state: string;
  readonly parentPid: number;
  readonly groupId: number;
  readonly sessionId: number;
  readonly startTime: string;
}

const isLinux = process.platform === "linux";

/** One buffer for all: whole-system scans and the watch over adopted workers read thousands of these, at a third of the cost. */
const statBuffer = Buffer.alloc(1024);

/**
 * Kept for the moment in which no more files can be opened, as when clients hold them all: who lives must be seen even then, or
 * workers would be taken for dead, or told nothing at the end.
 */
let spare: number | undefined;

const openSpare = (): number | undefined => {
  try {
    return openSync("/dev/null", "r");
  } catch {
    return undefined;
  }
};

function openWithSpare(file: string): number {
  spare ??= openSpare();
  try {
    return openSync(file, "r");
  } catch (error) {
    const code = codeOf(error);
    if (spare === undefined || (code !== "EMFILE" && code !== "ENFILE")) throw error;
    closeSync(spare);
    spare = undefined;
    return openSync(file, "r");
  }
}

function statText(pid: number): string | undefined {
  let handle: number | undefined;
  try {
    handle = openWithSpare(`/proc/${pid}/stat`);
    return statBuffer.toString("latin1", 0, readSync(handle, statBuffer, 0, statBuffer.length, 0));
  } catch {
    return undefined;
  } finally {
    if (handle !== undefined) closeSync(handle);
    spare ??= openSpare();
  }
}

/** `undefined` when there is no such process. The command name may hold spaces and parentheses: fields count from the last `)`. */
export function readProcStat(pid: number): ProcStat | undefined {
  const text = statText(pid);
  if (text === undefined) return undefined;
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [state, parentPid, groupId, sessionId] = fields;
  const startTime = fields[19];
  if (state === undefined || startTime === undefined) return undefined;
  return { state, parentPid: Number(parentPid), groupId: Number(groupId), sessionId: Number(sessionId), startTime };
}

export const isDeadState = (state: string): boolean => state === "Z" || state === "X";

/** Whether a process is held (SIGSTOP, a debugger): it lives and does nothing. False where the system does not say. */
export function isHeld(pid: number): boolean {
  const state = isLinux ? readProcStat(pid)?.state : undefined;
  return state === "T" || state === "t";
}

/** The start stamp of a living process; `undefined` when it is gone or a zombie. */
export function startTimeOf(pid: number): string | undefined {
  if (isLinux) {
    const stat = readProcStat(pid);
    return stat === undefined || isDeadState(stat.state) ? undefined : stat.startTime;
  }
  if (process.platform === "win32") return exists(pid) ? "" : undefined;
  try {
    const out = execFileSync("ps", ["-o", "stat=,lstart=", "-p", String(pid)], {
      encoding: "utf8",
      env: { LC_ALL: "C" },
    });
    const [, stat, started] = /^(\S+)\s+(.*\S)\s*$/.exec(out) ?? [];
    return stat === undefined || stat.startsWith("Z") ? undefined : started;
  } catch {
    return undefined;
  }
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}

const readOr = (read: () => string, otherwise: string): string => {
  try {
    return read().trim();
  } catch {
    return otherwise;
  }
};

let machine: { bootId: string; pidNamespace: string } | undefined;

/** Boot id and pid namespace of this process; constant for its life. */
export function thisMachine(): { readonly bootId: string; readonly pidNamespace: string } {
  machine ??= {
    bootId: isLinux
      ? readOr(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8"), "")
      : readOr(
          () =>
            execFileSync("sysctl", ["-n", "kern.boottime"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }),
          "",
        ),
    pidNamespace: isLinux ? readOr(() => readlinkSync("/proc/self/ns/pid"), "") : "",
  };
  return machine;
}

/**
 * The identity of a child just spawned and not reaped yet, which may have ended already: nobody else can have its pid, so
 * even a zombie tells the truth.
 */
export function identityOfChild(pid: number): ProcessIdentity {
  const startTime = isLinux ? readProcStat(pid)?.startTime : startTimeOf(pid);
  return { pid, startTime: startTime ?? "", ...thisMachine() };
}

/** The identity of a living process of this machine; `undefined` when there is none. */
export function identityOf(pid: number): ProcessIdentity | undefined {
  const startTime = startTimeOf(pid);
  return startTime === undefined ? undefined : { pid, startTime, ...thisMachine() };
}

/** The identity of this process. */
export function ownIdentity(): ProcessIdentity {
  return identityOf(process.pid) ?? { pid: process.pid, startTime: "", ...thisMachine() };
}

/** Whether the very process that `identity` names is alive. A pid that another process has by now is proof of death. */
export function livenessOf(identity: ProcessIdentity): Liveness {
  const here = thisMachine();
  if (identity.bootId !== here.bootId || identity.pidNamespace !== here.pidNamespace) return "unknown";
  const startTime = startTimeOf(identity.pid);
  if (startTime === identity.startTime) return "alive";
  return startTime === undefined && isHidden(identity.pid) ? "unknown" : "dead";
}

/** There, and not to be looked at, as when no more files can be opened. A zombie can be looked at. */
const isHidden = (pid: number): boolean => isLinux && sendSignal(pid, 0) && readProcStat(pid) === undefined;

/**
 * Groups and environments as /proc shows them. DESIGN 4.2, 4.8.
 *
 * A scan of /proc costs one to five milliseconds, so the cheap question (does the group exist at all?) is asked first.
 */
import { readdirSync, readFileSync } from "node:fs";
import { isDeadState, readProcStat, thisMachine } from "./identity.ts";
import type { MarkedProcess, Platform } from "./platform.ts";
import { groupExists, sendSignalToGroup } from "./signals.ts";

export const linux: Platform = {
  hasGroups: true,

  groupMembers(groupId) {
    if (!groupExists(groupId)) return [];
    return allPids().filter((pid) => {
      const stat = readProcStat(pid);
      return stat?.groupId === groupId && !isDeadState(stat.state);
    });
  },

  processesWith(name, value) {
    return allPids().flatMap((pid): readonly MarkedProcess[] => {
      if (!linux.carries(pid, name, value)) return [];
      // The environment is read once more after the start time, so that the two cannot belong to two users of one pid.
      const stat = readProcStat(pid);
      const environment = new Map(strings(pid, "environ").map(assignment));
      const argv = strings(pid, "cmdline");
      if (stat === undefined || isDeadState(stat.state) || environment.get(name) !== value) return [];
      return [
        { identity: { pid, startTime: stat.startTime, ...thisMachine() }, groupId: stat.groupId, argv, environment },
      ];
    });
  },

  carries: (pid, name, value) => strings(pid, "environ").includes(`${name}=${value}`),

  signalGroup: sendSignalToGroup,
  lacks: [],
  // Ten looks and the timer cost a third of a millisecond: once a second is well below a thousandth of a core.
  watchIntervalMs: 1_000,
};

/** Empty when no more files can be opened: who asks can do nothing about it, and must not end by it. */
function allPids(): number[] {
  try {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
}

/** Empty when the process is gone, a zombie, or another user's. */
function strings(pid: number, file: "environ" | "cmdline"): string[] {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8").split("\0").slice(0, -1);
  } catch {
    return [];
  }
}

function assignment(text: string): [string, string] {
  const at = text.indexOf("=");
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}

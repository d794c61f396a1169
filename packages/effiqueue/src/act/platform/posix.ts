/**
 * macOS and the BSDs: groups through `ps`; the environment of other processes is not to be had, so workers are adopted
 * from the state file alone and strays are not found. DESIGN 4.2, 4.8.
 */
import { execFileSync } from "node:child_process";
import type { Platform } from "./platform.ts";
import { groupExists, sendSignalToGroup } from "./signals.ts";

export const posix: Platform = {
  hasGroups: true,

  groupMembers(groupId) {
    if (!groupExists(groupId)) return [];
    return processTable().flatMap(({ pid, group, state }) =>
      group === groupId && !state.startsWith("Z") ? [pid] : [],
    );
  },

  processesWith: () => [],
  carries: () => false,
  signalGroup: sendSignalToGroup,
  lacks: [
    "this system does not show the environment of other processes: a worker that was started in the instant in which its daemon was killed is not found again",
    "this system counts pages that workers share for each of them, and says nothing of memory pressure or of kills for want of memory: fewer workers fit than could",
  ],
  // Every look starts a `ps`.
  watchIntervalMs: 2_000,
};

function processTable(): { readonly pid: number; readonly group: number; readonly state: string }[] {
  try {
    const table = execFileSync("ps", ["-axo", "pid=,pgid=,stat="], { encoding: "utf8", env: { LC_ALL: "C" } });
    return table.split("\n").flatMap((line) => {
      const [pid, group, state] = line.trim().split(/\s+/);
      return state === undefined ? [] : [{ pid: Number(pid), group: Number(group), state }];
    });
  } catch {
    return [];
  }
}

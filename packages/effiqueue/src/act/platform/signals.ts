/**
 * `kill`, without its two traps: a signal to "group" 0 or 1 would reach our own group or every process there is, and a
 * target that has just gone is an answer, not an error. DESIGN 4.2.
 */

/** 0 asks, and signals nobody. @returns false when there is no such process, or it is not ours to signal. */
export function sendSignal(pid: number, signal: NodeJS.Signals | 0): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 1) return false;
  return send(pid, signal);
}

/** As `sendSignal`, for every member of a group. */
export function sendSignalToGroup(groupId: number, signal: NodeJS.Signals): boolean {
  if (!Number.isSafeInteger(groupId) || groupId <= 1) return false;
  return send(-groupId, signal);
}

/** Whether the number is taken by a group; true as well for one that only zombies are left of. */
export function groupExists(groupId: number): boolean {
  return groupId > 1 && send(-groupId, 0);
}

function send(target: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(target, signal);
  } catch {
    return false;
  }
}

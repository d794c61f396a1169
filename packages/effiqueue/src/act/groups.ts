/**
 * Signals to a worker's group, each preceded by the proof that the group is still the worker's; proof and signal are one
 * synchronous step. DESIGN 4.2, 4.5.
 */
import type { ChildProcess } from "node:child_process";
import type { ProcessIdentity } from "../model/worker.ts";
import { livenessOf, startTimeOf } from "./platform/identity.ts";
import { sendSignal } from "./platform/signals.ts";
import { thisSystem } from "./platform/this-system.ts";
import { POOL_MARK } from "./spawn.ts";

/** Whose group it is. */
export interface GroupOwner {
  /** Of the leader. */
  readonly identity: ProcessIdentity;
  /** Our child; `undefined` for an adopted one, whose number was unwatched for a while. */
  readonly child: Pick<ChildProcess, "exitCode" | "signalCode"> | undefined;
}

/** A child keeps its number until it was reaped, whether it can be looked at or not. */
function leaderLives({ identity, child }: GroupOwner): boolean {
  const liveness = livenessOf(identity);
  return liveness === "alive" || (liveness === "unknown" && child?.exitCode === null && child.signalCode === null);
}

/** Sends a signal to a living leader and, with `"group"`, to all that are with it. False when there is no such leader any more. */
export function signalWorker(owner: GroupOwner, target: "group" | "leader", signal: NodeJS.Signals): boolean {
  if (!leaderLives(owner)) return false;
  const { pid } = owner.identity;
  return target === "group" ? thisSystem.signalGroup(pid, signal) : sendSignal(pid, signal);
}

/**
 * Living members of a group whose leader has ended. A living process with the leader's pid is a stranger that got the number
 * after the whole group was gone; while one of ours lives the kernel gives it to nobody. A group that was unwatched must
 * also show the mark of the pool.
 */
export function leftovers(owner: GroupOwner, poolId: string): readonly number[] {
  const members = thisSystem.groupMembers(owner.identity.pid);
  if (members.includes(owner.identity.pid)) return [];
  const ours = owner.child !== undefined || members.some((pid) => thisSystem.carries(pid, POOL_MARK, poolId));
  return ours ? members : [];
}

/** Whether anything of the worker lives: its leader, or members of the group that outlived it. */
export const anythingLives = (owner: GroupOwner, poolId: string): boolean =>
  leaderLives(owner) || leftovers(owner, poolId).length > 0;

/**
 * SIGKILL to all of a group that is provably the worker's, with or without its leader. The group of a child is killed unseen, in
 * one step of the kernel: who forks and ends all the time is gone before anybody has looked at it.
 */
export function killGroup(owner: GroupOwner, poolId: string): void {
  const isUnclaimed = owner.child !== undefined && startTimeOf(owner.identity.pid) === undefined;
  if (isUnclaimed || anythingLives(owner, poolId)) thisSystem.signalGroup(owner.identity.pid, "SIGKILL");
}

/**
 * What the pool asks of the operating system about groups of processes; one answer per kind of system.
 * DESIGN 1.4, 4.2. Types only.
 */
import type { ProcessIdentity } from "../../model/worker.ts";

/** A living process whose environment was asked for. */
export interface MarkedProcess {
  readonly identity: ProcessIdentity;
  readonly groupId: number;
  readonly argv: readonly string[];
  readonly environment: ReadonlyMap<string, string>;
}

export interface Platform {
  /** Whether a worker can be made the leader of a group of its own. */
  readonly hasGroups: boolean;
  /** Pids of the living members of a group; zombies are dead. */
  groupMembers(groupId: number): readonly number[];
  /** Living processes that were started with `name=value` in their environment, as far as this user may see it. */
  processesWith(name: string, value: string): readonly MarkedProcess[];
  /** Whether a process was started with `name=value`; false where that cannot be told. */
  carries(pid: number, name: string, value: string): boolean;
  /** Sends a signal to a group or, where there are none, to the process. False when there is nobody, or it is not allowed. */
  signalGroup(groupId: number, signal: NodeJS.Signals): boolean;
  /** What is not as it is on Linux, a sentence each, said at the start of whatever runs workers. */
  readonly lacks: readonly string[];
  /** How often it is affordable to look whether an adopted worker still lives. */
  readonly watchIntervalMs: number;
}

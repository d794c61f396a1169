/**
 * Finding the workers of an earlier life of this pool: those on its list that provably live, and those spawned in the
 * instant before it was killed, which only their mark betrays. DESIGN 4.8.
 */
import { basename } from "node:path";
import type { ProcessIdentity } from "../model/worker.ts";
import { killGroup, leftovers } from "./groups.ts";
import type { WorkerCommand } from "./options.ts";
import { livenessOf } from "./platform/identity.ts";
import type { MarkedProcess } from "./platform/platform.ts";
import { thisSystem } from "./platform/this-system.ts";
import { argvOf, POOL_MARK, PROCESS_NUM_MARK } from "./spawn.ts";
import type { RecordedWorkers, WorkerRecord } from "./state-file.ts";
import type { Tell } from "./tell.ts";

/** A worker that an earlier life of the pool has left. */
export interface Survivor {
  readonly identity: ProcessIdentity;
  /** As far as it is known. */
  readonly processNum: number | undefined;
  /** On the monotonic clock of this boot; `undefined`: nobody wrote it down. */
  readonly startedAtMs: number | undefined;
  readonly madeOf?: string | undefined;
  /** `unrecorded`: spawned in the instant before the pool was killed. */
  readonly state: WorkerRecord["state"] | "unrecorded";
}

/** Those on the list first, in its order. What is left of others is killed, or mentioned and left alone. */
export function survivorsOf(
  recorded: RecordedWorkers,
  commandOf: (processNum: number) => WorkerCommand,
  poolId: string,
  tell: Tell,
): readonly Survivor[] {
  if (recorded.kind === "unreadable") {
    tell("act.state.unreadable", { error: recorded.error, kept_as: recorded.keptAs });
  }
  const records = recorded.kind === "read" ? recorded.workers : [];
  const living = livingOf(records, poolId, tell);
  return [...living, ...unrecordedOf(records, living, commandOf, poolId, tell)];
}

/**
 * The recorded workers that live. What a dead one left of its group is killed. Records of another boot or pid namespace name
 * nobody whom we could signal or watch.
 */
function livingOf(recorded: readonly WorkerRecord[], poolId: string, tell: Tell): readonly WorkerRecord[] {
  return recorded.filter(({ identity }) => {
    // Without a start time (Windows) a pid proves nothing.
    if (identity.startTime === "" || identity.pid === process.pid) return false;
    const liveness = livenessOf(identity);
    if (liveness === "dead") endLeftovers(identity, poolId, tell);
    return liveness === "alive";
  });
}

function endLeftovers(identity: ProcessIdentity, poolId: string, tell: Tell): void {
  const owner = { identity, child: undefined };
  const count = leftovers(owner, poolId).length;
  if (count === 0) return;
  killGroup(owner, poolId);
  tell("act.worker.leftovers_killed", { pid: identity.pid, count });
}

/**
 * Group leaders that carry the mark and run the command of their number are workers too, one of each number. Other marked processes
 * outside the groups of all workers get a mention and are left alone: a job may have started something that is meant to outlive its
 * worker, and a fork of the worker itself has its command line as well.
 */
function unrecordedOf(
  recorded: readonly WorkerRecord[],
  living: readonly WorkerRecord[],
  commandOf: (processNum: number) => WorkerCommand,
  poolId: string,
  tell: Tell,
): readonly Survivor[] {
  const adopted = new Set(living.map(({ identity }) => identity.pid));
  const marked = thisSystem
    .processesWith(POOL_MARK, poolId)
    .filter(({ identity, groupId }) => !adopted.has(groupId) && identity.pid !== process.pid);
  const alike = marked.filter((process) => {
    const { identity, groupId, argv } = process;
    return groupId === identity.pid && runs(argv, commandOf(numberOf(process) ?? 0));
  });
  const found = eldestOfEach(alike, new Set(living.map(({ processNum }) => processNum)));
  // Groups of dead workers were killed a moment ago and may not be gone yet.
  const settled = new Set([...found, ...recorded].map(({ identity }) => identity.pid));
  for (const stray of marked) {
    const { identity, groupId, argv } = stray;
    if (settled.has(groupId)) continue;
    const why = alike.includes(stray)
      ? `it left the process group of a worker of its number, ${numberOf(stray) ?? "which is unknown"}, that lives`
      : groupId === identity.pid
        ? `it runs another command: ${argv.join(" ")}`
        : "it leads no process group";
    tell("act.worker.stray_ignored", { pid: identity.pid, why });
  }
  return found.map((process) => ({
    identity: process.identity,
    processNum: numberOf(process),
    startedAtMs: undefined,
    state: "unrecorded",
  }));
}

/** No two workers of a pool have one number; a fork is younger than what it was forked from. */
function eldestOfEach(alike: readonly MarkedProcess[], taken: ReadonlySet<number>): readonly MarkedProcess[] {
  const numbers = new Set(taken);
  return [...alike].sort(byAge).filter((process) => {
    const number = numberOf(process);
    if (number === undefined) return true;
    const isFirst = !numbers.has(number);
    numbers.add(number);
    return isFirst;
  });
}

const byAge = ({ identity: a }: MarkedProcess, { identity: b }: MarkedProcess): number =>
  Number(a.startTime) - Number(b.startTime) || a.pid - b.pid;

function numberOf({ environment }: MarkedProcess): number | undefined {
  const number = Number(environment.get(PROCESS_NUM_MARK));
  return Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}

/** The kernel puts an interpreter before the file of a script, and spells the file out; the arguments stay as they were. */
function runs(argv: readonly string[], command: WorkerCommand): boolean {
  const { file, args } = argvOf(command);
  const at = argv.length - args.length - 1;
  return at >= 0 && basename(argv[at] ?? "") === basename(file) && args.every((arg, i) => argv[at + 1 + i] === arg);
}

/**
 * What a later daemon has to know of a pool whose program its configuration no longer has: whose it was, how its workers are
 * stopped, and whether any may live. Beside the list of workers, and replaced as that is. DESIGN 7.20.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { asObject, parseObject } from "./json.ts";
import { lastOwner } from "./lock.ts";
import type { PoolSettings } from "./options.ts";
import { livenessOf } from "./platform/identity.ts";
import { recordedWorkers, replaceFile } from "./state-file.ts";

const FORMAT = 1;

export interface PoolOwner {
  readonly program: string;
  /** Path of the configuration that has, or had, the program. */
  readonly config: string;
  readonly stop: Pick<PoolSettings, "stopSignal" | "stopTarget" | "drainTimeoutMs">;
}

/** @throws when the folder cannot be written */
export function writeOwner(folder: string, owner: PoolOwner): void {
  replaceFile(fileIn(folder), `${JSON.stringify({ format: FORMAT, ...owner }, null, 1)}\n`);
}

/** `undefined`: nobody wrote it down, or it is not what this format says. */
export function readOwner(folder: string): PoolOwner | undefined {
  const file = fileIn(folder);
  const content = existsSync(file) ? parseObject(readFileSync(file, "utf8")) : undefined;
  const [program, config, stop] = [content?.["program"], content?.["config"], asObject(content?.["stop"])];
  const [stopSignal, stopTarget, drainTimeoutMs] = [
    stop?.["stopSignal"],
    stop?.["stopTarget"],
    stop?.["drainTimeoutMs"],
  ];
  if (content?.["format"] !== FORMAT || typeof program !== "string" || typeof config !== "string") return undefined;
  if (typeof stopSignal !== "string" || !stopSignal.startsWith("SIG")) return undefined;
  if (stopTarget !== "group" && stopTarget !== "leader") return undefined;
  if (typeof drainTimeoutMs !== "number" || !(drainTimeoutMs >= 0)) return undefined;
  return { program, config, stop: { stopSignal: stopSignal as NodeJS.Signals, stopTarget, drainTimeoutMs } };
}

/**
 * The workers that live in the pool of this folder though nobody has it; `undefined`: somebody does, or there is no pool.
 * A pool that was killed may have more than it had written down. Nothing is changed.
 */
export function leftIn(folder: string): { readonly pids: readonly number[]; readonly wasKilled: boolean } | undefined {
  const last = lastOwner(folder);
  if (last === undefined) return undefined;
  const wasKilled = !last.released;
  if (wasKilled && (last.owner === undefined || livenessOf(last.owner) !== "dead")) return undefined;
  const alive = recordedWorkers(folder).filter(({ identity }) => livenessOf(identity) === "alive");
  return { pids: alive.map(({ identity }) => identity.pid), wasKilled };
}

const fileIn = (folder: string): string => join(folder, "owner.json");

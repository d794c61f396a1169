/**
 * Pools in the state folder that no program of the configuration is for: it lost them while no daemon ran, or another file has them.
 * Nobody would ever end their workers. DESIGN 7.20.
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { leftIn, type PoolOwner, readOwner, writeOwner } from "../act/left.ts";
import { openWorkerPool } from "../act/pool.ts";
import type { Config, Program } from "../config/validate.ts";
import { crashBackoff } from "../decide/index.ts";
import { errorText } from "../model/errors.ts";
import type { Clock, OomAccount, Reporter } from "../model/ports.ts";
import { type Leaving, poolSettingsOf } from "./programs.ts";
import { programStateDir } from "./state-dir.ts";

interface Parts {
  readonly clock: Clock;
  readonly reporter: Reporter;
  readonly oomKills: OomAccount;
}

interface Place {
  readonly stateDir: string;
  /** Whole path of the configuration. */
  readonly config: string;
  readonly reporter: Reporter;
}

/** Whose the pool of a program is, for a daemon whose configuration does not have it any more. The caller holds the lock. */
export function noteOwner(program: Program, { stateDir, config, reporter }: Place): void {
  const { name } = program;
  const { stopSignal, stopTarget, drainTimeoutMs } = poolSettingsOf(program);
  const owner = { program: name, config, stop: { stopSignal, stopTarget, drainTimeoutMs } };
  try {
    writeOwner(programStateDir(stateDir, name), owner);
  } catch (error) {
    reporter.emit("act.state.unwritable", { program: name, error: errorText(error) });
  }
}

/** Takes over those that this configuration has lost, and says what else is left. The others are nobody's to end but their operator's. */
export function leftPrograms(
  stateDir: string,
  { file, programs }: Pick<Config, "file" | "programs">,
  parts: Parts,
): readonly Leaving[] {
  const known = new Set(programs.map(({ name }) => programStateDir(stateDir, name)));
  const taken: Leaving[] = [];
  for (const entry of foldersIn(stateDir, parts.reporter)) {
    const folder = join(stateDir, entry);
    if (known.has(folder)) continue;
    try {
      const pool = leftPool(folder, file, parts);
      if (pool !== undefined) taken.push(pool);
    } catch {
      // Of another user, taken by another daemon at this moment, or no folder of ours at all.
    }
  }
  return taken;
}

/** A start does not fail for want of a look at what others have left. */
function foldersIn(stateDir: string, reporter: Reporter): readonly string[] {
  try {
    return readdirSync(stateDir);
  } catch (error) {
    const text = `${stateDir} cannot be looked through (${errorText(error)}): workers of programs that this file has lost are not found, and run on`;
    reporter.emit("app.config.warned", { text });
    return [];
  }
}

function leftPool(folder: string, config: string, parts: Parts): Leaving | undefined {
  const left = leftIn(folder);
  if (left === undefined) return undefined;
  const owner = readOwner(folder);
  if (owner?.config === config)
    return left.wasKilled || left.pids.length > 0 ? withdrawn(folder, owner, parts) : undefined;
  if (left.pids.length === 0) return undefined;
  const program = owner?.program ?? decodeURIComponent(folder.slice(folder.lastIndexOf("/") + 1));
  parts.reporter.emit("app.workers.unclaimed", { program, folder, pids: left.pids.join(" ") });
  return undefined;
}

/** Only started to be ended: it starts nobody. */
function withdrawn(stateDir: string, { program, stop }: PoolOwner, parts: Parts): Leaving | undefined {
  const worker = () => ({ command: { file: "\0", args: [] } });
  const pool = openWorkerPool({ program, worker, ...stop, stateDir, backoff: crashBackoff, ...parts });
  const workers = pool.snapshot().length;
  if (workers === 0) {
    pool.close();
    return undefined;
  }
  parts.reporter.emit("app.program.withdrawn", { program, workers });
  return { program, pool, source: { close: () => Promise.resolve() } };
}

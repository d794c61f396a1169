/** Which running daemon a command is for: by its state folder, whatever is in its configuration. DESIGN 7.12. */
import { resolve } from "node:path";
import type { Command } from "commander";
import { type FoundDaemon, findDaemon } from "../app/control/find.ts";
import { defaultStateDir } from "../app/state-dir.ts";
import { stateDirOf } from "../config/state-dir-of.ts";
import { configOption, jsonOption, stateDirOption } from "./options.ts";

export interface DaemonFlags {
  readonly config?: string;
  readonly stateDir?: string;
  readonly json?: true;
}

/** Adds the flags that name a daemon; without any it is the one that runs by the default folder. */
export const withDaemon = (command: Command): Command =>
  command.addOption(configOption()).addOption(stateDirOption()).addOption(jsonOption());

/** @throws NoDaemonError, ConfigError, StatusError */
export function daemonOf({ config, stateDir }: DaemonFlags): Promise<FoundDaemon> {
  const folder = stateDir ?? (config === undefined ? undefined : stateDirOf(config)) ?? defaultStateDir();
  return findDaemon(resolve(folder), config);
}

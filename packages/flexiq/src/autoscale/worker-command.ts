/** How the workers of the pool are started: this very Node, this very copy of flexiq. DESIGN 11.1, 4.1. */
import { fileURLToPath } from "node:url";
import type { WorkerCommand } from "effiqueue";

/** Also right when this module runs from `src`: only the build can be spawned. */
const CLI = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

export function workerCommand(appPath: string): WorkerCommand {
  return { file: process.execPath, args: [...inheritedFlags(process.execArgv), CLI, "worker", "--app", appPath] };
}

/** Flags that say what this process runs, or take a port that only one can have. Loaders and limits are passed on. */
const OWN_FLAGS =
  /^(--inspect|--debug-port|--eval|-e$|--print|-p$|-pe$|--input-type|--interactive|-i$|--check|-c$|--test|--watch)/;

/** Of those, the ones whose value is the next argument. */
const WITH_VALUE = /^(--eval|-e|--print|-p|-pe|--input-type|--watch-path)$/;

export function inheritedFlags(execArgv: readonly string[]): string[] {
  return execArgv.filter((flag, i) => !OWN_FLAGS.test(flag) && !WITH_VALUE.test(execArgv[i - 1] ?? ""));
}

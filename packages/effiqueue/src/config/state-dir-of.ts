/**
 * Where the daemon of a file keeps its state, as far as the file tells, be it as wrong as it may: a daemon that runs must be found also
 * while its file is being written, and without the variables of its environment. DESIGN 7.12.
 */
import { readRaw } from "./load.ts";

/** @throws ConfigError for a file that cannot be read at all */
export function stateDirOf(file: string): string | undefined {
  const { shared, programs } = readRaw(file);
  const [only] = programs.length === 1 ? programs : [];
  const { value } = shared.get("state_dir") ?? only?.entries.get("state_dir") ?? {};
  return typeof value === "string" && value !== "" ? value : undefined;
}

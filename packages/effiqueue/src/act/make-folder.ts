/**
 * A folder with all its parents. Not by the `recursive` of `mkdir`, which never returns where a file system answers "no such
 * entry" although the parent is there, as /proc does. DESIGN 4.7.
 */
import { existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { codeOf } from "../model/errors.ts";

/** @throws as `mkdirSync`; a folder that is there, or that somebody else makes at this moment, is fine */
export function makeFolder(folder: string, mode = 0o777): void {
  if (existsSync(folder)) return;
  if (dirname(folder) !== folder) makeFolder(dirname(folder), mode);
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  }
}

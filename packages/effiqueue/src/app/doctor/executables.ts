/** Finds a command as the kernel will for the worker: in its PATH, from its folder, with its interpreter. DESIGN 7.10. */
import { closeSync, openSync, readSync } from "node:fs";
import { basename, delimiter, join, resolve } from "node:path";
import { may, statOf } from "./access.ts";

/** How a worker will be started. */
export interface Surroundings {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

export interface Executable {
  readonly path: string;
  /** Why it cannot be started all the same. */
  readonly fault?: string;
}

/** What the C library takes where PATH is not set. */
const DEFAULT_PATH = "/usr/bin:/bin";

/** `undefined`: there is none. One that may not be executed is passed over while there is another, as the C library does. */
export function findExecutable(file: string, { cwd, env }: Surroundings): Executable | undefined {
  const folders = (env["PATH"] ?? DEFAULT_PATH).split(delimiter);
  const places = file.includes("/") ? [resolve(cwd, file)] : folders.map((folder) => join(resolve(cwd, folder), file));
  const present = places.filter((place) => statOf(place) !== undefined);
  const path = present.find((place) => statOf(place)?.isFile() === true && may(place, "execute"));
  if (path !== undefined) {
    const fault = interpreterFault(path, { cwd, env });
    return fault === undefined ? { path } : { path, fault };
  }
  const [first] = present;
  if (first === undefined) return undefined;
  return { path: first, fault: statOf(first)?.isDirectory() === true ? "is a folder" : "may not be executed" };
}

/** A script whose first line names a missing interpreter fails with "no such file", and nobody knows which. */
function interpreterFault(path: string, surroundings: Surroundings): string | undefined {
  const line = /^#!([^\n]*)/.exec(headOf(path))?.[1];
  if (line === undefined) return undefined;
  if (line.endsWith("\r"))
    return "has the line ends of Windows, so the kernel looks for an interpreter with a CR in its name";
  const [interpreter = "", ...words] = line.trim().split(/\s+/);
  if (statOf(interpreter) === undefined) return `asks for ${interpreter} in its first line, which does not exist`;
  const name = words.find((word) => !word.startsWith("-") && !word.includes("="));
  if (basename(interpreter) !== "env" || name === undefined) return undefined;
  return findExecutable(name, surroundings) === undefined
    ? `asks for ${name} in its first line, which PATH does not hold`
    : undefined;
}

/** Empty where it may not be read: executing needs no more than the right to execute. */
function headOf(path: string): string {
  let handle: number | undefined;
  try {
    handle = openSync(path, "r");
    const buffer = Buffer.alloc(256);
    return buffer.toString("latin1", 0, readSync(handle, buffer));
  } catch {
    return "";
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}

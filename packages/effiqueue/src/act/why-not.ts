/**
 * Why the system has started no worker, with the remedy. Node tells the code of some refusals at once and of others when the pool has long
 * gone on, so what can be seen is looked for. DESIGN 4.14.
 */
import { accessSync, closeSync, constants, existsSync, openSync, readSync, statSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { codeOf } from "../model/errors.ts";
import type { WorkerCommand } from "./options.ts";

const WORDS: Readonly<Record<string, string>> = {
  EAGAIN:
    "no more processes may be started (EAGAIN): the limit is ulimit -u, TasksMax of the unit or pids.max of the control group",
  ENOMEM: "no memory is left to start a process (ENOMEM)",
  EMFILE: "no more files can be opened (EMFILE): raise LimitNOFILE of the unit, or ulimit -n",
  ENFILE: "the machine has as many open files as it may (ENFILE): raise fs.file-max, or find who holds them",
  E2BIG: "its arguments and its environment are longer than the system takes (E2BIG): shorten env, or pass a file",
};

/** @param error thrown by the spawn itself */
export function whyRefused(error: unknown): string {
  const code = codeOf(error);
  return (
    WORDS[code] ?? `the system refused its arguments or its environment${code.startsWith("E") ? ` (${code})` : ""}`
  );
}

/**
 * The kernel says ENOENT for a missing command, a missing interpreter and a missing folder alike; whoever is woken by it needs to know which.
 *
 * @param file what was to be executed: the command, or its shell
 */
export function whyNot(file: string, { cwd, user }: WorkerCommand, path: string | undefined): string {
  const folder = cwd ?? process.cwd();
  if (!is(folder, "isDirectory")) return `its working directory ${folder} does not exist`;
  const places = file.includes("/")
    ? [resolve(folder, file)]
    : (path ?? "").split(delimiter).map((dir) => join(dir, file));
  const found = places.find((place) => existsSync(place));
  if (found === undefined) return file.includes("/") ? `${places.join()} does not exist` : `PATH holds no ${file}`;
  try {
    accessSync(found, constants.X_OK);
  } catch {
    return `${found} is not executable`;
  }
  if (!is(found, "isFile")) return `${found} is a folder, a pipe or the like; name a program`;
  // Before anything else is opened, for that would fail too.
  const full = openFault();
  if (full !== null) return full;
  const interpreter = interpreterOf(found);
  if (interpreter !== null && !existsSync(interpreter)) {
    return `${found} asks for ${interpreter} in its first line, which does not exist`;
  }
  const usedUp = WORDS["EAGAIN"] ?? "";
  return user === undefined ? usedUp : `may user ${user.name} enter ${folder} and execute ${found}? Else ${usedUp}`;
}

function openFault(): string | null {
  try {
    closeSync(openSync("/dev/null", "r"));
    return null;
  } catch (error) {
    return WORDS[codeOf(error)] ?? null;
  }
}

/** The path behind `#!`; `null`: there is none, or it may not be read. */
function interpreterOf(file: string): string | null {
  const head = Buffer.alloc(256);
  try {
    // At once: a pipe in the place of a command would be waited for.
    const handle = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      readSync(handle, head);
    } finally {
      closeSync(handle);
    }
  } catch {
    return null;
  }
  return /^#! *([^\s\0]+)/.exec(head.toString("latin1"))?.[1] ?? null;
}

function is(path: string, kind: "isFile" | "isDirectory"): boolean {
  try {
    return statSync(path)[kind]();
  } catch {
    return false;
  }
}

/**
 * The file of a recording, written anew at each look: a disk that is full for a minute must not cost the night, nor may a file be half
 * there. DESIGN 13.7.
 */
import { lstatSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { codeOf } from "../model/errors.ts";
import { FailedError, formatError } from "./errors.ts";
import { writing } from "./output.ts";

export class TraceFile {
  readonly #named: string;
  /** Behind the links, for the file is replaced, and they are to stay. */
  readonly #file: string;
  #trouble: FailedError | undefined;

  /** @throws FailedError when nothing can ever be written there */
  constructor(named: string) {
    this.#named = named;
    this.#file = placeOf(named);
  }

  /** What cannot be written now is said once, and is in what is written next. */
  keep(text: string): void {
    const before = this.#trouble;
    this.#trouble = undefined;
    try {
      writing(this.#named, () => replace(this.#file, text));
    } catch (error) {
      if (!(error instanceof FailedError)) throw error;
      this.#trouble = error;
      if (before === undefined) process.stderr.write(formatError(error, { json: false, debug: false }));
    }
  }

  /** @throws FailedError when the end of the recording is not in it */
  close(): void {
    if (this.#trouble !== undefined) throw this.#trouble;
  }
}

/** Never half a file: who reads it meanwhile, or after a power cut, finds all that was known. */
function replace(file: string, text: string): void {
  const draft = `${file}.new`;
  try {
    writeFileSync(draft, text);
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

/** A device or a pipe is no place for what is replaced at each look: it would be gone. */
function placeOf(named: string): string {
  if (statOrNone(dirname(named))?.isDirectory() !== true) {
    throw new FailedError(`${named}: cannot be written: there is no folder ${dirname(named)}; make it first`);
  }
  const found = statOrNone(named);
  if (found === undefined && lstatSync(named, { throwIfNoEntry: false }) !== undefined) {
    throw new FailedError(`${named}: cannot be written: it is a link to what is not there; name a file`);
  }
  if (found === undefined) return named;
  if (!found.isFile()) {
    throw new FailedError(`${named}: cannot be written: it is a folder, a device or the like; name a file`);
  }
  return realpathSync(named);
}

function statOrNone(path: string): ReturnType<typeof statSync> {
  try {
    return statSync(path);
  } catch (cause) {
    if (["ENOENT", "ENOTDIR"].includes(codeOf(cause))) return undefined;
    throw new FailedError(`${path}: cannot be looked at`, { cause });
  }
}

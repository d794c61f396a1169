/**
 * Reading files that others write, and no more of them than can be meant, nor for longer: a path may lead to a device that never ends, or
 * to a pipe that nobody writes to. DESIGN 5.1, 5.4.
 */
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { codeOf } from "../model/errors.ts";

/** The `code` of a pipe into which nobody writes, beside those of the system. */
export const SILENT_PIPE = "SILENT_PIPE";

class SilentPipeError extends Error {
  readonly code = SILENT_PIPE;

  constructor() {
    super("it is a pipe that nobody writes to");
  }
}

/** The bytes of a file, a pipe or a device; `undefined`: there are more than `most`. @throws as `openReadable` and `readAtMost` */
export function readBounded(file: string, most: number): Buffer | undefined {
  const handle = openReadable(file);
  try {
    return readAtMost(handle, most);
  } finally {
    closeSync(handle);
  }
}

/** At once: opening a pipe waits for its writer otherwise, and so does the loop of a daemon that reads its file again. */
export const openReadable = (file: string): number => openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);

/** The same of a file that is open. @throws as `readSync`; a pipe without a writer, or one that says nothing for 5 s, has the code `SILENT_PIPE` */
export function readAtMost(handle: number, most: number): Buffer | undefined {
  const bytes = Buffer.alloc(most + 1);
  const patience = { looks: 500 };
  for (let length = 0; length <= most; ) {
    const read = readSome(handle, bytes, length, patience);
    if (read === 0 && length === 0 && fstatSync(handle).isFIFO()) throw new SilentPipeError();
    if (read === 0) return bytes.subarray(0, length);
    length += read;
  }
  return undefined;
}

const LOOK_MS = 10;

/** Waits for a writer that has the pipe open, as behind `<(...)`, all looks together. */
function readSome(handle: number, bytes: Buffer, at: number, patience: { looks: number }): number {
  for (; patience.looks > 0; patience.looks -= 1) {
    try {
      return readSync(handle, bytes, at, bytes.length - at, null);
    } catch (error) {
      if (codeOf(error) !== "EAGAIN") throw error;
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_MS);
  }
  throw new SilentPipeError();
}

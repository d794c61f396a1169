/**
 * Reads the small files in which the kernel tells its figures. DESIGN 7.5, 7.6.
 *
 * A look reads hundreds of them: opened, read and closed by hand into one buffer they cost a third of `readFileSync`.
 */
import { closeSync, openSync, read, readFileSync, readSync } from "node:fs";

/** Each of these files comes whole in one read, and the longest (memory.stat) is a quarter of it. */
const SIZE = 16 * 1024;

const shared = Buffer.alloc(SIZE);

/** `undefined`: not there, not there any more, or not ours to read. */
export function readSmallFile(path: string): string | undefined {
  let handle: number | undefined;
  try {
    handle = openSync(path, "r");
    return shared.toString("latin1", 0, readSync(handle, shared, 0, SIZE, 0));
  } catch {
    return undefined;
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}

/** The same for a file that comes in pieces, because it grows with the machine. */
export function readLongFile(path: string): string | undefined {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return undefined;
  }
}

/** The same for a file that takes the kernel long to make up: only its reading blocks, and another thread at that. */
export async function readSlowFile(path: string): Promise<string | undefined> {
  let handle: number | undefined;
  try {
    const file = openSync(path, "r");
    handle = file;
    const buffer = Buffer.alloc(SIZE / 4);
    const length = await new Promise<number>((resolve, reject) => {
      read(file, buffer, 0, buffer.length, null, (error, count) => {
        if (error === null) resolve(count);
        else reject(error);
      });
    });
    return buffer.toString("latin1", 0, length);
  } catch {
    return undefined;
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}

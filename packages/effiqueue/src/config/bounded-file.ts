/** Reading files that others write, and no more of them than can be meant: a path may lead to a device that never ends. DESIGN 5.1, 5.4. */
import { closeSync, openSync, readSync } from "node:fs";

/** The bytes of a file, a pipe or a device; `undefined`: there are more than `most`. @throws as `openSync` and `readSync` */
export function readBounded(file: string, most: number): Buffer | undefined {
  const handle = openSync(file, "r");
  try {
    return readAtMost(handle, most);
  } finally {
    closeSync(handle);
  }
}

/** The same of a file that is open. */
export function readAtMost(handle: number, most: number): Buffer | undefined {
  const bytes = Buffer.alloc(most + 1);
  for (let length = 0; length <= most; ) {
    const read = readSync(handle, bytes, length, bytes.length - length, null);
    if (read === 0) return bytes.subarray(0, length);
    length += read;
  }
  return undefined;
}

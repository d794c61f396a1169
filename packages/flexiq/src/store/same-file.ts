/**
 * Whether the file that is open is still the one its path names. A file that was deleted or replaced stays usable for who has it
 * open, so jobs would go into it, be acknowledged, and never be seen by anybody else. DESIGN 9.1.
 */
import { statSync } from "node:fs";
import { FlexiqError } from "../errors.ts";

/** A look costs microseconds, an enqueue not many more. */
const LOOK_EVERY_MS = 250;

/**
 * The check throws FlexiqError file-missing or file-replaced, or what `look` does; it looks now and then only.
 *
 * @param look hears how large the file is while it is the same
 */
export function sameFileCheck(dbPath: string, look: (size: number) => void): () => void {
  const opened = statSync(dbPath);
  let lookedAtMs = performance.now();
  let isSame = true;
  return () => {
    const nowMs = performance.now();
    if (isSame && nowMs - lookedAtMs < LOOK_EVERY_MS) return;
    lookedAtMs = nowMs;
    const there = statSync(dbPath, { throwIfNoEntry: false });
    isSame = there?.ino === opened.ino && there.dev === opened.dev;
    if (isSame && there !== undefined) {
      look(there.size);
      return;
    }
    throw there === undefined
      ? new FlexiqError(
          "file-missing",
          `${dbPath} was deleted or moved away while it was open: move it back, or start again what uses it`,
        )
      : new FlexiqError(
          "file-replaced",
          `${dbPath} is another file than the one that was opened: start again what uses it`,
        );
  };
}

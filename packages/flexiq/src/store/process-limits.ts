/**
 * Limits of a process that SQLite tells as something else: what files may grow to (ulimit -f) as an I/O error, as if the disk were
 * broken, and how many may be open (ulimit -n) as a file that cannot be opened. DESIGN 9.1.
 */
import { closeSync, openSync, readFileSync, statSync } from "node:fs";

/** Whether nothing more can be opened, by this process or by anybody. */
export function isOutOfFiles(): boolean {
  try {
    closeSync(openSync("/dev/null", "r"));
    return false;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "EMFILE" || code === "ENFILE";
  }
}

/** More than a page of a database or a frame of its log, which is what did not fit. */
const WRITE_BYTES = 65_536;

/** In bytes, when the file or its log has grown up to it; `undefined`: that is not what is wrong. */
export function reachedFileLimit(dbPath: string): number | undefined {
  const limit = fileLimit();
  if (limit === undefined) return undefined;
  const sizes = [dbPath, `${dbPath}-wal`].map((path) => statSync(path, { throwIfNoEntry: false })?.size ?? 0);
  return Math.max(...sizes) + WRITE_BYTES > limit ? limit : undefined;
}

/** `undefined`: there is none, or the system does not tell. */
function fileLimit(): number | undefined {
  try {
    const [, soft] = /^Max file size +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
    return soft === undefined ? undefined : Number(soft);
  } catch {
    return undefined;
  }
}

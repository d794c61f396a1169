/**
 * The limit of a process on the size of its files (ulimit -f). SQLite calls a write beyond it an I/O error, as if the disk were
 * broken. DESIGN 9.1.
 */
import { readFileSync, statSync } from "node:fs";

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

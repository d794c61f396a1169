/**
 * The file that a path means. SQLite follows a link at its end, and keeps the log beside the target; whoever went by the link would miss
 * the log, the filesystem it is on, and the autoscaler that another path leads to. Folders on the way may be links: they hold the
 * same files by every name. DESIGN 9.1.
 */
import { readlinkSync } from "node:fs";
import { dirname, resolve } from "node:path";

/** As many as Linux follows. */
const MOST_LINKS = 40;

export function linkTarget(path: string): string {
  let target = path;
  for (let links = 0; links < MOST_LINKS; links++) {
    const next = linkAt(target);
    if (next === undefined) return target;
    target = resolve(dirname(target), next);
  }
  return path;
}

/** `undefined`: it is none, or not there yet. */
function linkAt(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

/**
 * Whether the folder of a program's lock and list of workers can be had. Nothing is made, and no lock is taken. DESIGN 7.10, 4.7.
 */
import { statfsSync } from "node:fs";
import { join } from "node:path";
import { lastOwner } from "../../act/lock.ts";
import { isCopy, originOf } from "../../act/lock-record.ts";
import { livenessOf } from "../../act/platform/identity.ts";
import { isTooLong, may, nearestExisting, ownUser, statOf } from "./access.ts";
import { failed, ok, type Verdict, warning } from "./verdicts.ts";

const SUBJECT = "state folder";
const LOCK = "state lock";

/** The file in it whose name is longest. */
const LONGEST_FILE = "workers.json.new";

/** Of a few small files. */
const ENOUGH_BYTES = 1024 ** 2;

export function checkStateFolder(folder: string): readonly Verdict[] {
  if (isTooLong(join(folder, LONGEST_FILE))) {
    const found = `${folder.slice(0, 60)}... cannot be made: it is too long for a path, or one of its names for a name`;
    return [failed(SUBJECT, found, "name a shorter one: state_dir, and name of the program")];
  }
  const stat = statOf(folder);
  if (stat === undefined) return [checkPlace(folder)];
  if (!stat.isDirectory()) return [failed(SUBJECT, `${folder} is no folder`, "name another one: state_dir")];
  const ours = process.geteuid?.();
  if (ours !== undefined && stat.uid !== ours) {
    return [
      failed(
        SUBJECT,
        `${folder} belongs to user ${stat.uid}, and this is ${ownUser()}`,
        "run effiqueue, and this command, as that user; or name another folder: state_dir",
      ),
    ];
  }
  if (!may(folder, "read", "write", "execute")) return [notWritable(folder)];
  return [checkSpace(folder, `${folder}, ours`), checkLock(folder)];
}

function checkPlace(folder: string): Verdict {
  const place = nearestExisting(folder);
  if (statOf(place)?.isDirectory() !== true) {
    return failed(SUBJECT, `${folder} cannot be made, for ${place} is no folder`, "name another one: state_dir");
  }
  if (!may(place, "write", "execute")) return notWritable(folder, place);
  return checkSpace(place, `${folder} does not exist yet and can be made`);
}

const notWritable = (folder: string, place = folder): Verdict =>
  failed(
    SUBJECT,
    place === folder
      ? `${folder} may not be written by ${ownUser()}, or is on a read-only filesystem`
      : `${folder} cannot be made: ${ownUser()} may not write in ${place}, or it is on a read-only filesystem`,
    `run this command as the user of the daemon; else make the folder for that user, or name another one: state_dir`,
  );

function checkSpace(place: string, found: string): Verdict {
  const { bavail, bsize } = statfsSync(place);
  return bavail * bsize >= ENOUGH_BYTES
    ? ok(SUBJECT, found)
    : failed(SUBJECT, `${found}; its filesystem is full`, "make room: without the list no successor finds the workers");
}

function checkLock(folder: string): Verdict {
  const last = lastOwner(folder);
  if (last === undefined) return ok(LOCK, "free, nobody had it yet");
  if (isCopy(last, originOf(folder))) return ok(LOCK, `free; the folder is a copy, whose workers are left alone`);
  const { owner, released } = last;
  if (released) return ok(LOCK, "free, released by the last daemon");
  const liveness = owner === undefined ? "unknown" : livenessOf(owner);
  if (owner !== undefined && liveness === "alive") {
    const remedy = `nothing if that is the daemon of this file; else stop it (kill -TERM ${owner.pid}), or name another state_dir`;
    return warning(LOCK, `held by process ${owner.pid}, so that a second daemon is refused`, remedy);
  }
  if (liveness === "dead") return ok(LOCK, "free, the last daemon died; its workers will be taken over");
  const remedy = "one daemon per folder: give each container a state_dir of its own, unless this one succeeds that one";
  return warning(LOCK, "held from another container or boot, as far as can be told from here", remedy);
}

/**
 * Who a user of this system is. The file answers in no time and without a process; what it does not know may be in a directory
 * on the network, which only the system's own tools can ask. DESIGN 4.1.
 */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

export interface SystemUser {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
  /** `undefined`: this system does not tell. */
  readonly home: string | undefined;
}

/** A directory on the network may be away; nobody waits longer for it. */
const ANSWER_WITHIN_MS = 5_000;

/** @param name or number, as Supervisor takes it. `undefined`: there is no such user */
export function findUser(name: string): SystemUser | undefined {
  return inPasswd(passwdFile(), name) ?? inPasswd(ask("getent", ["passwd", name]), name) ?? byId(name);
}

/** `name:password:uid:gid:gecos:home:shell`, a line each. */
export function inPasswd(text: string, wanted: string): SystemUser | undefined {
  for (const line of text.split("\n")) {
    const [name = "", , uid = "", gid = "", , home = ""] = line.split(":");
    if ((name !== wanted && uid !== wanted) || !isId(uid) || !isId(gid)) continue;
    return { name, uid: Number(uid), gid: Number(gid), home: home === "" ? undefined : home };
  }
  return undefined;
}

function byId(user: string): SystemUser | undefined {
  const [uid, gid, name] = ["-u", "-g", "-un"].map((flag) => ask("id", [flag, "--", user]).trim());
  if (uid === undefined || gid === undefined || !isId(uid) || !isId(gid)) return undefined;
  return { name: name === undefined || name === "" ? user : name, uid: Number(uid), gid: Number(gid), home: undefined };
}

const isId = (text: string): boolean => /^\d{1,10}$/.test(text);

function passwdFile(): string {
  try {
    return readFileSync("/etc/passwd", "utf8");
  } catch {
    return "";
  }
}

/** What a tool prints; empty when it fails or is not there. */
function ask(tool: string, args: readonly string[]): string {
  const { status, stdout } = spawnSync(tool, args, { encoding: "utf8", timeout: ANSWER_WITHIN_MS });
  return status === 0 ? stdout : "";
}

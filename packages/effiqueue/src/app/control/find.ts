/**
 * The daemon that a command is meant for: the one whose sockets are in the state folder, or of several that share the folder the one
 * that runs this configuration. DESIGN 7.12.
 */
import { existsSync, readdirSync, realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { codeOf, errorText } from "../../model/errors.ts";
import { programStateDir } from "../state-dir.ts";
import { ask, type Endpoint, SOCKET_BASE, StatusError } from "../status-client.ts";
import type { AboutReply } from "./replies.ts";
import { SOCKET_NAME } from "./socket.ts";

export interface FoundDaemon extends AboutReply {
  readonly endpoint: Endpoint;
}

/** There is no daemon that could be told anything; the message says where it was looked for, and what to do. */
export class NoDaemonError extends Error {
  override readonly name = "NoDaemonError";
  readonly code = "no-daemon";
}

/**
 * @param stateDir where its programs have their folders
 * @param config   the file it was started with; `undefined`: there is only one
 * @throws NoDaemonError
 */
export async function findDaemon(stateDir: string, config: string | undefined): Promise<FoundDaemon> {
  const daemons = await daemonsIn(stateDir);
  const fitting = config === undefined ? daemons : daemons.filter((each) => isSameFile(each.config, config));
  const [daemon, another] = fitting;
  if (daemon === undefined) throw new NoDaemonError(nobody(stateDir, config, daemons));
  if (another !== undefined) {
    throw new NoDaemonError(
      `several daemons keep their state in ${stateDir}; name the one you mean: ${fitting.map((each) => `--config ${each.config}`).join(" or ")}`,
    );
  }
  return daemon;
}

function nobody(stateDir: string, config: string | undefined, others: readonly AboutReply[]): string {
  if (config !== undefined && others.length > 0) {
    const files = others.map((each) => each.config).join(", ");
    return `no daemon runs ${config}; in ${stateDir} there runs ${files}`;
  }
  return `no daemon runs with its state in ${stateDir}; if one does elsewhere, name its folder: --state-dir FOLDER, which systemd units have in /var/lib`;
}

/** Each once, however many programs it has. */
async function daemonsIn(stateDir: string): Promise<readonly FoundDaemon[]> {
  const daemons: FoundDaemon[] = [];
  const known = new Set<string>();
  for (const name of foldersIn(stateDir)) {
    const folder = join(stateDir, name);
    if (known.has(folder) || !existsSync(join(folder, SOCKET_NAME))) continue;
    const endpoint = { base: SOCKET_BASE, socketIn: folder };
    const about = await aboutOf(endpoint);
    if (about === undefined) continue;
    for (const program of about.programs) known.add(programStateDir(stateDir, program));
    daemons.push({ ...about, endpoint });
  }
  return daemons;
}

function foldersIn(stateDir: string): readonly string[] {
  try {
    return readdirSync(stateDir).sort();
  } catch (cause) {
    if (codeOf(cause) === "ENOENT" || codeOf(cause) === "ENOTDIR") return [];
    throw new NoDaemonError(`${stateDir} cannot be looked into: ${remedyOf(cause)}`, { cause });
  }
}

/** `undefined`: it is what a dead daemon left. */
async function aboutOf(endpoint: Endpoint): Promise<AboutReply | undefined> {
  try {
    return await ask(endpoint, "/control");
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    const code = codeOf(error.cause);
    if (code === "ECONNREFUSED" || code === "ENOENT") return undefined;
    if (code === "EACCES" || code === "EPERM") {
      throw new NoDaemonError(`${join(endpoint.socketIn ?? "", SOCKET_NAME)} cannot be used: ${remedyOf(error.cause)}`);
    }
    throw error;
  }
}

const remedyOf = (cause: unknown): string =>
  codeOf(cause) === "EACCES" || codeOf(cause) === "EPERM"
    ? "it belongs to another user; ask as that user, such as with sudo -u"
    : errorText(cause);

/** A link that was turned since is still the file that the daemon was given. */
const isSameFile = (a: string, b: string): boolean => resolve(a) === resolve(b) || real(a) === real(b);

function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}

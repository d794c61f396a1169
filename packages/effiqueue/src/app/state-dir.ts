/**
 * Where the daemon keeps locks and lists of workers: one folder for each program, by which a successor finds the workers of a daemon
 * that was killed. DESIGN 7.9, 4.7.
 */
import { createHash } from "node:crypto";
import { homedir } from "node:os";
import { join } from "node:path";

/** A file name has at most 255 bytes. */
const LONGEST_NAME = 200;

/** The folder of all programs where neither the configuration nor the command line names one. */
export function defaultStateDir(
  env: Readonly<Record<string, string | undefined>> = process.env,
  isRoot = process.getuid?.() === 0,
): string {
  // systemd's StateDirectory=, which may be a list.
  const given = env["STATE_DIRECTORY"]?.split(":")[0];
  if (given !== undefined && given.startsWith("/")) return given;
  if (isRoot) return "/var/lib/effiqueue";
  const xdg = env["XDG_STATE_HOME"];
  // A relative one is to be ignored, says its specification.
  return join(xdg?.startsWith("/") === true ? xdg : join(homedir(), ".local", "state"), "effiqueue");
}

/** The folder of one program: names may hold slashes, dots and whatever else, and no two share a folder. */
export function programStateDir(stateDir: string, program: string): string {
  const encoded = encodeURIComponent(program).replace(/^\./, "%2E");
  if (encoded.length <= LONGEST_NAME) return join(stateDir, encoded);
  const digest = createHash("sha256").update(program).digest("hex").slice(0, 16);
  return join(stateDir, `${encoded.slice(0, LONGEST_NAME)}~${digest}`);
}

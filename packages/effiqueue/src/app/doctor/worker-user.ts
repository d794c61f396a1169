/** Whether workers can run as the user that they are to run as. DESIGN 7.10. */
import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { findUser } from "../../act/platform/users.ts";
import type { WorkerSettings } from "../../config/worker.ts";
import { findExecutable } from "./executables.ts";
import { failed, ok, type Verdict, warning } from "./verdicts.ts";

const SUBJECT = "user";

export function checkWorkerUser(
  user: string | undefined,
  settings: WorkerSettings,
  env: NodeJS.ProcessEnv,
): readonly Verdict[] {
  if (user === undefined) return [];
  const found = findUser(user);
  if (found === undefined) {
    return [
      failed(SUBJECT, `this system knows no user ${user}`, "correct the name, or make that user: useradd --system"),
    ];
  }
  const { uid, gid } = found;
  const ours = process.geteuid?.();
  if (ours !== 0) {
    if (ours === uid) return [ok(SUBJECT, `${user}, who runs this`)];
    return [
      failed(
        SUBJECT,
        `only root can start workers as ${user}, and this is user ${ours}`,
        `run effiqueue as root, or as ${user} without the key`,
      ),
    ];
  }
  const { file, cwd, shell, env: own } = settings.command;
  const folder = resolve(cwd ?? process.cwd());
  const path = shell ? "/bin/sh" : (findExecutable(file, { cwd: folder, env: { ...env, ...own } })?.path ?? "/bin/sh");
  const trial = spawnSync("/bin/sh", ["-c", 'cd -- "$1" && test -x "$2"', "sh", folder, path], {
    uid,
    gid,
    cwd: "/",
    env: {},
    timeout: 5_000,
  });
  return trial.status === 0
    ? [ok(SUBJECT, `${user} (user ${uid}, group ${gid}) may enter ${folder} and execute ${path}`)]
    : [
        warning(
          SUBJECT,
          `${user} may not enter ${folder}, or not execute ${path}`,
          "give that user the right to both: namei -l shows where it ends",
        ),
      ];
}

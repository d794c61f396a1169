/** Whether a worker can be started: its folder, its command, and what the command is told to run. DESIGN 7.10. */
import { spawnSync } from "node:child_process";
import { basename, resolve } from "node:path";
import type { WorkerSettings } from "../../config/worker.ts";
import { may, statOf } from "./access.ts";
import { findExecutable, type Surroundings } from "./executables.ts";
import { failed, ok, skipped, type Verdict, warning } from "./verdicts.ts";

const SUBJECT = "worker command";

/** @param env the daemon's own environment */
export function checkWorkerCommand({ command }: WorkerSettings, env: NodeJS.ProcessEnv): readonly Verdict[] {
  const cwd = resolve(command.cwd ?? process.cwd());
  const fault = folderFault(cwd);
  if (fault !== undefined) return [failed("working directory", `${cwd} ${fault}`, "make it, or name another one: cwd")];
  if (process.platform === "win32") return [skipped(SUBJECT, "not looked for on this system")];
  const surroundings = { cwd, env: { ...env, ...command.env } };
  return command.shell ? [checkShellLine(command.file, surroundings)] : checkArgv(command, surroundings);
}

function folderFault(cwd: string): string | undefined {
  const stat = statOf(cwd);
  if (stat === undefined) return "does not exist, or cannot be reached by this user";
  if (!stat.isDirectory()) return "is no folder";
  return may(cwd, "execute") ? undefined : "may not be entered by this user";
}

function checkArgv({ file, args }: WorkerSettings["command"], surroundings: Surroundings): readonly Verdict[] {
  const found = findExecutable(file, surroundings);
  if (found === undefined) {
    const looked = file.includes("/")
      ? `${resolve(surroundings.cwd, file)} does not exist`
      : `no ${file} in PATH, which is ${surroundings.env["PATH"] ?? "not set"}`;
    return [
      failed(SUBJECT, looked, "install it, or name it by its whole path; a service has a shorter PATH than your shell"),
    ];
  }
  if (found.fault !== undefined) {
    return [failed(SUBJECT, `${found.path} ${found.fault}`, "mend that file, or name another command")];
  }
  const script = missingScript(found.path, args, surroundings.cwd);
  if (script !== undefined) {
    const remedy = "set cwd to the folder of the application, or name the script by its whole path";
    return [warning(SUBJECT, `${found.path} is there, but there is no ${script} for it to run`, remedy)];
  }
  return [ok(SUBJECT, `${found.path}, in ${surroundings.cwd}`)];
}

const INTERPRETERS = /^(php|node|nodejs|python|ruby|perl|sh|bash|dash|tsx)[\d.]*$/;

/** What an interpreter was told to run, where that looks like a file and is none. Flags in front may mean anything. */
function missingScript(path: string, [script]: readonly string[], cwd: string): string | undefined {
  if (script === undefined || !INTERPRETERS.test(basename(path))) return undefined;
  if (script.startsWith("-") || !/\/|\.\w+$/.test(script)) return undefined;
  const file = resolve(cwd, script);
  // Node adds what is left out.
  return ["", ".js", ".cjs", ".json"].some((end) => statOf(file + end) !== undefined) ? undefined : file;
}

/** Asks the shell itself, which runs nothing of the line: it has a grammar, functions and words of its own. */
function checkShellLine(line: string, { cwd, env }: Surroundings): Verdict {
  const shell = (...args: string[]) => spawnSync("/bin/sh", args, { cwd, env, encoding: "utf8", timeout: 5_000 });
  const syntax = shell("-n", "-c", line);
  if (syntax.error !== undefined)
    return failed(
      SUBJECT,
      `/bin/sh cannot be started: ${syntax.error.message}`,
      "install a shell, or set shell = false",
    );
  if (syntax.status !== 0)
    return failed(
      SUBJECT,
      `the shell cannot read the line: ${firstLine(syntax.stderr)}`,
      "mend the quotes and brackets of command",
    );
  const word = /^\s*([\w./+-]+)(?=\s|$)/.exec(line)?.[1];
  if (word !== undefined && shell("-c", 'command -v "$1"', "sh", word).status !== 0) {
    return warning(
      SUBJECT,
      `the shell finds no ${word}`,
      "install it, or name it by its whole path; a service has a shorter PATH than your shell",
    );
  }
  return ok(SUBJECT, `a line for /bin/sh, in ${cwd}; what it runs is for the shell to find`);
}

const firstLine = (text: string): string => text.trim().split("\n", 1)[0] ?? "";

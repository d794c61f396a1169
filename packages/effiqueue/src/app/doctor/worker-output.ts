/** Whether the files that workers write to can be appended to. DESIGN 7.10, 4.1. */
import { dirname, resolve } from "node:path";
import type { WorkerSettings } from "../../config/worker.ts";
import { may, ownUser, statOf } from "./access.ts";
import { failed, ok, type Verdict } from "./verdicts.ts";

/** What is inherited or dropped needs nothing. */
export function checkWorkerOutput({ output }: WorkerSettings): readonly Verdict[] {
  return (["stdout", "stderr"] as const).flatMap((name): readonly Verdict[] => {
    const target = output[name];
    return typeof target === "string" ? [] : [checkFile(name, resolve(target.file))];
  });
}

function checkFile(name: string, path: string): Verdict {
  const stat = statOf(path);
  if (stat === undefined) {
    const folder = dirname(path);
    if (statOf(folder)?.isDirectory() !== true)
      return failed(name, `${folder} is no folder`, "make it: only files are made, not folders");
    return may(folder, "write", "execute")
      ? ok(name, `${path} does not exist yet and can be made`)
      : failed(
          name,
          `${path} cannot be made: ${ownUser()} may not write in its folder`,
          "make the file for that user, or name another one",
        );
  }
  if (stat.isDirectory()) return failed(name, `${path} is a folder`, "name a file in it");
  if (stat.isFIFO()) {
    return failed(
      name,
      `${path} is a named pipe, and no worker is started with one: opening it waits for a reader`,
      "name a file, and read that",
    );
  }
  return may(path, "write")
    ? ok(name, `${path} can be appended to`)
    : failed(name, `${path} may not be written by ${ownUser()}`, "change its owner or its mode");
}

/** A file that somebody else holds. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

/** Another process holds the write lock until the returned function is called. */
export async function lockFile(path: string): Promise<() => Promise<void>> {
  const holder = fork(fileURLToPath(new URL("../fixtures/lock-file.mjs", import.meta.url)), [path]);
  onTestFinished(() => {
    holder.kill("SIGKILL");
  });
  await once(holder, "message");
  return async () => {
    holder.send("let go");
    await once(holder, "message");
  };
}

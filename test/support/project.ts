/** A user's project: the compiled examples in a folder of their own, with both packages where npm would put them. */
import { chmodSync, copyFileSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { tempDir } from "../../packages/effiqueue/test/support/temp-dir.ts";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));

const EXAMPLES = join(ROOT, "examples/dist");

export interface Project {
  readonly dir: string;
  readonly dbPath: string;
  /** Says which file is the queue. */
  readonly env: NodeJS.ProcessEnv;
}

export function makeProject(): Project {
  const dir = tempDir();
  const dbPath = join(dir, "queue", "flexiq.db");
  write(join(dir, "package.json"), JSON.stringify({ name: "myapp", private: true, type: "module" }));
  for (const name of readdirSync(EXAMPLES)) {
    if (name.endsWith(".js")) copyFileSync(join(EXAMPLES, name), join(dir, name));
  }
  mkdirSync(join(dir, "myapp"));
  copyFileSync(join(EXAMPLES, "tasks.js"), join(dir, "myapp/tasks.js"));
  mkdirSync(join(dir, "queue"));
  for (const name of ["effiqueue", "flexiq"]) link(join(ROOT, "packages", name), join(dir, "node_modules", name));
  // The link that npm makes needs an executable file, which only npm makes of it.
  const command = join(dir, "node_modules/.bin/flexiq");
  write(command, `#!/bin/sh\nexec "${process.execPath}" "${join(ROOT, "packages/flexiq/dist/cli/main.js")}" "$@"\n`);
  chmodSync(command, 0o755);
  return { dir, dbPath, env: { FLEXIQ_DB_PATH: dbPath } };
}

function link(target: string, path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path);
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

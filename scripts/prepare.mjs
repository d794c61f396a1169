// Makes a fresh clone ready to run: installs what the lock file says, when it is not there yet, and builds.
import { spawnSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** Runs a command in the project's root with its output shown; ends this process with its exit code when it fails. */
export function run(command, args, env = {}) {
  const { status, error } = spawnSync(command, args, { cwd: ROOT, stdio: "inherit", env: { ...process.env, ...env } });
  if (error) console.error(`${command}: ${error.message}`);
  if (status !== 0) process.exit(status ?? 1);
}

const changedAt = (path) => (existsSync(path) ? statSync(path).mtimeMs : 0);

export function install() {
  const installed = changedAt(`${ROOT}node_modules/.package-lock.json`);
  if (installed > 0 && installed >= changedAt(`${ROOT}package-lock.json`)) return;
  console.log("Installing dependencies. On Node 20 this compiles SQLite, which takes a minute or two.");
  // The optimiser is most of that time, and tests do not need it; benchmarks do, and install without CI set.
  run("npm", ["ci"], process.env.CI ? { CFLAGS: "-O1", CXXFLAGS: "-O1" } : {});
}

export function build() {
  run(process.execPath, ["node_modules/typescript/bin/tsc", "-b"]);
  run(process.execPath, [
    "node_modules/vite/bin/vite.js",
    "build",
    "-c",
    "packages/effiqueue/dashboard/vite.config.mjs",
  ]);
}

export function prepare() {
  install();
  build();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) prepare();

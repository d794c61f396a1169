// Installs the peers into this folder when they are not there yet. A peer that cannot be had is not measured; a
// figure is never taken from elsewhere.
import { spawnSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { cleanEnv } from "./lib/lane.mjs";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const changedAt = (path) => (existsSync(path) ? statSync(path).mtimeMs : 0);

export function installPeers() {
  if (changedAt(`${HERE}node_modules/.package-lock.json`) >= changedAt(`${HERE}package-lock.json`)) return;
  console.error("Installing the products that flexiq is measured beside.");
  const env = { ...cleanEnv(), NODE_EXTRA_CA_CERTS: process.env.NODE_EXTRA_CA_CERTS };
  const { status } = spawnSync("npm", ["ci", "--no-audit"], { cwd: HERE, stdio: ["ignore", "ignore", "inherit"], env });
  if (status !== 0) console.error("npm ci failed: only what is installed already takes part.");
}

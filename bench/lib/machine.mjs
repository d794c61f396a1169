// What the figures were taken on, and how busy it was meanwhile.
import { execFileSync } from "node:child_process";
import { cpus, loadavg, release, totalmem } from "node:os";

export const describeMachine = () => ({
  cpu: cpus()[0]?.model ?? "unknown",
  cores: cpus().length,
  memoryGb: Math.round(totalmem() / 2 ** 30),
  kernel: release(),
  node: process.versions.node,
});

export const load = () => loadavg().map((value) => Number(value.toFixed(2)));

/** The state of the sources that were measured. */
export function revision(folder) {
  const git = (...args) => execFileSync("git", args, { cwd: folder, encoding: "utf8" }).trim();
  try {
    return `${git("rev-parse", "--short", "HEAD")}${git("status", "--porcelain", "packages") === "" ? "" : " (changed)"}`;
  } catch {
    return "unknown";
  }
}

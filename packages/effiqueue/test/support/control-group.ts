/** Real control groups, of whichever version this machine has. Needs root, and a hierarchy that may be written to. */
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { waitFor } from "./wait-for.ts";

const ROOT = "/sys/fs/cgroup";
const PERIOD_US = 100_000;

export interface GroupLimits {
  readonly memoryBytes: number;
  readonly cpus: number;
}

export interface ControlGroup {
  /** Puts the command behind it into the group. */
  readonly through: readonly string[];
  /** Folders whose limits are its. */
  readonly memory: string;
  readonly cpu: string;
}

const isVersion2 = existsSync(join(ROOT, "cgroup.controllers"));

export function mayMakeGroups(): boolean {
  const folder = join(isVersion2 ? ROOT : join(ROOT, "memory"), `effiqueue-test-${process.pid}`);
  try {
    if (isVersion2) writeFileSync(join(ROOT, "cgroup.subtree_control"), "+memory +cpu");
    mkdirSync(folder);
    rmdirSync(folder);
    return true;
  } catch {
    return false;
  }
}

let made = 0;

/** A group without limits inside of one that has them. */
export function controlGroup(limits: GroupLimits): ControlGroup {
  made += 1;
  const name = `effiqueue-test-${process.pid}-${made}`;
  return isVersion2 ? ofVersion2(name, limits) : ofVersion1(name, limits);
}

function ofVersion2(name: string, { memoryBytes, cpus }: GroupLimits): ControlGroup {
  const folder = join(ROOT, name);
  const inner = nested(folder);
  writeFileSync(join(folder, "memory.max"), String(memoryBytes));
  writeFileSync(join(folder, "cpu.max"), `${cpus * PERIOD_US} ${PERIOD_US}`);
  return { through: entering([inner]), memory: folder, cpu: folder };
}

function ofVersion1(name: string, { memoryBytes, cpus }: GroupLimits): ControlGroup {
  const [memory, cpu] = ["memory", "cpu"].map((controller) => join(ROOT, controller, name)) as [string, string];
  const inner = [memory, cpu].map(nested);
  writeFileSync(join(memory, "memory.limit_in_bytes"), String(memoryBytes));
  writeFileSync(join(cpu, "cpu.cfs_period_us"), String(PERIOD_US));
  writeFileSync(join(cpu, "cpu.cfs_quota_us"), String(cpus * PERIOD_US));
  return { through: entering(inner), memory, cpu };
}

/** Both go when nobody is in them any more, which the kernel notices a moment after the end of a process. */
function nested(outer: string): string {
  const inner = join(outer, "inner");
  mkdirSync(inner, { recursive: true });
  onTestFinished(async () => {
    for (const folder of [inner, outer]) await waitFor(() => isGone(folder), { what: `nobody in ${folder}` });
  });
  return inner;
}

function isGone(folder: string): boolean {
  try {
    rmdirSync(folder);
    return true;
  } catch {
    return !existsSync(folder);
  }
}

function entering(folders: readonly string[]): readonly string[] {
  const enter = folders.map((folder) => `echo $$ > ${folder}/cgroup.procs`).join(" && ");
  return ["sh", "-c", `${enter} && exec "$@"`, "sh"];
}

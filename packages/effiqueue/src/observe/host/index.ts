/**
 * Memory of the machine and of the workers, in one look. DESIGN 7.5, 7.6.
 */
import { readFileSync } from "node:fs";
import { totalmem } from "node:os";
import type { MachineReading } from "../../model/machine.ts";
import type { MemoryProbe, Reporter } from "../../model/ports.ts";
import { readSmallFile } from "./files.ts";
import { type LimitedGroup, limitedGroups } from "./groups.ts";
import { type HostMemory, type MachineMemory, machineMemory } from "./machine-memory.ts";
import { OomKills } from "./oom-kills.ts";
import { type Groups, ownGroups } from "./places.ts";
import { fieldIn, pressureIn } from "./texts.ts";
import { groupsWithoutProc, hostWithoutProc } from "./without-proc.ts";
import { WorkerMemory } from "./worker-memory.ts";

export interface HostMemoryOptions {
  /** The folder in which `proc` and `sys` are. Default: the system's own. */
  readonly root?: string;
  /** Hears when the kernel has killed for want of memory. */
  readonly reporter?: Reporter;
}

export function hostMemoryProbe({ root = "/", reporter }: HostMemoryOptions = {}): MemoryProbe {
  return process.platform === "linux" ? linuxProbe(root.replace(/\/+$/, ""), reporter) : PROBE_WITHOUT_PROC;
}

const PROBE_WITHOUT_PROC: MemoryProbe = {
  read: async (leaders) => {
    const [host, groupBytes] = await Promise.all([hostWithoutProc(), groupsWithoutProc(leaders)]);
    return { ...machineMemory(host, []), groupBytes };
  },
};

function linuxProbe(root: string, reporter: Reporter | undefined): MemoryProbe {
  const oomKills = reporter && new OomKills(root, reporter);
  const workers = new WorkerMemory(root);
  return {
    read: async (leaders) => {
      const hierarchies = hierarchiesAround(root);
      const groups = limitedGroups(root, hierarchies);
      const machine = machineMemory(hostMemory(root), groups);
      oomKills?.look(hierarchies, machine.limitedBy);
      const pressure = pressureOn(root, machine, groups);
      // The machine is read in the same instant as the workers are found, before their pages are counted.
      const groupBytes = await workers.read(leaders);
      return { ...machine, groupBytes, ...(pressure === null ? {} : { pressure }) } satisfies MachineReading;
    },
  };
}

function hostMemory(root: string): HostMemory {
  const meminfo = readSmallFile(`${root}/proc/meminfo`);
  const swapTotalBytes = fieldIn(meminfo, "SwapTotal");
  const swapFreeBytes = fieldIn(meminfo, "SwapFree");
  return {
    totalBytes: fieldIn(meminfo, "MemTotal") ?? totalmem(),
    availableBytes: fieldIn(meminfo, "MemAvailable"),
    swapTotalBytes,
    swapUsedBytes:
      swapTotalBytes === null || swapFreeBytes === null ? null : Math.max(0, swapTotalBytes - swapFreeBytes),
  };
}

/** Looked up at every look: a service manager may move a process from group to group. */
function hierarchiesAround(root: string): readonly Groups[] {
  return ownGroups(readSmallFile(`${root}/proc/self/cgroup`) ?? "", mountinfoOf(root));
}

/** The one file here that comes in pieces, and that may be long. */
function mountinfoOf(root: string): string {
  try {
    return readFileSync(`${root}/proc/self/mountinfo`, "latin1");
  } catch {
    return "";
  }
}

/** Of the group that limits us, where it keeps an account: others that press on limits of their own do not concern us. */
function pressureOn(root: string, { limitedBy }: MachineMemory, groups: readonly LimitedGroup[]): number | null {
  const group = groups.find(({ folder, version }) => folder === limitedBy && version === 2);
  const own = group && pressureIn(readSmallFile(`${root}${group.folder}/memory.pressure`));
  return own ?? pressureIn(readSmallFile(`${root}/proc/pressure/memory`));
}

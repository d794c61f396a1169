/**
 * The machine and what the workers take of its memory, in one look. DESIGN 7.5, 7.6, 7.11.
 */
import { totalmem } from "node:os";
import type { MachineReading } from "../../model/machine.ts";
import type { MemoryProbe, OomAccount, Reporter } from "../../model/ports.ts";
import { cpuQuotas } from "./cpu-quotas.ts";
import { hostCpus, hostCpusWithoutProc } from "./cpu-times.ts";
import { CpuUse, type HostCpus } from "./cpu-use.ts";
import { readLongFile, readSmallFile } from "./files.ts";
import { type LimitedGroup, limitedGroups } from "./groups.ts";
import { type HostMemory, type MachineMemory, machineMemory } from "./machine-memory.ts";
import { OomKills } from "./oom-kills.ts";
import { type Controller, type Groups, groupMounts, ownGroups } from "./places.ts";
import { fieldIn, pressureIn } from "./texts.ts";
import { groupsWithoutProc, hostWithoutProc } from "./without-proc.ts";
import { WorkerMemory } from "./worker-memory.ts";

export interface HostMemoryOptions {
  /** The folder in which `proc` and `sys` are. Default: the system's own. */
  readonly root?: string;
  /** Hears when the kernel has killed for want of memory. */
  readonly reporter?: Reporter;
}

export interface HostMemoryProbe extends MemoryProbe, OomAccount {}

export function hostMemoryProbe({ root = "/", reporter }: HostMemoryOptions = {}): HostMemoryProbe {
  return process.platform === "linux" ? linuxProbe(root.replace(/\/+$/, ""), reporter) : probeWithoutProc();
}

function probeWithoutProc(): HostMemoryProbe {
  const cpuUse = new CpuUse();
  return {
    read: async (leaders) => {
      const [host, groupBytes] = await Promise.all([hostWithoutProc(), groupsWithoutProc(leaders)]);
      const cpus = cpuUse.look(hostCpusWithoutProc(), [], performance.now());
      return { ...machineMemory(host, []), cpus, groupBytes };
    },
    claimOomKill: () => false,
  };
}

function linuxProbe(root: string, reporter: Reporter | undefined): HostMemoryProbe {
  const oomKills = new OomKills(root, groupsAround(root)("memory"), reporter);
  const workers = new WorkerMemory(root);
  const cpuUse = new CpuUse();
  return {
    read: async (leaders) => {
      const groupsOf = groupsAround(root);
      const hierarchies = groupsOf("memory");
      const groups = limitedGroups(root, hierarchies);
      const machine = machineMemory(hostMemory(root), groups);
      oomKills.look(hierarchies, machine.limitedBy, performance.now());
      const pressure = pressureOn(root, machine, groups);
      const quotas = cpuQuotas(root, groupsOf("cpu"), groupsOf("cpuacct"));
      const cpus = cpuUse.look(hostCpusOf(root), quotas, performance.now());
      // The machine is read in the same instant as the workers are found, before their pages are counted.
      const groupBytes = await workers.read(leaders);
      return { ...machine, cpus, groupBytes, ...(pressure === null ? {} : { pressure }) } satisfies MachineReading;
    },
    claimOomKill: () => oomKills.claim(groupsAround(root)("memory"), performance.now()),
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
function groupsAround(root: string): (controller: Controller) => readonly Groups[] {
  const membership = readSmallFile(`${root}/proc/self/cgroup`) ?? "";
  const mounts = groupMounts(readLongFile(`${root}/proc/self/mountinfo`) ?? "");
  return (controller) => ownGroups(membership, mounts, controller);
}

const hostCpusOf = (root: string): HostCpus =>
  hostCpus(readLongFile(`${root}/proc/stat`), readSmallFile(`${root}/proc/self/status`));

/** Of the group that limits us, where it keeps an account: others that press on limits of their own do not concern us. */
function pressureOn(root: string, { limitedBy }: MachineMemory, groups: readonly LimitedGroup[]): number | null {
  const group = groups.find(({ folder, version }) => folder === limitedBy && version === 2);
  const own = group && pressureIn(readSmallFile(`${root}${group.folder}/memory.pressure`));
  return own ?? pressureIn(readSmallFile(`${root}/proc/pressure/memory`));
}

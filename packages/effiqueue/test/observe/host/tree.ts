/** A folder that looks like the root of a machine: `proc` and `sys` with the files that a test puts there. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { tempDir } from "../../support/temp-dir.ts";

export const MIB = 1024 ** 2;
export const GIB = 1024 ** 3;

export type Files = Readonly<Record<string, string>>;

export function treeOf(files: Files): string {
  const root = tempDir();
  addFiles(root, files);
  return root;
}

export function addFiles(root: string, files: Files): void {
  for (const [path, text] of Object.entries(files)) {
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

/** 64 GiB, half of it in use, and 4 GiB of swap of which 1 is in use. */
export const BIG_HOST: Files = {
  "proc/meminfo": [
    "MemTotal:       67108864 kB",
    "MemFree:        20971520 kB",
    "MemAvailable:   33554432 kB",
    "SwapCached:            0 kB",
    "SwapTotal:       4194304 kB",
    "SwapFree:        3145728 kB",
    "",
  ].join("\n"),
  "proc/pressure/memory":
    "some avg10=12.50 avg60=3.00 avg300=1.00 total=99\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n",
};

/** Version 2, in the group of a systemd service. */
export const UNIFIED: Files = {
  "proc/self/cgroup": "0::/system.slice/queue.service\n",
  "proc/self/mountinfo":
    "22 1 8:1 / / rw - ext4 /dev/sda rw\n30 22 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n",
};
export const SERVICE = "sys/fs/cgroup/system.slice/queue.service";
export const SLICE = "sys/fs/cgroup/system.slice";

/** Version 1, in a container that sees its own group as the root of the hierarchy. */
export const CONTAINER_V1: Files = {
  "proc/self/cgroup": "12:pids:/docker/abc\n9:cpu,cpuacct:/docker/abc\n5:memory:/docker/abc\n0::/docker/abc\n",
  "proc/self/mountinfo":
    "812 800 0:33 /docker/abc /sys/fs/cgroup/memory ro,nosuid master:14 - cgroup cgroup rw,memory\n813 800 0:34 /docker/abc /sys/fs/cgroup/pids ro - cgroup cgroup rw,pids\n",
};
export const MEMORY_V1 = "sys/fs/cgroup/memory";

/** Two of its four processors are ours; the figures are hundredths of a second: user nice system idle iowait irq softirq steal. */
export const procStat = (...lines: readonly string[]): Files => ({
  "proc/stat": ["cpu  1 2 3 4", ...lines.map((line, i) => `cpu${i} ${line}`), "intr 5 6", ""].join("\n"),
});

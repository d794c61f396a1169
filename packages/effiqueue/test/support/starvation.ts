/**
 * A place in which memory runs out: a real control group where this machine lets us make one, else its files, with a test that
 * counts and kills as the kernel does.
 */
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { addFiles, MEMORY_V1, treeOf } from "../observe/host/tree.ts";
import { tempDir } from "./temp-dir.ts";
import { waitFor } from "./wait-for.ts";

export interface Starvation {
  /** The folder above `proc` in which the account of kills is found. */
  readonly root: string;
  /** The group to join; empty where there is none. */
  readonly group: string;
  /** What a worker runs. */
  readonly script: string;
  /** One of these workers is killed for want of memory. */
  strike(pids: readonly number[]): void;
}

/** More than Node takes, and soon full. */
const LIMIT_BYTES = 160 * 1024 ** 2;

const LIMITS = [
  ["/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.memsw.limit_in_bytes"],
  ["/sys/fs/cgroup", "memory.max", "memory.swap.max"],
] as const;

export function starvation(): Starvation {
  for (const [parent, limit, swapLimit] of LIMITS) {
    const group = join(parent, `effiqueue-test-${process.pid}`);
    try {
      mkdirSync(group);
    } catch {
      continue;
    }
    onTestFinished(() => waitFor(() => isRemoved(group)).then(() => undefined));
    if (!existsSync(join(group, limit))) continue;
    writeFileSync(join(group, limit), String(LIMIT_BYTES));
    if (existsSync(join(group, swapLimit))) {
      writeFileSync(join(group, swapLimit), String(swapLimit.includes("memsw") ? LIMIT_BYTES : 0));
    }
    return real(group);
  }
  return played();
}

/** Not as long as somebody is in it. */
function isRemoved(group: string): boolean {
  try {
    rmdirSync(group);
    return true;
  } catch {
    return !existsSync(group);
  }
}

function real(group: string): Starvation {
  const go = join(tempDir(), "go");
  return {
    root: "/",
    group,
    // Whoever takes the file keeps the longest line in the world.
    script: `until rm "${go}" 2>/dev/null; do sleep 0.02; done; exec tail /dev/zero`,
    strike: () => writeFileSync(go, ""),
  };
}

function played(): Starvation {
  const account = `${MEMORY_V1}/memory.oom_control`;
  const accountOf = (kills: number) => ({ [account]: `oom_kill_disable 0\nunder_oom 0\noom_kill ${kills}\n` });
  const root = treeOf({
    "proc/self/cgroup": "5:memory:/\n",
    "proc/self/mountinfo": "812 800 0:33 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n",
    ...accountOf(0),
  });
  let kills = 0;
  return {
    root,
    group: "",
    script: "exec sleep 600",
    strike: ([first = 0]) => {
      kills += 1;
      addFiles(root, accountOf(kills));
      process.kill(-first, "SIGKILL");
    },
  };
}

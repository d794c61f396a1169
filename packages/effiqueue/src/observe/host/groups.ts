/**
 * What the control groups around us allow, and what they use of it. DESIGN 7.5.
 */
import { readSmallFile } from "./files.ts";
import type { Groups } from "./places.ts";
import { bytesIn, fieldIn, limitIn } from "./texts.ts";

/** A control group with a limit. Bytes. */
export interface LimitedGroup {
  readonly folder: string;
  readonly version: 1 | 2;
  /** `null`: only its swap is limited. */
  readonly limitBytes: number | null;
  /** In use without the cache that the kernel gives back on demand; `null`: unknown. */
  readonly workingSetBytes: number | null;
  /** `null`: no limit but the host's. */
  readonly swapLimitBytes: number | null;
  readonly swapUsedBytes: number | null;
}

/** A group that limits nothing costs only the reading of its limits. */
export function limitedGroups(root: string, hierarchies: readonly Groups[]): readonly LimitedGroup[] {
  return hierarchies.flatMap(({ version, folders }) =>
    folders.flatMap((folder, i): readonly LimitedGroup[] => {
      const file = once((name) => readSmallFile(`${root}${folder}/${name}`));
      const group = version === 2 ? groupOfVersion2(file) : groupOfVersion1(file, i === folders.length - 1);
      if (group.limitBytes === null && group.swapLimitBytes === null) return [];
      return [{ folder, version, ...group }];
    }),
  );
}

/** Some figures stand in one file, and the kernel makes its text anew at each reading. */
function once(read: ReadFile): ReadFile {
  const texts = new Map<string, string | undefined>();
  return (name) => {
    if (!texts.has(name)) texts.set(name, read(name));
    return texts.get(name);
  };
}

type ReadFile = (name: string) => string | undefined;
type Figures = Omit<LimitedGroup, "folder" | "version">;

function groupOfVersion2(file: ReadFile): Figures {
  // Above `high` the kernel makes every member wait while it takes memory away: as good as a limit to whoever packs a machine.
  const limitBytes = least(limitIn(file("memory.max")), limitIn(file("memory.high")));
  const swapLimitBytes = limitIn(file("memory.swap.max"));
  return {
    limitBytes,
    workingSetBytes: limitBytes === null ? null : workingSet(file("memory.current"), file("memory.stat")),
    swapLimitBytes,
    swapUsedBytes: swapLimitBytes === null ? null : bytesIn(file("memory.swap.current")),
  };
}

/** @param isTopmost of those that we see: it also tells the limits of those above it, which a container does not see */
function groupOfVersion1(file: ReadFile, isTopmost: boolean): Figures {
  const own = limitIn(file("memory.limit_in_bytes"));
  const above = isTopmost ? limitIn(String(fieldIn(file("memory.stat"), "hierarchical_memory_limit") ?? "")) : null;
  // Version 1 limits the sum of memory and swap.
  const sum = limitIn(file("memory.memsw.limit_in_bytes"));
  const limitBytes = least(least(own, above), sum);
  if (limitBytes === null) return { limitBytes, workingSetBytes: null, swapLimitBytes: null, swapUsedBytes: null };
  const stat = file("memory.stat");
  return {
    limitBytes,
    workingSetBytes: workingSet(file("memory.usage_in_bytes"), stat),
    swapLimitBytes: sum === null ? null : sum - limitBytes,
    swapUsedBytes: sum === null ? null : (fieldIn(stat, "total_swap") ?? fieldIn(stat, "swap")),
  };
}

/** Version 1 counts the groups below under names of their own. */
function workingSet(usage: string | undefined, stat: string | undefined): number | null {
  const used = bytesIn(usage);
  const reclaimable = fieldIn(stat, "total_inactive_file") ?? fieldIn(stat, "inactive_file") ?? 0;
  return used === null ? null : Math.max(0, used - reclaimable);
}

function least(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.min(a, b);
}

/**
 * The memory that is ours to plan with: the host's, or that of the tightest control group around us. DESIGN 7.5. Pure.
 */
import type { MachineReading } from "../../model/machine.ts";
import type { LimitedGroup } from "./groups.ts";

/** Bytes; `null`: unknown. */
export interface HostMemory {
  readonly totalBytes: number | null;
  /** What can be had without paging: free, or cache that is given back on demand. */
  readonly availableBytes: number | null;
  readonly swapTotalBytes: number | null;
  readonly swapUsedBytes: number | null;
}

export type MachineMemory = Omit<MachineReading, "groupBytes" | "pressure">;

type WithLimit = LimitedGroup & { readonly limitBytes: number };

/** @param groups ours first, then those around it */
export function machineMemory(host: HostMemory, groups: readonly LimitedGroup[]): MachineMemory {
  const swap = swapOf(host, groups);
  const limited = groups.filter((group): group is WithLimit => isLimit(group.limitBytes, host.totalBytes));
  const [first, ...others] = limited;
  if (first === undefined) {
    const { totalBytes } = host;
    return { totalBytes, usedBytes: usedOf(totalBytes, host.availableBytes), ...swap, limitedBy: "host" };
  }
  const narrowest = others.reduce((least, group) => (group.limitBytes < least.limitBytes ? group : least), first);
  const rooms = [host.availableBytes, ...limited.map(roomIn)].filter((room) => room !== null);
  return {
    totalBytes: narrowest.limitBytes,
    // A wider group, or the host, may have less left than the narrowest: what cannot be had is in use.
    usedBytes: narrowest.workingSetBytes === null ? null : usedOf(narrowest.limitBytes, Math.min(...rooms)),
    ...swap,
    limitedBy: narrowest.folder,
  };
}

/** A limit of nothing is none: we would not be running. */
const isLimit = (bytes: number | null, hostBytes: number | null): boolean =>
  bytes !== null && bytes > 0 && bytes < (hostBytes ?? Number.POSITIVE_INFINITY);

const roomIn = ({ limitBytes, workingSetBytes }: WithLimit): number | null =>
  workingSetBytes === null ? null : Math.max(0, limitBytes - workingSetBytes);

function usedOf(totalBytes: number | null, roomBytes: number | null): number | null {
  return totalBytes === null || roomBytes === null ? null : Math.max(0, totalBytes - roomBytes);
}

function swapOf(
  host: HostMemory,
  groups: readonly LimitedGroup[],
): Pick<MachineMemory, "swapTotalBytes" | "swapUsedBytes"> {
  let { swapTotalBytes, swapUsedBytes } = host;
  for (const group of groups) {
    if (group.swapLimitBytes === null || group.swapLimitBytes >= (swapTotalBytes ?? Number.POSITIVE_INFINITY)) continue;
    swapTotalBytes = group.swapLimitBytes;
    swapUsedBytes = group.swapUsedBytes;
  }
  return { swapTotalBytes, swapUsedBytes };
}

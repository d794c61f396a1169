/**
 * The machine as a tick finds it. DESIGN 7.5. Types only.
 */
import type { Measured } from "./observation.ts";

/** The processors that we may use. */
export interface CpuReading {
  /** As many as our share of time is worth: 1.5 is one and half of another. */
  readonly count: Measured;
  /** Share of them that was in use by anybody since the look before, in [0, 1]; unknown at the first. */
  readonly busyShare: Measured;
  /** What the count is the limit of, for people: `host`, `affinity`, or the path of a control group. */
  readonly limitedBy: string;
}

/** Memory of the machine, or of the part of it that we may use, and of whole process groups, all in one look. Bytes. */
export interface MachineReading {
  readonly totalBytes: Measured;
  /** In use by anybody; cache that the system gives back on demand is not in use. */
  readonly usedBytes: Measured;
  readonly swapUsedBytes: Measured;
  readonly swapTotalBytes: Measured;
  /** Share of time in which somebody waited for memory, in [0, 1]. */
  readonly pressure?: Measured;
  /** What the total is the limit of, for people: `host`, or the path of a control group. */
  readonly limitedBy: string;
  readonly cpus?: CpuReading | undefined;
  /** Memory of each process group that was asked for, by the pid of its leader; one that could not be read is left out. */
  readonly groupBytes: ReadonlyMap<number, number>;
}

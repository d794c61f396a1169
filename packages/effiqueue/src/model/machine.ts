/**
 * The machine as a tick finds it. DESIGN 7.5. Types only.
 */
import type { CpuReading, Measured } from "./observation.ts";

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

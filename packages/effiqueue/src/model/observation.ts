/**
 * What the decide layer is told at a tick: plain data, JSON-safe. DESIGN 1.3. Types only.
 */

import type { Override } from "./override.ts";
import type { Limits } from "./schedule.ts";

/** A measured quantity. Absent, null, negative, not finite or impossible means unknown, which is never zero. */
export type Measured = number | null | undefined;

/** One reading of a queue. Counts are whole messages. */
export interface QueueReading {
  /** Due and waiting. Scheduled messages that are not due yet are no work and do not count. */
  readonly ready: number;
  /** Handed out, not acknowledged; `null` where the backend cannot see it. */
  readonly unacked: number | null;
  /** The part of `unacked` held by workers that were told to stop: no reason to grow (DESIGN 8.4). */
  readonly unackedByDraining?: number;
  /** Seconds since the oldest ready message arrived. */
  readonly oldestAgeSec?: number;
  /** Messages finished since the queue exists, however they were acknowledged. A total that falls was reset. */
  readonly ackedTotal?: Measured;
  /** Messages that arrived since the queue exists. */
  readonly publishedTotal?: Measured;
  /** Messages/s finished, and arrived, over the broker's own window. */
  readonly ackRate?: Measured;
  readonly publishRate?: Measured;
  /** Subscribed consumers, those of others included. Pollers subscribe none, so 0 says nothing. */
  readonly consumers?: Measured;
  /** Only one consumer is served at a time; the others wait until it is gone. */
  readonly singleConsumer?: boolean;
}

/** The pool as it stands. `starting + serving` is what the policies call the current count. */
export interface WorkersReading {
  readonly starting: number;
  readonly serving: number;
  readonly draining: number;
  /** Job slots of the starting and serving workers together, where workers publish them. */
  readonly slots?: number;
  /** Seconds since each starting or serving worker was started. */
  readonly startedSec?: readonly number[];
}

/** The machine, or the part of it that we may use, and what the workers of this program take of it. Bytes. */
export interface MemoryReading {
  readonly totalBytes: Measured;
  /** In use by anybody, our workers included; cache that the system gives back on demand is not in use. */
  readonly usedBytes: Measured;
  /** In use by the workers of this program, the draining ones included. */
  readonly poolBytes: Measured;
  /** The largest live worker with its children. 0 while there is none. */
  readonly largestWorkerBytes: Measured;
  /** Every one of them with its children. Absent where only the largest is known. */
  readonly workers?: readonly MeasuredWorker[] | undefined;
  readonly swapUsedBytes: Measured;
  readonly swapTotalBytes: Measured;
  /** Share of time in which somebody waited for memory, in [0, 1]. */
  readonly pressure?: Measured;
  /** What the total is the limit of, for people: `host`, or the path of a control group. */
  readonly limitedBy?: string | undefined;
}

export interface MeasuredWorker {
  readonly pid: number;
  /** Since it was started. */
  readonly ageSec: number;
  /** 0: not measured. */
  readonly bytes: number;
}

/** The processors that we may use. */
export interface CpuReading {
  /** As many as our share of time is worth: 1.5 is one and half of another. */
  readonly count: Measured;
  /** Share of them that was in use by anybody since the look before, in [0, 1]; unknown at the first. */
  readonly busyShare: Measured;
  /** What the count is the limit of, for people: `host`, `affinity`, or the path of a control group. */
  readonly limitedBy: string;
}

export interface Observation {
  /** Real elapsed seconds since the previous tick, on the monotonic clock; 0 on the first. */
  readonly dtSec: number;
  /** `null`: could not be read. */
  readonly queue: QueueReading | null;
  readonly workers: WorkersReading;
  /** Absent where nobody measures it; memory then limits nothing. */
  readonly memory?: MemoryReading | null | undefined;
  /** Absent where nobody measures them. */
  readonly cpus?: CpuReading | undefined;
  /** Bytes that the other programs leave of a budget they share with this one. */
  readonly budgetBytes?: Measured;
  /** Floor and ceiling that hold at this tick in place of the program's own. Absent where no schedule changes them. */
  readonly limits?: Limits | undefined;
  /** What an operator told the program. Absent: nothing. */
  readonly override?: Override | undefined;
  /** Workers that the kernel has killed in this window for want of memory. */
  readonly oomKills?: Measured;
  /** The number of workers changed in this window by something else than the last decision, such as a crash. */
  readonly interference?: boolean | undefined;
}

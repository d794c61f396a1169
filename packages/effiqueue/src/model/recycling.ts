/**
 * Workers that are replaced though nothing is wrong with the size of the pool: because they are old, large, have done enough, were started
 * with another command than now, or an operator said so. DESIGN 4.10. Types only.
 */

export type RecycleReason = "age" | "memory" | "jobs" | "changed" | "restart";

/** Each `undefined`: no limit. */
export interface RecycleLimits {
  readonly maxAgeSec?: number | undefined;
  /** Of the worker's whole process group. */
  readonly maxBytes?: number | undefined;
  /** Only where the queue tells how many jobs a worker has finished. */
  readonly maxJobs?: number | undefined;
  /** Nobody younger goes: a limit that every new worker exceeds must not keep the pool from work. */
  readonly minAgeSec: number;
}

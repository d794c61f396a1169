/**
 * Workers that are replaced though nothing is wrong with the size of the pool: because they are old, large, grow for ever, have done enough,
 * were started with another command than now, or an operator said so. DESIGN 4.10, 4.13. Types only.
 */

export type RecycleReason = "age" | "memory" | "outgrown" | "jobs" | "changed" | "restart";

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

/** What is known of a program whose workers grow for ever. */
export interface Growth {
  /** What a worker takes once it has grown. */
  readonly grownBytes: number;
  /** A quarter more. */
  readonly limitBytes: number;
  /** Who has taken at least that for ten minutes, and what it took throughout. `null`: nobody, or memory is not short. */
  readonly worst: { readonly pid: number; readonly bytes: number } | null;
}

/**
 * What the store's methods take and give beside the jobs themselves. DESIGN 9. Types only.
 */
import type { ProcessIdentity } from "effiqueue";
import type { JobState } from "../lifecycle.ts";
import type { JobId, QueueStats } from "../model.ts";

export interface JobFilter {
  /** What is due counts as pending, as in `stats`. */
  readonly state?: JobState;
  readonly queue?: string;
  /** Default 100. */
  readonly limit?: number;
  /** Only jobs with a higher id: the next page. */
  readonly afterId?: JobId;
}

export interface PurgeFilter {
  readonly state: "completed" | "dead" | "cancelled";
  readonly queue?: string;
  /** Only what finished at least this long ago. Default 0. */
  readonly olderThanSec?: number;
}

export interface QueueInfo {
  readonly name: string;
  readonly paused: boolean;
  readonly stats: QueueStats;
}

/** What a sweep for dead workers found. */
export interface Reclaimed {
  /** Jobs that went back to pending or to the dead letters. */
  readonly jobs: number;
  /** The workers that they were taken from; their rows are gone. */
  readonly workers: readonly LostWorker[];
}

export interface LostWorker {
  readonly identity: ProcessIdentity;
  readonly jobs: number;
  /** It may be alive: held, or blocked by a handler. `null`: it is dead beyond doubt. */
  readonly silentMs: number | null;
}

/** `requested`: the job runs, its worker will abort it. `finished`: too late. */
export type CancelOutcome = "cancelled" | "requested" | "finished";

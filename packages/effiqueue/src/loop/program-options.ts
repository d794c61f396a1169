/** What the loop is told of one program. DESIGN 7.7. */
import type { Options } from "../model/keys.ts";
import type { Learned, LearnedBefore } from "../model/learned.ts";
import type { Calendar, Policy, QueueSource, WorkerPool } from "../model/ports.ts";
import type { RecycleLimits } from "../model/recycling.ts";
import type { SloOptions } from "../model/slo.ts";

export interface ProgramOptions {
  /** Names the program in events and records. */
  readonly program: string;
  readonly source: QueueSource;
  readonly pool: WorkerPool;
  readonly policy: Policy<unknown>;
  /** From the program's options: needed to share a budget, and to name the SLO in the events of the gap. */
  readonly limits?: Pick<Options, "minWorkers" | "maxWorkers" | "sloDrainTime"> &
    Partial<Pick<Options, "priority">> &
    SloOptions;
  /** When its schedules hold; needs `limits`, which they change. */
  readonly calendar?: Calendar | undefined;
  /** What an earlier life of the program had learned of this queue and these workers. */
  readonly learned?: LearnedBefore | undefined;
  /** Gets what is worth knowing after a restart, now and then and at the end. Must not throw. */
  readonly keep?: (learned: Learned) => void;
  /** When workers are replaced for their own sake. Default: never. */
  readonly recycle?: RecycleLimits;
  /** Milliseconds after which the queue counts as unreadable. Default: the poll interval, at least 1 s, at most 5 s. */
  readonly readTimeoutMs?: number;
  /** Job slots a worker has as far as the configuration knows: workers that publish others are reported. */
  readonly slotsPerWorker?: number;
}

/** Long enough for a slow answer at a short poll, short enough for the floor to be kept while the queue hangs. */
export const readTimeoutMs = (pollIntervalMs: number): number => Math.min(5_000, Math.max(1_000, pollIntervalMs));

/**
 * What one tick of one program found and decided: all that metrics, status and explanations are made from. DESIGN 6.4. Types only.
 */
import type { WallMs } from "../units.ts";
import type { ProgramDecision } from "./decision.ts";
import type { Observation } from "./observation.ts";
import type { ActiveSpan } from "./schedule.ts";
import type { PoolCounts } from "./worker.ts";

export interface TickRecord {
  readonly program: string;
  /** When the decision was taken. */
  readonly at: WallMs;
  /** Seconds from the beginning of the pass to its end. */
  readonly tookSec: number;
  readonly observation: Observation;
  /** Schedules that hold. */
  readonly spans?: readonly ActiveSpan[] | undefined;
  /** Why the queue could not be read; `null`: it was read. `code` is one of a small fixed set, for metrics. */
  readonly unreadable: { readonly code: string; readonly message: string } | null;
  readonly decision: ProgramDecision;
  /** The pool after it was resized. */
  readonly counts: PoolCounts;
  /** Bytes that this program may take: its part of the budget; unknown without memory readings. */
  readonly budgetBytes: number | null;
  /** Seconds until spawning may go on after crashes; 0 when it may. */
  readonly backoffSec: number;
}

/**
 * What the decide layer answers at a tick: a number with its reasons. DESIGN 1.3. Pure.
 */
import type { Growth } from "./recycling.ts";

/** Why a decision is what it is. `Decision.reason` is the one that had the last word. */
export type ReasonCode =
  /** Waiting jobs per worker asked for it. */
  | "depth"
  /** Running jobs per slot asked for it. */
  | "utilisation"
  /** More jobs run than the pool has slots. */
  | "overload"
  /** Nothing waits and nothing runs. */
  | "idle"
  /** The wish lies within the tolerance band around the present count. */
  | "tolerance"
  /** Jobs of workers that already drain are no reason to grow. */
  | "draining-work"
  /** A recent recommendation holds the pool up or down. */
  | "up-window"
  | "down-window"
  /** Floor and ceiling. */
  | "min-workers"
  | "max-workers"
  /** The queue could not be read, so the pool is held. */
  | "unreadable"
  /** The drain-time SLO asks for it. */
  | "slo"
  /** Work waits, or workers idle, while the service rate is not known: one step at a time. */
  | "bootstrap"
  /** The wish is what there is. */
  | "steady"
  /** What binds the pool below the wish. */
  | Exclude<BoundBy, "max_workers">
  /** A step down that only buys knowledge of the service rate. */
  | "probe"
  /** A different count for a while, only to see whether more workers finish more. */
  | "trial"
  /** The last worker stays while messages are, or may be, handed out. */
  | "last-worker"
  /** Rates that would justify fewer workers are not known. */
  | "unknown-rate"
  /** Workers that were lost are replaced. */
  | "replacement"
  /** Too close to the present count to be more than noise. */
  | "hysteresis"
  /** The change before has to settle first. */
  | "cooldown"
  /** Only so many workers at a time. */
  | "max-step"
  /** Without more workers what waits would wait too long; or arrivals jump, and waiting for the next count would be too late. */
  | "late"
  | "surge"
  /** The queue is about to run empty, and fewer workers do. */
  | "spare"
  /** Nobody is late and nobody is about to idle. */
  | "on-time"
  /** An operator told the pool to stay, how large to be, or to drain. */
  | "paused"
  | "scaled"
  | "drained"
  /** The backlog is above the threshold, or empty. */
  | "threshold";

/** What makes the capacity what it is: the narrowest limit. */
export type BoundBy = "ram" | "swap" | "pressure" | "oom" | "max_workers" | "cpu" | "downstream" | "single-consumer";

/** Where memory is what is missing. */
export const MEMORY_BOUNDS: ReadonlySet<string> = new Set<BoundBy>(["ram", "swap", "pressure", "oom"]);

/** More workers get no more done, so more memory would not help. DESIGN 2.16. */
export const isAtKnee = (boundBy: string): boolean => KNEES.has(boundBy);
const KNEES: ReadonlySet<string> = new Set<BoundBy>(["cpu", "downstream", "single-consumer"]);

export type Action = "grow" | "shrink" | "hold";

export interface Decision {
  /** Live workers when the decision was taken: starting + serving. */
  readonly current: number;
  /** Live workers there should be. */
  readonly desired: number;
  readonly action: Action;
  readonly reason: ReasonCode;
  /** Reasons that a later rule replaced, first to last. */
  readonly trail: readonly ReasonCode[];
  /** The decision as one readable phrase, e.g. `scale-up: 40 pending / 15 per worker asks for 3`. */
  readonly rationale: string;
}

/** An SLO that this machine cannot keep. */
export interface FeasibilityGap {
  /** Missing workers, > 0. */
  readonly workers: number;
  /** Memory those would take; `null` while no worker was measured, and where memory would not help (`cpu`, `downstream`, `single-consumer`). */
  readonly bytes: number | null;
  /** Seconds to drain the queue with all the capacity; `Infinity`: never. */
  readonly bestDrainSec: number;
}

/** The decision of a program (`step`), with what it was measured and calculated from. */
export interface ProgramDecision extends Decision {
  /** Workers that the SLO takes, before any limit; `null` while it is unknown, and in the modes without an SLO. */
  readonly needed: number | null;
  /** Workers that the machine can safely hold, at least 1. */
  readonly capacity: number;
  readonly boundBy: BoundBy;
  readonly gap: FeasibilityGap | null;
  /** Messages/s of one saturated worker; `null`: unknown. */
  readonly mu: number | null;
  /** Messages/s arriving; `null`: unknown. */
  readonly lambda: number | null;
  /** Where mu lies with 95% confidence, and where lambda; `null` while it is unknown, or nobody can tell. */
  readonly muInterval: Interval | null;
  readonly lambdaInterval: Interval | null;
  /** Where mu is from: 0 unknown, 1 the broker's rates, 2 regression. */
  readonly muSource: MuSource;
  /** True while the pool is held one below its limit to learn mu. */
  readonly probing: boolean;
  /** Workers there would be if memory were no limit, where `needed` does not tell. Absent: as `desired`. */
  readonly wanted?: number | undefined;
  /** Workers to come back to after fewer were tried: nobody else may take their memory meanwhile. Absent: none were. */
  readonly kept?: number | undefined;
  /** How far the worker counts of the regression spread (its Sxx); `null` where the broker's rates make it needless. */
  readonly spread: number | null;
  /** Bytes that are reserved for each worker; `null` while none was measured. */
  readonly workerBytes: number | null;
  /** Of a program whose workers grow for ever. Absent: none is known to. */
  readonly growth?: Growth | undefined;
}

/** Messages/s, both ends included. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

export type MuSource = 0 | 1 | 2;

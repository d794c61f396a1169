/**
 * What the decide layer answers at a tick: a number with its reasons. DESIGN 1.3. Types only.
 */

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
  | "unreadable";

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

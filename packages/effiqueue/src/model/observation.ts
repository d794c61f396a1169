/**
 * What the decide layer is told at a tick: plain data, JSON-safe. DESIGN 1.3. Types only.
 */

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
}

/** The pool as it stands. `starting + serving` is what the policies call the current count. */
export interface WorkersReading {
  readonly starting: number;
  readonly serving: number;
  readonly draining: number;
  /** Job slots of the starting and serving workers together, where workers publish them. */
  readonly slots?: number;
}

export interface Observation {
  /** Real elapsed seconds since the previous tick, on the monotonic clock; 0 on the first. */
  readonly dtSec: number;
  /** `null`: could not be read. */
  readonly queue: QueueReading | null;
  readonly workers: WorkersReading;
}

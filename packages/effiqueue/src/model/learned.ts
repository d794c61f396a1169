/** What a program has found out that is worth knowing after a restart. Plain JSON. DESIGN 7.18. Types only. */
import type { Interval, MuSource } from "./decision.ts";

export interface LearnedRate {
  /** Messages/s, > 0 for mu. */
  readonly value: number;
  /** `null`: nobody could tell. */
  readonly interval: Interval | null;
}

export interface Learned {
  readonly mu: (LearnedRate & { readonly source: Exclude<MuSource, 0> }) | null;
  readonly lambda: LearnedRate | null;
  /** Bytes to reckon with for one worker. */
  readonly workerBytes: number | null;
  /** What a worker took when it had grown, at most; `null`: nobody has shown it. */
  readonly grownBytes: number | null;
}

/** As a successor finds it. */
export interface LearnedBefore extends Learned {
  /** Seconds since it was written down. */
  readonly ageSec: number;
}

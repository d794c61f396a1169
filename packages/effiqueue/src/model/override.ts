/**
 * What an operator told a program, in place of what its queue asks for. DESIGN 7.13. Types only.
 */

/**
 * - pause: the pool stays as it is;
 * - pause-in: it may grow, and not shrink again (no scaling in);
 * - pause-out: it may shrink, and not grow again (no scaling out);
 * - scale: so many workers;
 * - drain: none.
 */
export type OverrideKind = "pause" | "pause-in" | "pause-out" | "scale" | "drain";

/** As it holds at one tick. */
export interface Override {
  readonly kind: OverrideKind;
  /** Live workers; the same as `atMost` where the number is set. */
  readonly atLeast: number;
  /** `null`: as many as there would be without it. */
  readonly atMost: number | null;
}

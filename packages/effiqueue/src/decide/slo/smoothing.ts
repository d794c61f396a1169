/** How a measured rate is smoothed, and when what was known says nothing of what is. DESIGN 2.3, 2.9. Pure. */
import { type Confidence, type CountedWindow, isSurprise } from "./confidence.ts";

export interface Smoothing {
  readonly alphaMu: number;
  readonly alphaLambda: number;
  /** 1: smoothed as the seed does, whatever the windows say. */
  readonly maxStep: number | "auto";
}

/**
 * The first windows are averaged by their weights: of a pool that just grew one says little, and must not stand for long.
 *
 * @param weight how much was seen before, 0: nothing that counts
 */
export function gainOf(weight: number, alpha: number): { readonly weight: number; readonly ofWindow: number } {
  const grown = weight + alpha * (1 - weight);
  return { weight: grown, ofWindow: alpha / grown };
}

/** Two surprises in a row to the same side are another load: what was known before them says nothing of it. */
export function surpriseOf(confidence: Confidence, rate: number | null, window: CountedWindow): number {
  return rate !== null && isSurprise(confidence, rate, window) ? Math.sign(window.rate - rate) : 0;
}

/**
 * Smoothing of recommendations over time, so that a pool does not flap: the two-sided clamp of the Kubernetes HPA. It can
 * hold a pool, but never move it against the present recommendation. DESIGN 8.5. Pure.
 */

/** A number of workers that was recommended, and how long ago that was last said. */
export interface Recommendation {
  readonly workers: number;
  readonly ageSec: number;
}

/** Past recommendations, at most one for each number of workers; plain JSON. */
export type RecommendationHistory = readonly Recommendation[];

export interface Windows {
  /** Seconds a recommendation keeps the pool from growing beyond it; 0: not at all. */
  readonly scaleUpWindowSec: number;
  /** Seconds a recommendation keeps the pool from shrinking below it; 0: not at all. */
  readonly scaleDownWindowSec: number;
}

export interface Stabilised {
  /** Between `current` and `recommended`, both included. */
  readonly workers: number;
  /** The window that had its way; `null` when the recommendation passed untouched. */
  readonly heldBy: "up-window" | "down-window" | null;
}

/** The history `dtSec` later, without what has left the wider window. */
export function ageRecommendations(
  history: RecommendationHistory,
  dtSec: number,
  windows: Windows,
): RecommendationHistory {
  const widestSec = Math.max(windows.scaleUpWindowSec, windows.scaleDownWindowSec);
  return history
    .map(({ workers, ageSec }) => ({ workers, ageSec: ageSec + dtSec }))
    .filter(({ ageSec }) => ageSec < widestSec);
}

/**
 * The history with one more recommendation. It replaces an earlier one of the same number, which would leave both
 * windows sooner and so could change nothing: the history never outgrows the span between floor and ceiling.
 */
export function rememberRecommendation(history: RecommendationHistory, workers: number): RecommendationHistory {
  return [...history.filter((past) => past.workers !== workers), { workers, ageSec: 0 }];
}

/**
 * Current, raised to the lowest recommendation of the up-window if below it, lowered to the highest of the down-window
 * if above it; the present one belongs to both. An entry has left a window when its age has reached the width.
 */
export function stabilise(
  history: RecommendationHistory,
  recommended: number,
  current: number,
  windows: Windows,
): Stabilised {
  const within = (windowSec: number): number[] => [
    recommended,
    ...history.filter(({ ageSec }) => ageSec < windowSec).map(({ workers }) => workers),
  ];
  const up = Math.min(...within(windows.scaleUpWindowSec));
  const down = Math.max(...within(windows.scaleDownWindowSec));
  const workers = Math.min(Math.max(current, up), down);
  if (workers === recommended) return { workers, heldBy: null };
  return { workers, heldBy: workers < recommended ? "up-window" : "down-window" };
}

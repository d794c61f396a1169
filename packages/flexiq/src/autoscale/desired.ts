/** What a tick decided, and the decision for a given load as a function of its own. DESIGN 8.1, 11.3. Pure. */
import { computeDesired } from "effiqueue/decide";
import { AutoscaleConfig, hpaConfigOf } from "./config.ts";
import type { AutoscaleOptions } from "./options.ts";

/** Frozen. */
export interface ScaleDecision {
  /** Jobs due and waiting when the decision was taken; `NaN` when the queue could not be read: unknown is not zero. */
  readonly pending: number;
  /** Jobs running; `NaN` as above, or where the queue cannot tell. */
  readonly running: number;
  /** Live workers before: draining ones do not count. */
  readonly currentWorkers: number;
  /** Live workers there should be after. */
  readonly desiredWorkers: number;
  /** Why, with the numbers, e.g. `scale-up: 40 pending / 15 per worker asks for 3`. */
  readonly rationale: string;
}

export interface ScaleLoad {
  /** Jobs due and waiting. A number that cannot be a count (`NaN`, negative) is unknown, and the pool is held. */
  readonly pending: number;
  readonly running: number;
  /** Live workers, whole, >= 0. */
  readonly currentWorkers: number;
  readonly config: AutoscaleConfig | AutoscaleOptions;
}

/**
 * What this load asks for at this moment: both signals, tolerance, overload, floor and ceiling; no windows, which need time.
 *
 * @throws RangeError for a configuration or a `currentWorkers` out of range, and in mode slo, where the rates count and not the load alone
 */
export function computeDesiredWorkers(load: ScaleLoad): ScaleDecision {
  const { pending, running, currentWorkers } = load;
  const given = AutoscaleConfig.from(load.config);
  if (given.mode !== "hpa")
    throw new RangeError(`mode: expected "hpa" for a decision without rates, got "${given.mode}"`);
  const config = hpaConfigOf(given);
  const { desired, rationale } = computeDesired({ pending, running, current: currentWorkers, config });
  return Object.freeze({ pending, running, currentWorkers, desiredWorkers: desired, rationale });
}

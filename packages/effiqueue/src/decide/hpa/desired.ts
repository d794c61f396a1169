/**
 * How many workers the load asks for at this moment, before any smoothing over time: two signals, the larger of which
 * counts, then the rules that need no history. DESIGN 8.1, 8.4, 8.7. Pure.
 */
import type { ReasonCode } from "../../model/decision.ts";
import { ceilQuotient } from "../shared/exact.ts";
import { limited } from "../shared/limits.ts";
import { type Chain, decisionOf, type Link } from "../shared/rationale.ts";
import { assertHpaConfig, type HpaConfig } from "./config.ts";
import { tolerated } from "./tolerance.ts";

/** Counts are whole numbers >= 0. Anything else for a count of jobs is unknown, which is not zero (DESIGN 8.6). */
export interface HpaLoad {
  /** Jobs due and waiting; `null`: could not be read. */
  readonly pending: number | null;
  /** Jobs handed out; `null`: this queue cannot see them. */
  readonly running: number | null;
  /** The part of `running` on workers that were told to stop; default 0. */
  readonly runningOnDraining?: number | undefined;
  /** Workers, starting + serving. */
  readonly current: number;
  /** Measured job slots of those workers together; without them `threadsPerWorker` is assumed of each. */
  readonly slots?: number | undefined;
}

export interface Desired {
  /** Workers, between floor and ceiling. */
  readonly desired: number;
  readonly reason: ReasonCode;
  /** Reasons that a later rule replaced, first to last. */
  readonly trail: readonly ReasonCode[];
  readonly rationale: string;
  /** What each signal asks for by itself; `null`: unknown. */
  readonly depthDesired: number | null;
  readonly utilDesired: number | null;
}

export interface Recommended {
  readonly chain: Chain;
  /** False: the load says nothing, so the chain only holds the pool and is no recommendation to remember. */
  readonly readable: boolean;
  readonly depthDesired: number | null;
  readonly utilDesired: number | null;
}

/**
 * The workers that a load asks for, as one call for programs with a loop of their own. Time plays no part: see `stepHpa`.
 *
 * @throws HpaConfigError for a configuration out of range, RangeError for a `current` that is no count
 */
export function computeDesired(load: HpaLoad & { readonly config: HpaConfig }): Desired {
  assertHpaConfig(load.config);
  const { chain, depthDesired, utilDesired } = recommend(load, load.config);
  const { desired, reason, trail, rationale } = decisionOf(chain, load.current);
  return { desired, reason, trail, rationale, depthDesired, utilDesired };
}

/** The rules up to the first floor and ceiling, in the order of DESIGN 8.7. */
export function recommend(load: HpaLoad, config: HpaConfig): Recommended {
  const { current } = load;
  // The pool counts its own workers: a number that cannot be is a bug of the caller, and no decision can be built on it.
  if (!isCount(current)) throw new RangeError(`current workers: expected a whole number >= 0, got ${String(current)}`);
  const known = knownOf(load);
  if (known === null) {
    const held: Chain = [{ workers: current, reason: "unreadable", phrase: "queue unreadable" }];
    return { chain: limited(held, config), readable: false, depthDesired: null, utilDesired: null };
  }
  const { chain, depthDesired, utilDesired } = wishOf(known, config);
  const occupancy = {
    current,
    running: known.running === null ? null : known.running - known.runningOnDraining,
    slots: known.slots ?? current * config.threadsPerWorker,
  };
  return { chain: limited(tolerated(chain, occupancy, config), config), readable: true, depthDesired, utilDesired };
}

/** A load whose every number is one. */
interface KnownLoad {
  readonly pending: number;
  readonly running: number | null;
  readonly runningOnDraining: number;
  readonly current: number;
  readonly slots: number | null;
}

function knownOf({ pending, running, runningOnDraining, current, slots }: HpaLoad): KnownLoad | null {
  if (!isCount(pending) || !(running === null || isCount(running))) return null;
  return {
    pending,
    running,
    runningOnDraining: isCount(runningOnDraining) ? Math.min(runningOnDraining, running ?? 0) : 0,
    current,
    slots: isCount(slots) && slots > 0 && current > 0 ? slots : null,
  };
}

function isCount(value: number | null | undefined): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

/** The larger signal. Jobs of draining workers keep it up to current, and are no reason to go beyond (DESIGN 8.4). */
function wishOf(load: KnownLoad, config: HpaConfig): Omit<Recommended, "readable"> {
  const { pending, running, runningOnDraining, current } = load;
  const depth = depthSignal(pending, config);
  const depthDesired = depth.workers;
  if (running === null) {
    // What cannot be seen may be work for every worker there is.
    const unseen: Link = { workers: current, reason: "unreadable", phrase: "running jobs unknown" };
    return { chain: depthDesired < current ? [depth, unseen] : [depth], depthDesired, utilDesired: null };
  }
  const everyJob = utilisationSignal(running, load, config);
  const ownJobs = utilisationSignal(running - runningOnDraining, load, config).workers;
  const utilDesired = Math.max(ownJobs, Math.min(everyJob.workers, current));
  if (depthDesired >= everyJob.workers)
    return { chain: [depthDesired === 0 ? IDLE : depth], depthDesired, utilDesired };
  const drained: Link = {
    workers: utilDesired,
    reason: "draining-work",
    phrase: `no growth for the ${runningOnDraining} that drain`,
  };
  const links = [...(utilDesired < everyJob.workers ? [drained] : []), ...(depthDesired > utilDesired ? [depth] : [])];
  return { chain: [everyJob, ...links], depthDesired, utilDesired };
}

const IDLE: Link = { workers: 0, reason: "idle", phrase: "nothing pending or running" };

function depthSignal(pending: number, { targetQueueDepthPerWorker: target }: HpaConfig): Link {
  const workers = ceilQuotient([pending], [target]);
  return { workers, reason: "depth", phrase: `${pending} pending / ${target} per worker asks for ${workers}` };
}

function utilisationSignal(jobs: number, { current, slots }: KnownLoad, config: HpaConfig): Link {
  const { targetUtilisation: target, threadsPerWorker } = config;
  const workers =
    slots === null ? ceilQuotient([jobs], [threadsPerWorker, target]) : ceilQuotient([jobs, current], [slots, target]);
  const room = slots === null ? `${threadsPerWorker} slots a worker` : `${slots} slots of ${current} workers`;
  return { workers, reason: "utilisation", phrase: `${jobs} running at ${target} of ${room} asks for ${workers}` };
}

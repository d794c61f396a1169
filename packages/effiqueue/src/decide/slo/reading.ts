/** One tick as the estimators take it: what is no number sorted out, workers counted by what they drain. DESIGN 2.3. Pure. */
import type { Observation } from "../../model/observation.ts";
import { elapsedSec, known, knownCount } from "../shared/known.ts";
import { drainersOf, slotsOf, type Topology } from "./topology.ts";

export interface Rates {
  /** Totals, messages. */
  readonly acked: number | null;
  readonly published: number | null;
  /** Messages/s over the broker's own window. */
  readonly ackRate: number | null;
  readonly publishRate: number | null;
}

export interface Tick {
  readonly dtSec: number;
  readonly ready: number;
  /** `null`: this queue does not show it. */
  readonly unacked: number | null;
  /** The part of `unacked` that draining workers hold. */
  readonly unackedByDraining: number;
  /** Workers that have a message in hand, as far as what is handed out tells; `null`: this queue does not show it. */
  readonly inWork: number | null;
  /** Messages that one worker works on at a time. */
  readonly slots: number;
  readonly rates: Rates;
  /** Workers' worth of consumers, strangers included, that certainly drain. */
  readonly drainers: number;
  /** The same with the workers that were told to stop, which finish what they have, and with those that may have begun unseen. */
  readonly drainersAtMost: number;
  readonly starting: number;
  /** The number of workers within the window is not known. */
  readonly disturbed: boolean;
}

/** `null`: the queue could not be read. */
export function tickOf(observation: Observation, topology: Topology, disturbed: boolean): Tick | null {
  const { queue, workers } = observation;
  const ready = knownCount(queue?.ready);
  if (queue === null || ready === null) return null;
  const unacked = knownCount(queue.unacked);
  const slots = slotsOf(observation, topology);
  const drainers = drainersOf(topology, workers.serving, observation);
  return {
    dtSec: elapsedSec(observation.dtSec),
    ready,
    unacked,
    unackedByDraining: Math.min(unacked ?? 0, knownCount(queue.unackedByDraining) ?? shareOfDraining(observation)),
    inWork: unacked && Math.min(unacked / slots, drainers + workers.draining),
    slots,
    rates: ratesOf(observation),
    drainers,
    drainersAtMost: drainers + workers.draining + workers.starting,
    starting: workers.starting,
    disturbed,
  };
}

/** Of what is handed out everybody holds the same, as far as anybody knows. */
function shareOfDraining({ queue, workers: { serving, draining } }: Observation): number {
  const unacked = knownCount(queue?.unacked);
  return unacked === null || draining === 0 ? 0 : Math.round((unacked * draining) / (serving + draining));
}

function ratesOf({ queue, dtSec }: Observation): Rates {
  const acked = known(queue?.ackedTotal);
  const published = known(queue?.publishedTotal);
  return {
    acked,
    published,
    ackRate: plausible(known(queue?.ackRate), acked, dtSec),
    publishRate: plausible(known(queue?.publishRate), published, dtSec),
  };
}

/** No queue can have done in one window twice what it did in all its life. */
function plausible(rate: number | null, total: number | null, dtSec: number): number | null {
  return rate !== null && total !== null && rate * elapsedSec(dtSec) > 2 * total ? null : rate;
}

export const hasRates = ({ acked, ackRate }: Rates): boolean => acked !== null || ackRate !== null;

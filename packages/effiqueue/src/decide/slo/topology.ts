/**
 * Who drains the queue. Brokers count consumers, not workers: one worker may hold several, and some may be strangers'. How many
 * a worker has shows when the number of workers changes. DESIGN 2.3. Pure.
 */
import type { Observation } from "../../model/observation.ts";
import { knownCount } from "../shared/known.ts";

interface Counts {
  readonly serving: number;
  readonly consumers: number;
}

export interface Topology {
  readonly consumersPerWorker: number;
  /** The latest counts that stood for two ticks, so that no worker was just coming or going. */
  readonly settled: Counts | null;
  readonly last: Counts | null;
  readonly strangers: Strangers;
}

/** Workers' worth of consumers that are not ours. */
interface Strangers {
  /** As many have been there for long enough to be no worker of ours that a broker is late to count in or out. */
  readonly sure: number;
  /** Fewest since there were more of them, and the looks since then. */
  readonly fewest: number;
  readonly looks: number;
}

/** Until shown otherwise a worker has one consumer, and what is beyond that is not ours. */
export const UNKNOWN_TOPOLOGY: Topology = {
  consumersPerWorker: 1,
  settled: null,
  last: null,
  strangers: { sure: 0, fewest: 0, looks: 0 },
};

export function learnTopology(topology: Topology, observation: Observation): Topology {
  const learnt = withConsumers(topology, observation);
  const { queue, workers } = observation;
  if (queue === null) return learnt;
  const now = Math.max(0, drainersOf(learnt, workers.serving, observation) - workers.serving);
  return { ...learnt, strangers: learnStrangers(learnt.strangers, now) };
}

/** Looks until then: a broker may be late by some of them to count a consumer in or out. */
const SURE_LOOKS = 12;

/** They are gone at once, and believed late. */
function learnStrangers({ sure, fewest, looks }: Strangers, now: number): Strangers {
  if (now <= sure) return { sure: now, fewest: now, looks: 0 };
  const least = looks === 0 ? now : Math.min(fewest, now);
  return looks + 1 < SURE_LOOKS ? { sure, fewest: least, looks: looks + 1 } : { sure: least, fewest: least, looks: 0 };
}

function withConsumers(topology: Topology, { queue, workers }: Observation): Topology {
  const consumers = knownCount(queue?.consumers);
  if (consumers === null || workers.draining > 0) return { ...topology, last: null };
  const now: Counts = { serving: workers.serving, consumers };
  const { last, settled } = topology;
  if (last?.serving !== now.serving || last.consumers !== now.consumers) return { ...topology, last: now };
  const perWorker = settled === null ? Number.NaN : slope(settled, now);
  const isCount = Number.isInteger(perWorker) && perWorker >= 1;
  const consumersPerWorker = isCount ? perWorker : topology.consumersPerWorker;
  return { ...topology, consumersPerWorker, settled: now, last: now };
}

/** 0 / 0 is no number, and neither is a slope. */
const slope = (from: Counts, to: Counts) => (to.consumers - from.consumers) / (to.serving - from.serving);

/** Our serving workers, and strangers' consumers as workers' worth; one at most where the queue serves no more. */
export function drainersOf(topology: Topology, serving: number, { queue, workers }: Observation): number {
  const consumers = knownCount(queue?.consumers) ?? 0;
  // Workers on their way out may be subscribed or not; a stranger is what even they cannot explain.
  const ours = (serving + workers.draining) * topology.consumersPerWorker;
  const drainers = serving + Math.max(0, consumers - ours) / topology.consumersPerWorker;
  return queue?.singleConsumer === true ? Math.min(1, drainers) : drainers;
}

/** Messages that one worker works on at a time: its slots where it publishes them, else one for each of its consumers. */
export function slotsOf({ workers }: Observation, { consumersPerWorker }: Topology): number {
  return workers.slots === undefined
    ? consumersPerWorker
    : workers.slots / Math.max(1, workers.starting + workers.serving);
}

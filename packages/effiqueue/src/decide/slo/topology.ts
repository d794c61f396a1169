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
}

/** Until shown otherwise a worker has one consumer, and what is beyond that is not ours. */
export const UNKNOWN_TOPOLOGY: Topology = { consumersPerWorker: 1, settled: null, last: null };

export function learnTopology(topology: Topology, { queue, workers }: Observation): Topology {
  const consumers = knownCount(queue?.consumers);
  if (consumers === null || workers.draining > 0) return { ...topology, last: null };
  const now: Counts = { serving: workers.serving, consumers };
  const { last, settled } = topology;
  if (last?.serving !== now.serving || last.consumers !== now.consumers) return { ...topology, last: now };
  const perWorker = settled === null ? Number.NaN : slope(settled, now);
  const isCount = Number.isInteger(perWorker) && perWorker >= 1;
  return { consumersPerWorker: isCount ? perWorker : topology.consumersPerWorker, settled: now, last: now };
}

/** 0 / 0 is no number, and neither is a slope. */
const slope = (from: Counts, to: Counts) => (to.consumers - from.consumers) / (to.serving - from.serving);

/** Our serving workers, and strangers' consumers as workers' worth. */
export function drainersOf(topology: Topology, serving: number, { queue, workers }: Observation): number {
  const consumers = knownCount(queue?.consumers) ?? 0;
  // Workers on their way out may be subscribed or not; a stranger is what even they cannot explain.
  const ours = (serving + workers.draining) * topology.consumersPerWorker;
  return serving + Math.max(0, consumers - ours) / topology.consumersPerWorker;
}

/** Messages that one worker works on at a time: its slots where it publishes them, else one for each of its consumers. */
export function slotsOf({ workers }: Observation, { consumersPerWorker }: Topology): number {
  return workers.slots === undefined
    ? consumersPerWorker
    : workers.slots / Math.max(1, workers.starting + workers.serving);
}

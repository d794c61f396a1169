/**
 * What is simulated around a policy: workers, machine and broker, with what can go wrong with each. DESIGN 13.2. Pure.
 */
import type { ServiceLaw } from "./service.ts";

export interface PlantOptions {
  readonly service: ServiceLaw;
  /** Messages that a worker handles at a time. */
  readonly slots: number;
  /** Seconds from the start of a worker to its first message, and by which share of it they vary either way. */
  readonly startupSec: number;
  readonly startupSpread: number;
  /** Seconds from the stop signal to the kill, which puts the worker's messages back. */
  readonly drainTimeoutSec: number;
  /** Mean seconds until a serving worker crashes; `Infinity`: never. */
  readonly crashEverySec: number;
  /** From `fromSec` on every slot runs at `factor` of its full speed. */
  readonly speed: readonly { readonly fromSec: number; readonly factor: number }[];
  readonly knee: Knee | null;
  /** From then on there is no knee any more. */
  readonly kneeUntilSec: number;
  readonly memory: PlantMemory | null;
  readonly broker: PlantBroker;
  /** Serving when it begins. */
  readonly initialWorkers: number;
  /** Seconds without arrivals at the end, in which what is left can be drained. */
  readonly quietSec: number;
}

/** Where more busy slots stop to bring more. */
export type Knee =
  /** Something behind the workers serves so many slots at full speed; more of them share that. */
  | { readonly slots: number }
  /** With b busy slots each runs at 1 / (1 + contention (b - 1) + coherence b (b - 1)): the universal scalability law. */
  | { readonly contention: number; readonly coherence: number };

export interface PlantMemory {
  readonly totalBytes: number;
  /** Of everything that is no worker. */
  readonly otherBytes: number;
  /** A worker grows from `youngBytes` to `grownBytes`, to 63% of the way within `growSec`, and by the leak on top. */
  readonly youngBytes: number;
  readonly grownBytes: number;
  readonly growSec: number;
  readonly leakBytesPerMessage: number;
  readonly swapBytes: number;
  /** Speed of everything while more memory is in use than there is. */
  readonly crowdedSpeed: number;
  /** Above this share of the memory in use the largest worker is killed. */
  readonly killAt: number;
}

export interface PlantBroker {
  /** Seconds from sample to sample of totals and rates. */
  readonly sampleSec: number;
  /** `live`: what waits and what is handed out is known at every look; `sampled`: as of the last sample, like the rates. */
  readonly counts: "live" | "sampled";
  /** Deviation of counts and rates from the truth, as a share of it. */
  readonly noise: number;
  /** Share of the looks that fail. */
  readonly missShare: number;
  /** From second to second nothing can be read. */
  readonly outages: readonly (readonly [fromSec: number, toSec: number])[];
  /** The age of the oldest waiting message is known: publishers stamp their messages. */
  readonly tellsAge: boolean;
  /** Messages that the broker hands to each worker beyond its slots: handed out, but nobody works on them. */
  readonly prefetch: number;
}

/** A plain worker on a machine whose memory is no limit, beside RabbitMQ as it is installed. */
export const PLANT: PlantOptions = {
  service: { law: "lognormal", meanSec: 0.5, cv: 0.5 },
  slots: 1,
  startupSec: 2,
  startupSpread: 0.2,
  drainTimeoutSec: 30,
  crashEverySec: Number.POSITIVE_INFINITY,
  speed: [],
  knee: null,
  kneeUntilSec: Number.POSITIVE_INFINITY,
  memory: null,
  broker: { sampleSec: 5, counts: "live", noise: 0, missShare: 0, outages: [], tellsAge: false, prefetch: 0 },
  initialWorkers: 1,
  quietSec: 120,
};

/** What is not said of a machine with memory. */
export const PLANT_MEMORY: Omit<PlantMemory, "totalBytes"> = {
  otherBytes: 1.5e9,
  youngBytes: 60e6,
  grownBytes: 250e6,
  growSec: 20,
  leakBytesPerMessage: 0,
  swapBytes: 4e9,
  crowdedSpeed: 0.5,
  killAt: 1.25,
};

/** The share of its full speed at which each of `busy` slots runs. */
export function speedOf(knee: Knee | null, busy: number): number {
  if (knee === null || busy <= 1) return 1;
  if ("slots" in knee) return Math.min(1, knee.slots / busy);
  return 1 / (1 + knee.contention * (busy - 1) + knee.coherence * busy * (busy - 1));
}

/** The factor of the script that holds at this second. */
export function scriptedSpeed(speed: PlantOptions["speed"], sec: number): number {
  let factor = 1;
  for (const each of speed) if (each.fromSec <= sec) factor = each.factor;
  return factor;
}

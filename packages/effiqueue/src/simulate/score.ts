/**
 * How well a run went, in figures that can be compared between policies: what came too late, and what it cost. DESIGN 13.3. Pure.
 */
import type { Load } from "./load.ts";
import type { Machine } from "./machine.ts";
import type { Plant } from "./plant.ts";

export interface Score {
  readonly messages: number;
  /** Messages that waited longer than the SLO before a worker began with them, those that nobody ever began with included. */
  readonly late: number;
  /** The same as a share of all, in [0, 1]. */
  readonly lateShare: number;
  /** Of messages that were not done within the SLO. */
  readonly doneLateShare: number;
  /** Seconds from arrival to the beginning of work. */
  readonly waitSec: Readonly<Record<"mean" | "p50" | "p95" | "p99" | "longest", number>>;
  /** Seconds times live workers, starting and draining ones included: what the run cost. */
  readonly workerSec: number;
  /** Share of the slots of serving workers that was at work. */
  readonly utilisation: number;
  /** Looks that changed the pool. */
  readonly actions: number;
  /** Changes that went the other way than the one before. */
  readonly reversals: number;
  readonly started: number;
  readonly crashes: number;
  /** Killed for want of memory; they count as crashes too. */
  readonly killedForMemory: number;
  /** Workers sent away because they grow for ever. */
  readonly replaced: number;
  readonly redelivered: number;
  /** Messages that nobody had begun with at the end. */
  readonly left: number;
  readonly peakWorkers: number;
  readonly peakBacklog: number;
  /** Seconds with more memory in use than there is, and the most that was; 0 without a model of memory. */
  readonly overMemorySec: number;
  readonly peakBytes: number;
  /** Seconds in which the policy said that the machine is too small. */
  readonly gapSec: number;
  readonly looks: number;
}

interface Run {
  readonly plant: Plant;
  readonly load: Load;
  readonly machine: Machine | null;
  readonly sloSec: number;
  readonly tally: Pick<Score, "looks" | "actions" | "reversals" | "gapSec" | "peakWorkers" | "peakBacklog">;
}

export function scoreOf({ plant, load, machine, sloSec, tally }: Run): {
  readonly score: Score;
  readonly lateAt: readonly number[];
} {
  const { arrivesAt } = load;
  const waits = new Float64Array(arrivesAt.length);
  const lateAt: number[] = [];
  let sum = 0;
  let doneLate = 0;
  let left = 0;
  for (let i = 0; i < arrivesAt.length; i++) {
    const arrived = arrivesAt[i] ?? 0;
    const started = plant.startedAt[i] ?? Number.NaN;
    const isLeft = Number.isNaN(started);
    const wait = (isLeft ? plant.endSec : started) - arrived;
    waits[i] = wait;
    sum += wait;
    if (isLeft) left += 1;
    if (isLeft || wait > sloSec) lateAt.push(arrived);
    if (!((plant.doneAt[i] ?? Number.NaN) - arrived <= sloSec)) doneLate += 1;
  }
  waits.sort();
  const messages = waits.length;
  const share = (count: number): number => (messages === 0 ? 0 : count / messages);
  const { workerSec, busySlotSec, servingSlotSec } = plant.workers.bill(plant.endSec);
  const score: Score = {
    messages,
    late: lateAt.length,
    lateShare: share(lateAt.length),
    doneLateShare: share(doneLate),
    waitSec: {
      mean: share(sum),
      p50: percentile(waits, 0.5),
      p95: percentile(waits, 0.95),
      p99: percentile(waits, 0.99),
      longest: percentile(waits, 1),
    },
    workerSec,
    utilisation: servingSlotSec === 0 ? 0 : busySlotSec / servingSlotSec,
    started: plant.workers.started,
    crashes: plant.crashes,
    killedForMemory: machine?.killed ?? 0,
    replaced: plant.replaced,
    redelivered: plant.redelivered,
    left,
    overMemorySec: machine?.overSec ?? 0,
    peakBytes: machine?.peakBytes ?? 0,
    ...tally,
  };
  return { score, lateAt };
}

/** Nearest rank; 0 of nothing. */
const percentile = (sorted: Float64Array, share: number): number =>
  sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;

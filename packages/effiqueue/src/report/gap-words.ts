/**
 * A gap as the operator is told of it, on every screen in the same words: what is missing, how fast at best, what would close it.
 * DESIGN 6.5, 3. Pure.
 */
import { type BoundBy, isAtKnee } from "../model/decision.ts";
import type { ProgramStatus } from "./api-types.ts";
import { bytesText, counted, durationText, figure, isOrAre } from "./explain-words.ts";
import { type Settings, spelled } from "./spelling.ts";

/** The figures of one tick that a gap is told by. */
export interface GapFigures {
  readonly neededWorkers: number | null;
  readonly capacityWorkers: number | null;
  readonly boundBy: BoundBy;
  readonly gap: {
    readonly workers: number;
    readonly bytes: number | null;
    readonly bestDrainSec: number | "infinite";
  };
  readonly muPerSec: number | null;
  readonly lambdaPerSec: number | null;
  readonly sloGoal: ProgramStatus["sloGoal"];
  readonly sloSec: number | null;
  readonly settings?: Settings | undefined;
}

export interface GapWords {
  readonly missing: string;
  readonly drain: string;
  /** Completes "To close it: ...". */
  readonly remedy: string;
}

export function gapWords(figures: GapFigures): GapWords {
  const { settings } = figures;
  return {
    missing: spelled(missingText(figures), settings),
    drain: drainText(figures),
    remedy: spelled(remedyText(figures), settings),
  };
}

function missingText({ neededWorkers, capacityWorkers, boundBy, gap: { workers, bytes } }: GapFigures): string {
  if (isAtKnee(boundBy)) {
    return `As much is needed as ${figure(neededWorkers)} workers would do, but more than ${capacityWorkers ?? 0} get no more done (${boundBy}).`;
  }
  const memory = bytes === null ? "" : `, which is ${bytesText(bytes)}`;
  return `${figure(neededWorkers)} workers are needed, ${capacityWorkers ?? 0} fit (${boundBy}): ${workers} ${isOrAre(workers)} missing${memory}.`;
}

function drainText({ capacityWorkers, gap, muPerSec, lambdaPerSec, sloGoal, sloSec }: GapFigures): string {
  const capacity = capacityWorkers ?? 0;
  if (gap.bestDrainSec !== "infinite") {
    const best = `With all of them it empties in ${durationText(gap.bestDrainSec)} at best`;
    return sloGoal === "wait"
      ? `${best}, and no message is to wait longer than ${durationText(sloSec)}.`
      : `${best}, not in ${durationText(sloSec)}.`;
  }
  const most = muPerSec === null ? null : muPerSec * capacity;
  return `The queue can never be emptied here: ${counted(capacity, "worker")} ${capacity === 1 ? "finishes" : "finish"} ${figure(most)}/s and ${figure(lambdaPerSec)}/s arrive.`;
}

function remedyText({ boundBy, neededWorkers, gap, muPerSec, lambdaPerSec, sloGoal }: GapFigures): string {
  const { bytes, bestDrainSec } = gap;
  const lifted = LIFTED[boundBy](bytes === null ? null : bytesText(bytes), neededWorkers);
  const promise = sloGoal === "wait" ? "slo_wait_time" : "slo_drain_time";
  if (bestDrainSec !== "infinite") return `${lifted}, or loosen ${promise} to ${durationText(bestDrainSec)}`;
  // Where more workers do no more, no number of them keeps up.
  const keepUp = isAtKnee(boundBy) ? null : keepingUp(muPerSec, lambdaPerSec);
  const limit = keepUp === null ? "" : `: ${counted(keepUp, "worker")} would just keep up with what arrives`;
  return `${lifted}; a looser ${promise} only narrows it${limit}`;
}

/** The fewest workers that finish more than arrives: with fewer no drain time is long enough. */
function keepingUp(mu: number | null, lambda: number | null): number | null {
  if (mu === null || lambda === null || mu <= 0) return null;
  return Math.floor(Number((lambda / mu).toPrecision(12))) + 1;
}

/** What lifts a limit, as the operator of a gap wants to know. */
const LIFTED: Readonly<Record<BoundBy, (memory: string | null, needed: number | null) => string>> = {
  ram: (memory) => `add memory${memory === null ? "" : ` (${memory})`}`,
  swap: () => "free memory, for this machine swaps",
  oom: () => "add memory or leave more of it free (ram_headroom), for the kernel had to kill a worker",
  pressure: () => "free memory, for this machine waits for it",
  max_workers: (memory, needed) =>
    `raise max_workers to ${figure(needed)}${memory === null ? "" : ` (${memory} more memory)`}`,
  cpu: () => "add processors (more memory will not help)",
  "single-consumer": () =>
    "declare the queue without x-single-active-consumer, or spread its messages over several queues",
  downstream: () => "speed up what the workers depend on (more memory will not help)",
};

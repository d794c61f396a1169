/** Whether the load has stood still for so long that the pool had better do so too. DESIGN 2.18. Pure. */
import type { Rate } from "../rate.ts";
import type { Arrived } from "./arrivals.ts";
import { TUNING } from "./tuning.ts";
import { anew, isOtherWork, learnWork, type Work } from "./work.ts";

/** Counts of messages, and the seconds in which they came. */
interface Count {
  readonly messages: number;
  readonly sec: number;
}

export interface Steady {
  /** Since the load last changed. */
  readonly all: Count;
  /** Averages of the last while, the older the less: of a short one, which shows a jump, and of a long one, which shows a drift. */
  readonly recent: readonly Count[];
  /** `null`: unknown. */
  readonly work: Work | null;
}

export interface SteadyLoad {
  /** Messages/s, and messages/s of one worker. */
  readonly lambda: number;
  readonly mu: number;
}

const NONE: Count = { messages: 0, sec: 0 };

export const NEVER_STEADY: Steady = { all: NONE, recent: TUNING.recentSec.map(() => NONE), work: null };

export function learnSteady(steady: Steady, { messages, sec, vagueSec }: Arrived, mu: Rate): Steady {
  if (sec <= 0) return steady;
  const all = { messages: steady.all.messages + messages, sec: steady.all.sec + sec };
  const recent = steady.recent.map((count, i) => {
    const kept = Math.exp(-sec / (TUNING.recentSec[i] ?? sec));
    return { messages: count.messages * kept + messages, sec: count.sec * kept + sec };
  });
  const work = learnWork(steady.work, mu, sec);
  const isOther = isOtherWork(work) || recent.some((count, i) => differs(count, all, vagueSec, TUNING.changes[i] ?? 0));
  if (!isOther) return { all, recent, work };
  const [shortest = NONE] = recent;
  return { all: shortest, recent: recent.map(() => shortest), work: work && anew(work) };
}

/** `null`: it has not stood still for long. */
export function steadyLoad({ all, work }: Steady): SteadyLoad | null {
  if (work === null || all.sec < TUNING.steadySec) return null;
  return { lambda: all.messages / all.sec, mu: work.forLong };
}

/** Chance does not explain how the recent ones differ from all. The variance of a Poisson count is its mean. */
function differs(recent: Count, all: Count, vagueSec: number, errors: number): boolean {
  if (all.sec < 2 * recent.sec) return false;
  const rate = all.messages / all.sec;
  // In an average that fades out the older half hardly counts.
  const chance = Math.max(rate, 1 / all.sec) * (1 / (2 * recent.sec) + 1 / all.sec);
  const variance = chance + (rate * vagueSec) ** 2 / 12 / recent.sec ** 2;
  return (recent.messages / recent.sec - rate) ** 2 > errors ** 2 * variance;
}

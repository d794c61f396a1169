/** Whether the load has stood still for so long that the pool had better do so too. DESIGN 2.18. Pure. */
import type { Arrived } from "./arrivals.ts";
import { TUNING } from "./tuning.ts";

/** Counts of messages, and the seconds in which they came. */
interface Count {
  readonly messages: number;
  readonly sec: number;
}

/** Messages/s of one worker as it was last told, and averages of what was told lately and for long. */
interface Work {
  readonly told: number;
  readonly lately: number;
  readonly forLong: number;
  /** Different rates that `forLong` rests on, counted no further than anybody looks. */
  readonly heard: number;
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

export function learnSteady(steady: Steady, { messages, sec, vagueSec }: Arrived, mu: number | null): Steady {
  if (sec <= 0) return steady;
  const all = { messages: steady.all.messages + messages, sec: steady.all.sec + sec };
  const recent = steady.recent.map((count, i) => {
    const kept = Math.exp(-sec / (TUNING.recentSec[i] ?? sec));
    return { messages: count.messages * kept + messages, sec: count.sec * kept + sec };
  });
  const work = learnWork(steady.work, mu, sec);
  const isOther = recent.some((count, i) => differs(count, all, vagueSec, TUNING.changes[i] ?? 0)) || isOtherWork(work);
  if (!isOther) return { all, recent, work };
  const [shortest = NONE] = recent;
  return {
    all: shortest,
    recent: recent.map(() => shortest),
    work: work && { ...work, forLong: work.lately, heard: FIRST_HEARD },
  };
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

/** New rates of which the long average is: were it shorter, it would follow work that takes three times as long before anybody saw the difference. */
const MOST_HEARD = 100;
/** The first one counts for as many, so that the second does not weigh half. */
const FIRST_HEARD = 10;

/** Workers that are not always busy tell nothing new, so that their last word may be by chance, and stands: it is heard once. */
function learnWork(work: Work | null, mu: number | null, sec: number): Work | null {
  if (mu === null) return work;
  if (work === null) return { told: mu, lately: mu, forLong: mu, heard: FIRST_HEARD };
  const { told, lately, forLong } = work;
  const isNews = mu !== told;
  const heard = isNews ? Math.min(work.heard + 1, MOST_HEARD) : work.heard;
  return {
    told: mu,
    lately: lately + (1 - Math.exp(-sec / TUNING.recentSec[0])) * (mu - lately),
    forLong: isNews ? forLong + (mu - forLong) / heard : forLong,
    heard,
  };
}

const isOtherWork = (work: Work | null): boolean =>
  work !== null && Math.abs(Math.log(work.lately / work.forLong)) > TUNING.otherWork;

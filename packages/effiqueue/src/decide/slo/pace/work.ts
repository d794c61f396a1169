/** Whether a worker still is as fast as it has been for long. DESIGN 2.18. Pure. */
import type { Rate } from "../rate.ts";
import { TUNING } from "./tuning.ts";

/** Messages/s of one worker. */
export interface Work {
  /** As was last told. */
  readonly told: number;
  /** What of that is surely another rate than for long: a rate that few messages tell may be anything. */
  readonly surely: number;
  /** Averages: of what it surely was lately, and of what was told for long. */
  readonly lately: number;
  readonly forLong: number;
  /** Different rates that `forLong` rests on, counted no further than anybody looks. */
  readonly heard: number;
}

/** New rates of which the long average is: were it shorter, it would follow work that takes three times as long before anybody saw the difference. */
const MOST_HEARD = 100;
/** The first one counts for as many, so that the second does not weigh half. */
const FIRST_HEARD = 10;

/**
 * Workers that are not always busy tell nothing new, so that their last word may be by chance, and stands: it is heard once.
 *
 * @param sec seconds for which what was told before has stood
 */
export function learnWork(work: Work | null, { value: told, interval }: Rate, sec: number): Work | null {
  if (told === null) return work;
  if (work === null) return { told, surely: told, lately: told, forLong: told, heard: FIRST_HEARD };
  const isNews = told !== work.told;
  const heard = isNews ? Math.min(work.heard + 1, MOST_HEARD) : work.heard;
  const forLong = isNews ? work.forLong + (told - work.forLong) / heard : work.forLong;
  const isLikely = interval !== null && interval.low <= forLong && forLong <= interval.high;
  const gain = 1 - Math.exp(-sec / TUNING.recentSec[0]);
  return {
    told,
    surely: isLikely ? forLong : told,
    // What was told before has stood until now: of a look after many that failed nobody knows since when it is true.
    lately: work.lately + gain * (work.surely - work.lately),
    forLong,
    heard,
  };
}

export const isOtherWork = (work: Work | null): boolean =>
  work !== null && Math.abs(Math.log(work.lately / work.forLong)) > TUNING.otherWork;

/** What the worker was before says nothing of what it is. */
export const anew = (work: Work): Work => ({ ...work, forLong: work.lately, heard: FIRST_HEARD });

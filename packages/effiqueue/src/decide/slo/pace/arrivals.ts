/**
 * How fast work arrives: averaged while it varies as chance does, and anew from the first window that chance does not explain.
 * DESIGN 2.14. Pure.
 */
import { goOnRarely, type Jump, type Jumps, learnJump, NO_JUMPS } from "./jumps.ts";
import { TUNING } from "./tuning.ts";

export interface Arrivals {
  /** Messages/s; `null` before the first window. */
  readonly rate: number | null;
  /** Messages/s that may still come on top of a rate that was just a surprise upwards; else 0. */
  readonly rise: number;
  /** `null`: the last count showed none. */
  readonly jump: Jump | null;
  readonly jumps: Jumps;
}

export const NO_ARRIVALS: Arrivals = { rate: null, rise: 0, jump: null, jumps: NO_JUMPS };

/** Messages that arrived within `sec` seconds, all of them counted. */
export interface Arrived {
  readonly messages: number;
  readonly sec: number;
  /** By how many seconds that may be wrong at either end. */
  readonly vagueSec: number;
}

/** @param usual messages/s that have long been arriving; `null`: nothing has been usual for long */
export function learnArrivals(arrivals: Arrivals, arrived: Arrived, usual: number | null = null): Arrivals {
  const { messages, sec } = arrived;
  if (sec <= 0) return arrivals;
  const sample = messages / sec;
  const { rate, jump } = arrivals;
  const jumps = jump === null ? arrivals.jumps : learnJump(arrivals.jumps, jump, sample);
  const calm = { rise: 0, jump: null, jumps };
  if (rate === null) return { ...calm, rate: sample };
  const beyond = beyondChance(arrived, rate, usual);
  if (beyond !== 0) return changed({ ...arrivals, jump: null, jumps }, sample, beyond / sec);
  return { ...calm, rate: rate + (1 - Math.exp(-sec / TUNING.arrivalsSec)) * (sample - rate) };
}

/** @param beyond messages/s that chance does not explain */
function changed(arrivals: Arrivals, sample: number, beyond: number): Arrivals {
  const { rate, rise, jump } = arrivals;
  const isFirst = beyond > 0 && rise === 0 && rate !== null;
  return {
    ...arrivals,
    rate: sample,
    rise: riseOf(arrivals, beyond),
    jump: jump ?? (isFirst ? { from: rate, by: sample - rate } : null),
  };
}

/**
 * Counts of what waits may be live where the broker counts arrivals every few seconds only. What the backlog grew by has arrived.
 *
 * @param grown messages more in the queue than at the last counting
 */
export function learnSurge(arrivals: Arrivals, grown: Arrived, usual: number | null = null): Arrivals {
  const { rate } = arrivals;
  const { messages, sec } = grown;
  if (rate === null || sec <= 0 || messages <= rate * sec) return arrivals;
  const beyond = beyondChance(grown, rate, usual);
  return beyond <= 0 ? arrivals : changed(arrivals, messages / sec, beyond / sec);
}

/** Whether what arrives now is, but for chance, what arrives at this rate. */
export function isLike(usual: number, { rate, rise }: Arrivals): boolean {
  if (rate === null || rise > 0) return false;
  // In an average that fades out the older half hardly counts.
  const sec = 2 * TUNING.arrivalsSec;
  return Math.abs(rate - usual) * sec <= byChance(usual * sec, 0, TUNING.changes[0]);
}

/** Messages that chance does not explain, above 0 if they are too many; 0: it explains all. */
function beyondChance({ messages, sec, vagueSec }: Arrived, rate: number, usual: number | null): number {
  const expected = usual ?? rate;
  // What has been usual for long is given up less easily than what was so a moment ago.
  const errors = usual === null ? TUNING.surprise : TUNING.steadySurprise;
  const more = messages - expected * sec;
  return Math.sign(more) * Math.max(0, Math.abs(more) - byChance(expected * sec, expected * vagueSec, errors));
}

/** The variance of a Poisson count is its mean. Where hardly anything is expected one message is no surprise. */
const byChance = (expected: number, vague: number, errors: number): number =>
  errors * Math.sqrt(Math.max(expected, 1) + vague ** 2 / 6);

/**
 * A jump falls anywhere within a window, which shows only a part of it: it is more than k times as high in one case of k, if jumps of
 * all sizes are as likely. The window after that shows all of it, and what it is more may come once again. What chance explains is
 * no jump.
 */
const riseOf = ({ rise, jumps }: Arrivals, beyond: number): number =>
  goOnRarely(jumps) ? 0 : Math.max(0, beyond) * (rise > 0 ? 1 : TUNING.jumpLeft);

/** Messages/s to reckon with: a batch has come, and waits, but no more than before comes after it. `null` before the first window. */
export const expectedRate = ({ rate, jump, jumps }: Arrivals): number | null =>
  jump !== null && goOnRarely(jumps) ? jump.from : rate;

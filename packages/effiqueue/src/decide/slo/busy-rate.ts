/** mu while workers are not always busy: messages over what was seen in work. DESIGN 2.17. Pure. */

/** Seconds that workers were at work, as what is handed out at the looks tells. */
export interface AtWork {
  readonly mostSec: number;
  /** Of two counts that waver the larger one is too much on average: where it is asked whether mu is more, that would hide it. */
  readonly likelySec: number;
}

/** What was seen in windows with some work, the older ones the less. */
export interface Busy {
  readonly messages: number;
  readonly atWork: AtWork;
  /** Workers that were seen at work, one count of them for each window. */
  readonly seen: number;
}

export const NEVER_BUSY: Busy = { messages: 0, atWork: { mostSec: 0, likelySec: 0 }, seen: 0 };

/**
 * Some twenty windows are heard, or as many as it takes to finish twenty times what is in work: windows that are short beside a message
 * say little of how long it takes, however many they are. Those without any work say nothing, and do not age the others.
 */
const KEPT = 0.95;

/** @param sec in which the messages were finished */
export function learnBusy(busy: Busy, messages: number, { mostSec, likelySec }: AtWork, sec: number): Busy {
  if (sec <= 0 || (messages === 0 && mostSec === 0)) return busy;
  const kept = KEPT ** Math.min(1, messages / Math.max(1, mostSec / sec));
  return {
    messages: busy.messages * kept + messages,
    atWork: { mostSec: busy.atWork.mostSec * kept + mostSec, likelySec: busy.atWork.likelySec * kept + likelySec },
    seen: busy.seen * kept + mostSec / sec,
  };
}

export interface BusyRate {
  /** Messages/s of one worker. */
  readonly rate: number;
  /** Independent counts that it is as sure as. */
  readonly counts: number;
}

/** Never too much, for what is handed out beyond the slots, or acknowledged late, looks like work. `null`: nobody was seen at it. */
export const leastRate = (busy: Busy): BusyRate | null => rateOf(busy, busy.atWork.mostSec);

export const likelyRate = (busy: Busy): BusyRate | null => rateOf(busy, busy.atWork.likelySec);

function rateOf({ messages, seen }: Busy, workerSec: number): BusyRate | null {
  if (messages <= 0 || workerSec <= 0) return null;
  return { rate: messages / workerSec, counts: 1 / (1 / messages + 1 / seen) };
}

/** Three standard errors, as in all other questions of chance. */
const SURE = 9;

export const isSurelyMore = ({ rate, counts }: BusyRate, mu: number): boolean =>
  rate > mu && (1 - mu / rate) ** 2 * counts > SURE;

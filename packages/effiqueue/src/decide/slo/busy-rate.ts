/**
 * mu while workers are not always busy: messages over what was seen in work. It is never too much, for what is handed out beyond the
 * slots, or acknowledged late, looks like work. DESIGN 2.17. Pure.
 */

/** What was seen in windows with some work, the older ones the less. */
export interface Busy {
  readonly messages: number;
  readonly workerSec: number;
  /** Workers that were seen at work, one count of them for each window. */
  readonly seen: number;
}

export const NEVER_BUSY: Busy = { messages: 0, workerSec: 0, seen: 0 };

/**
 * Some twenty windows are heard, or as many as it takes to finish twenty times what is in work: windows that are short beside a message
 * say little of how long it takes, however many they are. Those without any work say nothing, and do not age the others.
 */
const KEPT = 0.95;

/** @param workerSec seconds that workers were seen at work, of `sec` in which the messages were finished */
export function learnBusy(busy: Busy, messages: number, workerSec: number, sec: number): Busy {
  if (sec <= 0 || (messages === 0 && workerSec === 0)) return busy;
  const kept = KEPT ** Math.min(1, messages / Math.max(1, workerSec / sec));
  return {
    messages: busy.messages * kept + messages,
    workerSec: busy.workerSec * kept + workerSec,
    seen: busy.seen * kept + workerSec / sec,
  };
}

export interface BusyRate {
  /** Messages/s of one worker. */
  readonly rate: number;
  /** Independent counts that it is as sure as. */
  readonly counts: number;
}

/** `null`: nobody was seen at work, or nothing was finished. */
export function busyRate({ messages, workerSec, seen }: Busy): BusyRate | null {
  if (messages <= 0 || seen <= 0) return null;
  return { rate: messages / workerSec, counts: 1 / (1 / messages + 1 / seen) };
}

/** Three standard errors, as in all other questions of chance. */
const SURE = 9;

export const isSurelyMore = ({ rate, counts }: BusyRate, mu: number): boolean =>
  rate > mu && (1 - mu / rate) ** 2 * counts > SURE;

/** How long what waits has waited, from when it was counted in: first come, first served. DESIGN 2.14. Pure. */

/** Messages that arrived evenly, one after the other. */
interface Batch {
  readonly messages: number;
  /** Seconds since the first and since the last of them arrived. */
  readonly oldestSec: number;
  readonly youngestSec: number;
}

/** Oldest first. */
export type Ages = readonly Batch[];

/** Beyond that pairs are joined, so that a long queue costs no more than a short one. */
const MOST_BATCHES = 60;

/**
 * @param sec     seconds since `ages` was true
 * @param arrived messages that came meanwhile
 * @param waiting messages that wait now
 */
export function aged(ages: Ages, sec: number, arrived: number, waiting: number): Ages {
  const older = ages.map(({ messages, oldestSec, youngestSec }) => ({
    messages,
    oldestSec: oldestSec + sec,
    youngestSec: youngestSec + sec,
  }));
  const all = arrived > 0 ? [...older, { messages: arrived, oldestSec: sec, youngestSec: 0 }] : older;
  return joined(youngest(all, waiting, sec));
}

/** Messages that have waited for `sec` seconds or longer. */
export function waitingFor(ages: Ages, sec: number): number {
  let messages = 0;
  for (const batch of ages) {
    if (batch.oldestSec < sec) break;
    const spanSec = batch.oldestSec - batch.youngestSec;
    const share = batch.youngestSec >= sec || spanSec === 0 ? 1 : (batch.oldestSec - sec) / spanSec;
    messages += batch.messages * share;
  }
  return messages;
}

/** The last that came: who came before them has been served. */
function youngest(ages: Ages, waiting: number, sec: number): Ages {
  const kept: Batch[] = [];
  let left = waiting;
  for (const batch of ages.toReversed()) {
    if (left <= 0) break;
    kept.unshift(batch.messages <= left ? batch : tailOf(batch, left));
    left -= batch.messages;
  }
  if (left <= 0) return kept;
  // Who was not seen to come has waited for as long as anybody.
  const oldestSec = kept[0]?.oldestSec ?? sec;
  return [{ messages: left, oldestSec, youngestSec: oldestSec }, ...kept];
}

function tailOf({ messages, oldestSec, youngestSec }: Batch, count: number): Batch {
  return { messages: count, oldestSec: youngestSec + ((oldestSec - youngestSec) * count) / messages, youngestSec };
}

function joined(ages: Ages): Ages {
  if (ages.length <= MOST_BATCHES) return ages;
  const pairs: Batch[] = [];
  for (const [i, batch] of ages.entries()) {
    const older = i % 2 === 1 ? pairs.pop() : undefined;
    pairs.push(
      older === undefined ? batch : { ...batch, messages: older.messages + batch.messages, oldestSec: older.oldestSec },
    );
  }
  return pairs;
}

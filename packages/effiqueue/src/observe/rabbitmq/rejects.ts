/**
 * Messages that a worker rejects for good leave the queue uncounted: neither as acknowledged nor as anything else. What is
 * handed out and not acknowledged is in somebody's hands, was put back, or was rejected; once that is more than hands can hold,
 * this queue's workers reject, and what is handed out is what is done. DESIGN 7.2. Pure.
 */
import { type Counted, type QueueStats, UNCOUNTED } from "./parse.ts";

export interface RejectWatch {
  /** The fewest that were handed out and not acknowledged. */
  readonly fewestOpen: number;
  /** The most that were in hands at one look. */
  readonly mostInHands: number;
  readonly handedOut: number;
  readonly isRejecting: boolean;
}

/** Beyond what hands hold twice (once held, once put back by workers that stopped), in messages: counters and counts are of different moments. */
const TELLING = 10;

const UNTOUCHED: RejectWatch = { fewestOpen: 0, mostInHands: 0, handedOut: 0, isRejecting: false };

export interface Finished {
  readonly watch: RejectWatch | null;
  readonly finished: Counted;
}

/** @param unacked in hands as of now; `null`: unknown */
export function withRejects(before: RejectWatch | null, stats: QueueStats, unacked: number | null): Finished {
  const { finished, handedOut } = stats;
  // Nobody was handed anything yet: the best beginning there is.
  if (finished.total === null || handedOut.total === null) return { watch: before ?? UNTOUCHED, finished };
  const open = Math.max(0, handedOut.total - finished.total);
  // A total that fell was reset, and what was learnt of the old one is void.
  const known = before !== null && handedOut.total >= before.handedOut ? before : null;
  const fewestOpen = Math.min(known?.fewestOpen ?? open, open);
  const mostInHands = Math.max(known?.mostInHands ?? 0, unacked ?? 0, stats.totals.unacked ?? 0);
  const wasRejecting = known?.isRejecting === true;
  const isRejecting = wasRejecting || open - fewestOpen > 2 * mostInHands + TELLING;
  const watch = { fewestOpen, mostInHands, handedOut: handedOut.total, isRejecting };
  if (!isRejecting) return { watch, finished };
  // Where the meaning of the total changes, the difference of two readings would be a burst that never was.
  return { watch, finished: wasRejecting ? handedOut : { ...UNCOUNTED, rate: handedOut.rate } };
}

/**
 * The pace law: more workers when somebody would be late before help could come, fewer when the queue is about to run empty, and
 * else neither, for a queue that stands within the SLO keeps every worker busy. DESIGN 2.13. Pure.
 */
import { begunBy, dueBy, type Outlook, waitingIn } from "./outlook.ts";
import { TUNING } from "./tuning.ts";

export interface Situation {
  readonly outlook: Outlook;
  readonly sloSec: number;
  /** Seconds from decision to decision, and from one counting of the broker to the next. */
  readonly tickSec: number;
  readonly gapSec: number;
  /** Seconds from the decision to the first message of a new worker. */
  readonly startupSec: number;
  /** Seconds since the pool grew for the last time but one. */
  readonly grewTwiceSec: number;
  /** The pool has turned so often that it had better not shrink again while the load stands still (2.20). */
  readonly isRestless: boolean;
  /** Starting and serving. */
  readonly current: number;
  /** The full pool. */
  readonly capacity: number;
}

export interface Pace {
  readonly workers: number;
  readonly reason: "late" | "surge" | "spare" | "on-time";
}

/** Points at which the curves are compared: between two of them they are nearly straight. */
const STEPS = 12;

export function paceOf(situation: Situation): Pace {
  const { current } = situation;
  if (current === 0 && mayWakeLater(situation)) return { workers: 0, reason: "on-time" };
  const surge = current + surgeGrowth(situation);
  const grown = current + growth(situation);
  if (surge > Math.max(current, grown)) return { workers: surge, reason: "surge" };
  if (grown > current) return { workers: grown, reason: "late" };
  const isHeld = situation.isRestless && situation.outlook.steady !== null;
  const isNeeded = isHeld || waitingIn(situation.outlook, situation.tickSec) > 0;
  const rest = isNeeded ? current : current - dispensable(situation);
  return { workers: rest, reason: rest < current ? "spare" : "on-time" };
}

/**
 * Each wake costs a start and ends idle, so the fewer the better: nobody is woken as long as one worker that starts at the next look
 * would do, and none that waits would be later than planned.
 */
function mayWakeLater(situation: Situation): boolean {
  const { outlook, sloSec, tickSec, startupSec } = situation;
  const servesSec = tickSec + startupSec;
  const woken = { ...outlook, comingSec: [servesSec] };
  const waitSec = sloSec * TUNING.planShare;
  for (let i = 0; i <= STEPS; i += 1) {
    const h = servesSec + (sloSec * i) / STEPS;
    if (dueBy(outlook, h, waitSec) > begunBy(woken, h)) return false;
  }
  const later = { ...situation, outlook: woken, current: 1 };
  return growth(later) <= 0 && surgeGrowth(later) <= 0;
}

/** Who is late at once is helped by whole workers; what is late only some time ahead waits until it takes a whole one. */
function growth(situation: Situation): number {
  const { outlook, current } = situation;
  const { near, far } = lacking(situation);
  if (near <= 0) return Math.floor(far);
  return Math.max(Math.ceil(near), Math.floor(far), Math.ceil(outlook.lambda / outlook.mu) - current);
}

/** Workers that are missing when a new one would have caught up, and at most within an SLO from then. */
function lacking({ outlook, sloSec, tickSec, startupSec }: Situation): { near: number; far: number } {
  const waitSec = sloSec * TUNING.planShare;
  const lackingIn = (h: number) => (dueBy(outlook, h, waitSec) - begunBy(outlook, h)) / (outlook.mu * (h - startupSec));
  // Where a start takes long what is seen of the future is vague, and a hurry would only ask for too many.
  const nearSec = startupSec + tickSec + Math.max(sloSec * TUNING.catchUpShare, startupSec);
  let far = 0;
  for (let i = 1; i <= STEPS; i += 1) far = Math.max(far, lackingIn(nearSec + (sloSec * i) / STEPS));
  return { near: lackingIn(nearSec), far };
}

/** What rises beyond chance may rise on. That matters only when the whole pool would be too small for it after the next counting. */
function surgeGrowth(situation: Situation): number {
  const { outlook, current } = situation;
  if (outlook.rise === 0) return 0;
  const risen = { ...situation, outlook: { ...outlook, lambda: outlook.lambda + outlook.rise } };
  if (!isLastCall(risen)) return 0;
  return Math.max(growth(risen), Math.ceil(risen.outlook.lambda / outlook.mu) - current);
}

function isLastCall({ outlook, sloSec, tickSec, gapSec, startupSec, current, capacity }: Situation): boolean {
  const fromSec = startupSec + tickSec + gapSec;
  for (let i = 1; i <= STEPS; i += 1) {
    const h = fromSec + (sloSec * i) / STEPS;
    const begun = begunBy(outlook, h) + outlook.mu * Math.max(0, capacity - current) * (h - fromSec);
    if (dueBy(outlook, h, sloSec * TUNING.surgeShare) > begun) return true;
  }
  return false;
}

/** Workers without which the others keep up but for a part of one, nobody who waits is late, and none has to be started again. */
function dispensable(situation: Situation): number {
  const { outlook, sloSec, current } = situation;
  const waitSec = sloSec * TUNING.planShare;
  let spare = current - fewest(situation);
  for (let i = 1; i <= STEPS; i += 1) {
    const h = (waitSec * i) / STEPS;
    spare = Math.min(spare, Math.floor((begunBy(outlook, h) - dueBy(outlook, h, waitSec)) / (outlook.mu * h)));
  }
  while (spare > 0 && growth(without(situation, spare)) > 0) spare -= 1;
  return Math.max(0, spare);
}

/**
 * While the load stands still, workers that keep up with all of it: a pool between two counts would turn and turn. Who had to be
 * started again stays for a while even then, for the rate of a worker is not known to a percent.
 */
function fewest({ outlook: { lambda, mu, steady }, grewTwiceSec }: Situation): number {
  if (steady === null) return Math.floor(lambda / mu);
  const load = steady.lambda / steady.mu;
  return Math.ceil(grewTwiceSec < TUNING.regretSec ? load + Math.min(1, load * TUNING.regretShare) : load);
}

/** Starting workers are the first to go. */
function without(situation: Situation, spare: number): Situation {
  const { outlook, current } = situation;
  const comingSec = outlook.comingSec.slice(0, Math.max(0, outlook.comingSec.length - spare));
  const serving = Math.max(0, outlook.serving - Math.max(0, spare - outlook.comingSec.length));
  return { ...situation, outlook: { ...outlook, comingSec, serving }, current: current - spare };
}

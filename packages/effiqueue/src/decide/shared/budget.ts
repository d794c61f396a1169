/**
 * How programs share the memory of one machine, so that together they stay within it and none starves. DESIGN 7.8. Pure.
 */
import type { Decision, ProgramDecision } from "../../model/decision.ts";
import type { QueueReading } from "../../model/observation.ts";
import type { BudgetClaim, BudgetPolicy, ProgramLimits } from "../../model/ports.ts";
import { clamp } from "./clamp.ts";
import { knownCount } from "./known.ts";
import { derivedBudget } from "./memory.ts";
import { bytesBeyond, workerMark } from "./worker-mark.ts";

/** Bytes that all workers may take together, or that must stay free of them. */
export type BudgetLimit = { readonly ramBudgetBytes: number } | { readonly headroomBytes: number };

export function sharedBudget(limit: BudgetLimit): BudgetPolicy {
  return {
    workerBytes: workerMark,
    bytesBeyond,
    wanted,
    totalBytes: (machine, poolsBytes) =>
      "ramBudgetBytes" in limit ? limit.ramBudgetBytes : derivedBudget(machine, poolsBytes, limit.headroomBytes),
    shareBytes: (totalBytes, claims, index) => {
      const beyond = claims.reduce((sum, { beyondBytes = 0 }) => sum + beyondBytes, 0);
      // What a worker takes beyond the usual is its program's, and nobody's share.
      return shareBytes(Math.max(0, totalBytes - beyond), claims, index) + (claims[index]?.beyondBytes ?? 0);
    },
  };
}

function wanted(
  decision: Decision | ProgramDecision,
  queue: QueueReading | null,
  { minWorkers, maxWorkers }: ProgramLimits,
): number {
  return clamp(appetite(decision, queue), minWorkers, maxWorkers);
}

function appetite(decision: Decision | ProgramDecision, queue: QueueReading | null): number {
  const { desired } = decision;
  if ("needed" in decision && decision.needed !== null) {
    // Who is held by something else than memory has no use for more of it.
    return decision.boundBy === "ram" ? decision.needed : Math.min(decision.needed, decision.capacity);
  }
  // Work waits, and nobody knows how many workers it takes: its share must not go to others whenever it pauses for breath.
  const isGroping = [decision.reason, ...decision.trail].some(
    (each) => each === "bootstrap" || each === "unknown-rate",
  );
  const ready = knownCount(queue?.ready) ?? 0;
  return isGroping && ready > 0 ? Math.max(desired, ready + (knownCount(queue?.unacked) ?? 0)) : desired;
}

/**
 * To grow: everything that the others neither hold nor still have coming of their fair share. To stay: what they do not hold, or, as
 * soon as one of them lacks, what none of them has coming. Who holds more gives back, but never below a fair share of its own.
 */
function shareBytes(totalBytes: number, claims: readonly BudgetClaim[], index: number): number {
  const shares = fairShares(totalBytes, claims);
  const sizes = sizesOf(claims);
  let growth = totalBytes;
  let held = 0;
  let coming = 0;
  let isPressed = false;
  for (const [i, claim] of claims.entries()) {
    if (i === index) continue;
    const size = sizes[i] ?? 0;
    const share = shares[i] ?? 0;
    growth -= claim.draining * size;
    held += claim.workers * size;
    coming += (hasComing(claim, share) ? share : claim.workers) * size;
    isPressed ||= lacks(claim, share);
  }
  growth -= coming;
  const own = claims[index];
  const bytes = Math.max(0, growth);
  if (own === undefined || own.workerBytes === null) return bytes;
  if (Math.floor(bytes / own.workerBytes) - own.draining >= own.workers) return bytes;
  // What drains comes free, so it is not asked for twice.
  const stay = totalBytes - (isPressed ? coming : held);
  const kept = Math.min(own.workers, Math.max(shares[index] ?? 0, Math.floor(stay / own.workerBytes)));
  return (kept + own.draining) * own.workerBytes;
}

/** Who wants only one worker more may be content as it is (2.6): for it nothing is kept free. */
function hasComing({ workers, wanted }: BudgetClaim, share: number): boolean {
  return share > workers && (workers === 0 || wanted - workers > 1);
}

/** One worker less than the fair share is near enough for nobody to be stopped, unless that leaves half of it or nothing. */
function lacks(claim: BudgetClaim, share: number): boolean {
  return hasComing(claim, share) && (share - claim.workers > 1 || claim.workers <= 1);
}

/**
 * Live workers for each by max-min fairness in bytes: all get as much, as far as they want it. What is left of whole workers goes to whoever
 * has the least and fits in. The floor, and a first worker, are given in any case.
 */
function fairShares(totalBytes: number, claims: readonly BudgetClaim[]): readonly number[] {
  const sizes = sizesOf(claims);
  const bytesOf = (workers: readonly number[]): number =>
    workers.reduce((sum, each, i) => sum + each * (sizes[i] ?? 0), 0);
  const wishes = claims.map(({ wanted }) => wanted);
  if (bytesOf(wishes) <= totalBytes) return wishes;

  const sharesAt = (bytesEach: number): number[] =>
    claims.map(({ wanted, floor }, i) => {
      const least = Math.min(wanted, Math.max(1, floor));
      return clamp(Math.floor(bytesEach / (sizes[i] ?? 1)), least, wanted);
    });
  let bytesEach = 0;
  for (let more = totalBytes; more >= 1; more /= 2) {
    if (bytesOf(sharesAt(bytesEach + more)) <= totalBytes) bytesEach += more;
  }
  return withRest(sharesAt(bytesEach), wishes, sizes, totalBytes);
}

function withRest(
  given: readonly number[],
  wishes: readonly number[],
  sizes: readonly number[],
  totalBytes: number,
): readonly number[] {
  const shares = [...given];
  let left = shares.reduce((rest, share, i) => rest - share * (sizes[i] ?? 0), totalBytes);
  for (;;) {
    let poorest = -1;
    let least = Number.POSITIVE_INFINITY;
    for (const [i, share] of shares.entries()) {
      const size = sizes[i] ?? 0;
      if (share >= (wishes[i] ?? 0) || size > left || share * size >= least) continue;
      poorest = i;
      least = share * size;
    }
    if (poorest < 0) return shares;
    shares[poorest] = (shares[poorest] ?? 0) + 1;
    left -= sizes[poorest] ?? 0;
  }
}

/** A worker that was not measured yet is taken to be as large as the largest that was. */
function sizesOf(claims: readonly BudgetClaim[]): readonly number[] {
  const largest = Math.max(0, ...claims.map(({ workerBytes }) => workerBytes ?? 0));
  return claims.map(({ workerBytes }) => workerBytes ?? largest);
}

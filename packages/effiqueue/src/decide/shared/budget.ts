/**
 * How programs share the memory of one machine, so that together they stay within it and none starves. DESIGN 7.8. Pure.
 */
import type { Decision, ProgramDecision } from "../../model/decision.ts";
import type { QueueReading } from "../../model/observation.ts";
import type { Appetite, BudgetClaim, BudgetDivision, BudgetPolicy, Need, ProgramLimits } from "../../model/ports.ts";
import { clamp } from "./clamp.ts";
import { fairShares, sizesOf } from "./fair-shares.ts";
import { knownCount } from "./known.ts";
import { derivedBudget } from "./memory.ts";
import { bytesBeyond, workerMark } from "./worker-mark.ts";

/** Bytes that all workers may take together, or that must stay free of them. */
export type BudgetLimit = { readonly ramBudgetBytes: number } | { readonly headroomBytes: number };

export function sharedBudget(limit: BudgetLimit): BudgetPolicy {
  return {
    workerBytes: workerMark,
    bytesBeyond,
    appetite,
    totalBytes: (machine, poolsBytes) =>
      "ramBudgetBytes" in limit ? limit.ramBudgetBytes : derivedBudget(machine, poolsBytes, limit.headroomBytes),
    divide,
    shareBytes: (totalBytes, claims, index, division = divide(totalBytes, claims)) =>
      shareBytes(usualBytes(totalBytes, claims), claims, index, division) + (claims[index]?.beyondBytes ?? 0),
  };
}

function divide(totalBytes: number, claims: readonly BudgetClaim[]): BudgetDivision {
  const sizes = sizesOf(claims);
  return { sizes, shares: fairShares(usualBytes(totalBytes, claims), claims, sizes) };
}

/** What a worker takes beyond the usual is its program's, and nobody's share. */
function usualBytes(totalBytes: number, claims: readonly BudgetClaim[]): number {
  let bytes = totalBytes;
  for (const { beyondBytes = 0 } of claims) bytes -= beyondBytes;
  return Math.max(0, bytes);
}

function appetite(
  decision: Decision | ProgramDecision,
  queue: QueueReading | null,
  { minWorkers, maxWorkers }: ProgramLimits,
): Appetite {
  return {
    wanted: clamp(wish(decision, queue), minWorkers, maxWorkers),
    need: needOf(decision),
    kept: keptOf(decision),
  };
}

const keptOf = (decision: Decision | ProgramDecision) => ("kept" in decision ? decision.kept : undefined);

function needOf(decision: Decision | ProgramDecision): Need | null {
  if (!("needed" in decision)) return null;
  const { needed, mu, lambda } = decision;
  if (needed === null || mu === null || lambda === null || mu <= 0) return null;
  return { needed, keepUp: Math.min(needed, lambda / mu) };
}

function wish(decision: Decision | ProgramDecision, queue: QueueReading | null): number {
  const { desired } = decision;
  const asked = "needed" in decision ? (decision.needed ?? decision.wanted) : undefined;
  if (asked !== undefined && "capacity" in decision) {
    // Who is held by something else than memory has no use for more of it.
    return decision.boundBy === "ram" ? asked : Math.min(asked, decision.capacity);
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
function shareBytes(
  totalBytes: number,
  claims: readonly BudgetClaim[],
  index: number,
  { sizes, shares }: BudgetDivision,
): number {
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
    isPressed ||= lacks(claim, share, claim.priority > (claims[index]?.priority ?? 0));
  }
  growth -= coming;
  const own = claims[index];
  const bytes = Math.max(0, growth);
  if (own === undefined || own.workerBytes === null) return bytes;
  if (Math.floor(bytes / own.workerBytes) - own.draining >= own.workers) return bytes;
  // What drains comes free, so it is not asked for twice.
  const stay = totalBytes - (isPressed ? coming : held);
  const kept = Math.min(own.workers, Math.max(shares[index] ?? 0, Math.floor(stay / own.workerBytes)));
  // A floor and a first worker need no budget: they run whatever it is.
  return Math.min(kept * own.workerBytes, totalBytes) + own.draining * own.workerBytes;
}

/** Who wants only one worker more may be content as it is (2.6): for it nothing is kept free. */
function hasComing({ workers, wanted }: BudgetClaim, share: number): boolean {
  return share > workers && (workers === 0 || wanted - workers > 1);
}

/**
 * One worker less than the fair share is near enough for nobody to be stopped, unless that leaves half of it or nothing; and what is fair
 * among equals moves with every message, so there an eighth is near enough.
 */
function lacks(claim: BudgetClaim, share: number, isAbove: boolean): boolean {
  if (!hasComing(claim, share)) return false;
  const near = isAbove ? 1 : Math.max(1, share / 8);
  return share - claim.workers > near || claim.workers <= 1;
}

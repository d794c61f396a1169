/** What happens to the pool while the queue cannot be read: unknown is not zero. DESIGN 2.15. Pure. */
import { sloOf } from "../../model/slo.ts";
import type { ProgramConfig } from "../program.ts";
import { limited } from "../shared/limits.ts";
import type { Chain } from "../shared/rationale.ts";
import type { Estimates } from "./estimates.ts";
import { workersNeeded } from "./littles-law.ts";
import { TUNING } from "./pace/tuning.ts";

interface Unseen {
  readonly estimates: Estimates;
  /** What the machine can hold. */
  readonly capacity: number;
  /** Live workers. */
  readonly current: number;
  /** The same with those that were lost, within floor and ceiling. */
  readonly from: number;
  /** Messages when the queue was last read. */
  readonly backlog: number;
  /** Seconds since the queue was last read, and between two looks. */
  readonly unseenSec: number;
  readonly tickSec: number;
}

/** The pool stays what it was meant to be, within floor and ceiling; it grows where it was kept short of the load on purpose. */
export function heldChain(program: ProgramConfig, seen: Unseen): Chain {
  const { estimates, capacity, current, from, backlog, unseenSec, tickSec } = seen;
  const held: Chain = [{ workers: Math.max(current, from), reason: "unreadable", phrase: "queue unreadable" }];
  const sloSec = sloOf(program)?.sec ?? Number.NaN;
  const isLong = program.maxStep === "auto" && unseenSec >= Math.max(sloSec * TUNING.unseenShare, tickSec * FEW_LOOKS);
  const enough = isLong ? Math.min(neededAtMost(estimates, backlog, sloSec), capacity) : 0;
  if (enough - from <= program.hysteresis) return limited(held, program);
  return limited(
    [...held, { workers: enough, reason: "unreadable", phrase: `${enough} do for what was seen` }],
    program,
  );
}

/** A fifth of the looks may fail, and that is no outage. */
const FEW_LOOKS = 3.5;

/** What the SLO takes (2.6) even if both rates were at the far ends of what they may be: nobody would see that they are. */
function neededAtMost({ source, lambdaInterval, muInterval }: Estimates, backlog: number, sloSec: number): number {
  if (source !== 1) return 0;
  return workersNeeded(backlog, lambdaInterval?.high, muInterval?.low, sloSec) ?? 0;
}

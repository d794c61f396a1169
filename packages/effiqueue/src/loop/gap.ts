/**
 * The feasibility gap as events: loud when it opens, a slow reminder while it stands, and once when it is closed. DESIGN 6.3.
 */
import { isAtKnee, type ProgramDecision } from "../model/decision.ts";
import type { EventFields } from "../model/events.ts";
import type { Reporter } from "../model/ports.ts";
import type { Slo } from "../model/slo.ts";
import type { MonotonicMs } from "../units.ts";
import { Standing } from "./standing.ts";

const GIB = 1024 ** 3;

/** A need that wavers around what there is would open and close the gap all day: closed is what has been closed for so long. */
const TICKS_CLOSED = 3;

export class GapReport {
  readonly #program: string;
  #slo: Slo | null;
  readonly #reporter: Reporter;
  readonly #standing = new Standing();
  #isOpen = false;
  #ticksClosed = 0;
  /** That more workers would do no more is another trouble, with another remedy: once in a gap it is said as soon as it is known. */
  #cause: "room" | "knee" = "room";

  /** @param slo `null`: nothing is promised, so nothing is missing */
  constructor(program: string, slo: Slo | null, reporter: Reporter) {
    this.#program = program;
    this.#slo = slo;
    this.#reporter = reporter;
  }

  /** A gap that stands goes on under the new promise; without one it is over. */
  change(slo: Slo | null, now: MonotonicMs): void {
    this.#slo = slo;
    if (slo === null) this.#close(now);
  }

  observe(decision: ProgramDecision, now: MonotonicMs): void {
    // Where the need is unknown so is the gap: a broker that is away closes none.
    if (decision.needed === null) return;
    this.#ticksClosed = decision.gap === null ? this.#ticksClosed + 1 : 0;
    if (this.#isOpen && decision.gap === null && this.#ticksClosed < TICKS_CLOSED) return;
    if (decision.gap === null) {
      this.#close(now);
      return;
    }
    // On the way to it more are in question than in the end.
    if (isAtKnee(decision.boundBy) && decision.reason !== "trial") this.#cause = "knee";
    const said = this.#standing.observe(this.#cause, now);
    const wasOpen = this.#isOpen;
    this.#isOpen = true;
    const fields = this.#fieldsOf(decision);
    if (said?.kind !== "stands" || fields === null) return;
    if (wasOpen) this.#reporter.emit("decide.gap.persists", { ...fields, for_sec: said.forSec });
    else this.#reporter.emit("decide.gap.opened", fields);
  }

  #close(now: MonotonicMs): void {
    const said = this.#standing.observe(null, now);
    this.#isOpen = false;
    this.#cause = "room";
    if (said?.kind === "ended")
      this.#reporter.emit("decide.gap.cleared", { program: this.#program, after_sec: said.afterSec });
  }

  #fieldsOf({ needed, capacity, boundBy, gap, mu, lambda }: ProgramDecision): EventFields["decide.gap.opened"] | null {
    if (gap === null || needed === null || mu === null || this.#slo === null) return null;
    return {
      program: this.#program,
      workers_needed: needed,
      workers_capacity: capacity,
      feasibility_gap: gap.workers,
      gap_gib: gap.bytes === null ? null : tenths(gap.bytes / GIB),
      best_drain: Number.isFinite(gap.bestDrainSec) ? tenths(gap.bestDrainSec) : "infinite",
      mu,
      lambda,
      slo_sec: this.#slo.sec,
      slo_goal: this.#slo.goal,
      bound_by: boundBy,
    };
  }
}

const tenths = (value: number): number => Math.round(value * 10) / 10;

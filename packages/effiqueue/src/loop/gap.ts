/**
 * The feasibility gap as events: loud when it opens, a slow reminder while it stands, and once when it is closed. DESIGN 6.3.
 */
import type { ProgramDecision } from "../model/decision.ts";
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
  readonly #slo: Slo;
  readonly #reporter: Reporter;
  readonly #standing = new Standing();
  #isOpen = false;
  #ticksClosed = 0;

  constructor(program: string, slo: Slo, reporter: Reporter) {
    this.#program = program;
    this.#slo = slo;
    this.#reporter = reporter;
  }

  observe(decision: ProgramDecision, now: MonotonicMs): void {
    // Where the need is unknown so is the gap: a broker that is away closes none.
    if (decision.needed === null) return;
    this.#ticksClosed = decision.gap === null ? this.#ticksClosed + 1 : 0;
    if (this.#isOpen && decision.gap === null && this.#ticksClosed < TICKS_CLOSED) return;
    const said = this.#standing.observe(decision.gap === null ? null : "gap", now);
    const wasOpen = this.#isOpen;
    this.#isOpen = decision.gap !== null;
    if (said === null) return;
    if (said.kind === "ended") {
      this.#reporter.emit("decide.gap.cleared", { program: this.#program, after_sec: said.afterSec });
      return;
    }
    const fields = this.#fieldsOf(decision);
    if (fields === null) return;
    if (wasOpen) this.#reporter.emit("decide.gap.persists", { ...fields, for_sec: said.forSec });
    else this.#reporter.emit("decide.gap.opened", fields);
  }

  #fieldsOf({ needed, capacity, boundBy, gap, mu, lambda }: ProgramDecision): EventFields["decide.gap.opened"] | null {
    if (gap === null || needed === null || mu === null) return null;
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

/** What is said of a decision: itself, a gap that opens or closes, and workers that grow for ever. DESIGN 6.1, 6.3. */
import type { ProgramDecision } from "../model/decision.ts";
import type { Observation } from "../model/observation.ts";
import type { Reporter } from "../model/ports.ts";
import { type Slo, sloOf } from "../model/slo.ts";
import type { MonotonicMs } from "../units.ts";
import { GapReport } from "./gap.ts";
import { GrowthReport } from "./growth-report.ts";
import type { ProgramOptions } from "./program-options.ts";

export class DecisionReport {
  #options: ProgramOptions;
  readonly #reporter: Reporter;
  readonly #gaps: GapReport;
  readonly #growth: GrowthReport;

  constructor(options: ProgramOptions, reporter: Reporter) {
    this.#options = options;
    this.#reporter = reporter;
    this.#gaps = new GapReport(options.program, promiseOf(options), reporter);
    this.#growth = new GrowthReport(options.program, reporter);
  }

  change(options: ProgramOptions, now: MonotonicMs): void {
    this.#options = options;
    this.#gaps.change(promiseOf(options), now);
  }

  observe(observation: Observation, decision: ProgramDecision, now: MonotonicMs): void {
    this.#ticked(observation, decision);
    this.#gaps.observe(decision, now);
    this.#growth.observe(decision);
  }

  #ticked({ dtSec, queue, workers }: Observation, decision: ProgramDecision): void {
    this.#reporter.emit("loop.tick.decided", {
      program: this.#options.program,
      pending: queue?.ready ?? null,
      running: queue?.unacked ?? null,
      current_workers: decision.current,
      desired_workers: decision.desired,
      draining_workers: workers.draining,
      reason: decision.reason,
      trail: decision.trail.join(","),
      rationale: decision.rationale,
      dt_sec: dtSec,
    });
  }
}

const promiseOf = ({ limits }: ProgramOptions): Slo | null => (limits === undefined ? null : sloOf(limits));

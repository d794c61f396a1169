/**
 * Workers that grow for ever while memory is short: said once, with the remedy. DESIGN 4.13.
 */
import type { ProgramDecision } from "../model/decision.ts";
import type { Reporter } from "../model/ports.ts";

export class GrowthReport {
  readonly #program: string;
  readonly #reporter: Reporter;
  #isSaid = false;

  constructor(program: string, reporter: Reporter) {
    this.#program = program;
    this.#reporter = reporter;
  }

  observe({ growth, capacity }: ProgramDecision): void {
    if (growth?.worst == null || this.#isSaid) return;
    this.#isSaid = true;
    this.#reporter.emit("decide.workers.outgrown", {
      program: this.#program,
      worker_bytes: growth.worst.bytes,
      was_bytes: growth.grownBytes,
      workers_capacity: capacity,
    });
  }
}

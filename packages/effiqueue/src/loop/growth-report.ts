/**
 * Workers that grow until ever fewer of them fit: said once, with the remedy, where nothing limits the size of a worker. DESIGN 4.13.
 */
import type { ProgramDecision } from "../model/decision.ts";
import type { Reporter } from "../model/ports.ts";
import type { MonotonicMs } from "../units.ts";

/** Longer than workers take to load what they need; what comes on top of that later is another matter. */
const GROWN_MS = 600_000;

/** Half as many fit: no noise of sizes does that. */
const FACTOR = 2;

export class GrowthReport {
  readonly #program: string;
  readonly #reporter: Reporter;
  #measuredAt: MonotonicMs | null = null;
  /** The least that a grown worker was reckoned to take. */
  #leastBytes = Number.POSITIVE_INFINITY;
  #isSaid = false;

  constructor(program: string, reporter: Reporter) {
    this.#program = program;
    this.#reporter = reporter;
  }

  /** @param maxBytes the size at which a worker is replaced; `undefined`: at none */
  observe({ workerBytes, boundBy, capacity }: ProgramDecision, maxBytes: number | undefined, now: MonotonicMs): void {
    if (workerBytes === null || maxBytes !== undefined || this.#isSaid) return;
    this.#measuredAt ??= now;
    if (now - this.#measuredAt < GROWN_MS) return;
    this.#leastBytes = Math.min(this.#leastBytes, workerBytes);
    if (boundBy !== "ram" || workerBytes < FACTOR * this.#leastBytes) return;
    this.#isSaid = true;
    this.#reporter.emit("decide.workers.outgrown", {
      program: this.#program,
      worker_bytes: workerBytes,
      was_bytes: this.#leastBytes,
      workers_capacity: capacity,
    });
  }
}

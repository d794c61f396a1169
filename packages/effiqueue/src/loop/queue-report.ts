/**
 * What is to be said of a queue and of what its workers publish: changes and slow reminders, not a line a tick. DESIGN 6.1.
 */
import { codeOf, errorText } from "../model/errors.ts";
import type { QueueReading } from "../model/observation.ts";
import type { Reporter } from "../model/ports.ts";
import type { Reading } from "../model/reading.ts";
import { type Slo, sloOf } from "../model/slo.ts";
import type { TickRecord } from "../model/tick-record.ts";
import type { MonotonicMs } from "../units.ts";
import type { ProgramOptions } from "./program-options.ts";
import type { MeasuredSlots } from "./slots.ts";
import { Standing } from "./standing.ts";

/** A queue that has told no age for so long, with work waiting, cannot: a broker's statistics are there after five seconds. */
const AGELESS_MS = 15_000;

export class QueueReport {
  #options: ProgramOptions;
  readonly #reporter: Reporter;
  readonly #unreadable = new Standing();
  readonly #otherSlots = new Standing(Number.POSITIVE_INFINITY);
  #slo: Slo | null;
  /** `done`: it was said. */
  #agelessSince: MonotonicMs | null | "done" = null;

  constructor(options: ProgramOptions, reporter: Reporter) {
    this.#options = options;
    this.#reporter = reporter;
    this.#slo = sloOf(options.limits ?? {});
  }

  /** What was said still stands, be it of another queue: its end is to be said. */
  change(options: ProgramOptions): void {
    this.#options = options;
    this.#slo = sloOf(options.limits ?? {});
    this.#agelessSince = null;
  }

  reading(reading: Reading<QueueReading>, now: MonotonicMs): void {
    const { program } = this.#options;
    const error = unreadableOf(reading)?.message ?? null;
    const said = this.#unreadable.observe(error, now);
    if (said?.kind === "ended") this.#reporter.emit("observe.queue.recovered", { program, after_sec: said.afterSec });
    else if (said !== null) {
      this.#reporter.emit("observe.queue.unreadable", { program, error: error ?? "", for_sec: said.forSec });
    }
    if (reading.kind === "ok") this.#age(reading.value, now);
  }

  #age({ ready, oldestAgeSec }: QueueReading, now: MonotonicMs): void {
    if (this.#slo?.goal !== "wait" || this.#agelessSince === "done") return;
    if (typeof oldestAgeSec === "number") this.#agelessSince = null;
    else if (ready > 0) this.#agelessSince ??= now;
    if (this.#agelessSince === null || ready === 0 || now - this.#agelessSince < AGELESS_MS) return;
    this.#agelessSince = "done";
    this.#reporter.emit("observe.queue.age_invisible", { program: this.#options.program, slo_sec: this.#slo.sec });
  }

  /** The figures a worker publishes say more than their mean: two kinds of workers at once are a change too. */
  slots(slots: MeasuredSlots | null, now: MonotonicMs): void {
    const { program, slotsPerWorker } = this.#options;
    if (slots === null || slotsPerWorker === undefined) return;
    const kinds = [...new Set(slots.published)].sort((a, b) => a - b);
    const mismatch = kinds.every((each) => each === slotsPerWorker) ? null : kinds.join(",");
    if (this.#otherSlots.observe(mismatch, now)?.kind !== "stands") return;
    const mean = slots.published.reduce((sum, each) => sum + each, 0) / slots.published.length;
    this.#reporter.emit("observe.slots.mismatched", {
      program,
      configured_slots: slotsPerWorker,
      measured_slots: mean,
    });
  }
}

export type Unreadable = NonNullable<TickRecord["unreadable"]>;

/** `null`: it was read. The code is the error's own, where it has one. */
export function unreadableOf(reading: Reading<QueueReading>): Unreadable | null {
  if (reading.kind === "ok") return null;
  const { cause } = reading;
  return { code: codeOf(cause) || "other", message: errorText(cause) };
}

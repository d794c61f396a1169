/**
 * What one program sees at a tick, from the answers that it got: the queue, its workers, the memory. What of it is news is said. DESIGN 2.1, 6.1.
 */
import type { Observation, QueueReading, WorkersReading } from "../model/observation.ts";
import type { Reporter } from "../model/ports.ts";
import { currentOf, type WorkerView } from "../model/worker.ts";
import type { MonotonicMs } from "../units.ts";
import type { Answers } from "./asking.ts";
import { OomReport } from "./oom-report.ts";
import type { ProgramOptions } from "./program-options.ts";
import { QueueReport } from "./queue-report.ts";
import { measureSlots } from "./slots.ts";
import { type Subscriptions, subscribed } from "./subscriptions.ts";

export type Seen = Pick<Observation, "queue" | "workers" | "memory" | "cpus" | "oomKills">;

export class Sight {
  #options: ProgramOptions;
  readonly #queueReport: QueueReport;
  readonly #oomReport: OomReport;
  #subscriptions: Subscriptions | null = null;

  constructor(options: ProgramOptions, reporter: Reporter) {
    this.#options = options;
    this.#queueReport = new QueueReport(options, reporter);
    this.#oomReport = new OomReport(options.program, reporter);
  }

  change(options: ProgramOptions, isSameQueue: boolean): void {
    this.#options = options;
    this.#queueReport.change(options);
    if (!isSameQueue) this.#subscriptions = null;
  }

  see({ exits, reading, views, look }: Answers, now: MonotonicMs): Seen {
    const { pool } = this.#options;
    this.#queueReport.reading(reading, now);
    const queue = reading.kind === "ok" ? reading.value : null;
    return {
      queue,
      workers: this.#workers(queue, views, now),
      ...this.#oomReport.observe(exits, currentOf(pool.counts()), look),
      ...(look === undefined ? {} : { memory: look?.memoryOf(pool) ?? null }),
      ...(look?.machine.cpus === undefined ? {} : { cpus: look.machine.cpus }),
    };
  }

  #workers(queue: QueueReading | null, views: readonly WorkerView[] | null, now: MonotonicMs): WorkersReading {
    const { pool } = this.#options;
    const snapshot = pool.snapshot();
    const slots = measureSlots(snapshot, views);
    this.#queueReport.slots(slots, now);
    const { workers, subscriptions } = subscribed(this.#subscriptions, pool.counts(), snapshot, queue, now);
    this.#subscriptions = subscriptions;
    return slots === null ? workers : { ...workers, slots: slots.total };
  }
}

/**
 * What the end of a worker means to its pool: a record for the loop, and whether spawning has to pause. DESIGN 4.6, 4.12, 4.15.
 */
import type { WorkerExit } from "../model/worker.ts";
import { exitKind, isYoung } from "./exit-kind.ts";
import { DEFAULT_MIN_UPTIME_MS, type WorkerPoolOptions } from "./options.ts";
import type { Roster } from "./roster.ts";
import type { SpawnGate } from "./spawn-gate.ts";
import type { Strays } from "./strays.ts";
import type { Tell } from "./tell.ts";
import type { LeaderExit, Worker } from "./worker.ts";

export interface EndingsParts {
  /** Of the pool; they may change. */
  readonly options: WorkerPoolOptions;
  readonly tell: Tell;
  readonly roster: Roster;
  readonly gate: SpawnGate;
  readonly strays: Strays;
}

export class Endings {
  readonly #parts: EndingsParts;
  #records: WorkerExit[] = [];

  constructor(parts: EndingsParts) {
    this.#parts = parts;
  }

  /** Those since it was asked last. */
  take(): readonly WorkerExit[] {
    const records = this.#records;
    this.#records = [];
    return records;
  }

  /** The worker is in the roster no more, and nothing of it is left. */
  ended(worker: Worker, exit: LeaderExit): void {
    const { options, tell, roster, gate, strays } = this.#parts;
    const { identity, processNum, startedAt } = worker;
    const { exitCode, signal, at } = exit;
    const uptimeMs = Math.round(at - startedAt);
    const kind = exitKind(worker, exit, uptimeMs, options);
    const record: WorkerExit = { pid: identity.pid, processNum, exitCode, signal, uptimeMs, kind };
    this.#records.push(record);
    tell("act.worker.exited", {
      pid: identity.pid,
      process_num: processNum,
      exit_code: exitCode,
      signal,
      uptime_ms: uptimeMs,
      kind,
    });
    const isUnasked = kind === "crashed" || kind === "exited";
    if (isUnasked && isYoung(uptimeMs, options)) strays.look(worker, roster.all());
    if (this.#isFault(record)) gate.crashed();
  }

  couldNotStart(): void {
    this.noteLived();
    this.#parts.gate.crashed();
  }

  /** Before anything counts as a crash, those that have lived long enough since the last look reset the count. */
  noteLived(): void {
    const { options, roster, gate } = this.#parts;
    const { clock, minUptimeMs = DEFAULT_MIN_UPTIME_MS } = options;
    for (const worker of roster.all()) {
      if (worker.lived || clock.monotonicMs() - worker.startedAt < minUptimeMs) continue;
      worker.lived = true;
      gate.lived();
    }
  }

  /** A command that does not even fit by itself would be started for ever; while others live, the next decision is that fewer fit. */
  #isFault({ kind, uptimeMs }: WorkerExit): boolean {
    const { options, roster } = this.#parts;
    return kind === "crashed" || (kind === "oom-killed" && roster.current() === 0 && isYoung(uptimeMs, options));
  }
}

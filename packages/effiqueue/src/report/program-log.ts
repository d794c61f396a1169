/**
 * What is known of one program for those who look from outside: its latest tick, its last decisions, and what has been
 * counted. Bounded, however long the daemon runs. DESIGN 6.4, 6.5.
 */
import type { EventFields } from "../model/events.ts";
import type { Mode } from "../model/keys.ts";
import type { SloGoal } from "../model/slo.ts";
import type { TickRecord } from "../model/tick-record.ts";
import { currentOf } from "../model/worker.ts";
import type { MonotonicMs, WallMs } from "../units.ts";
import type { ProgramStatus, Totals, Unreadable } from "./api-types.ts";
import { DecisionLog, memoryOf } from "./decision-log.ts";
import { History } from "./history.ts";
import { pointOf } from "./history-point.ts";
import { isoTime, measured, secOf } from "./measured.ts";
import type { Settings } from "./spelling.ts";

/** What an operator set for a program, as far as it is shown. */
export interface BoardProgram {
  readonly name: string;
  readonly mode: Mode;
  readonly minWorkers: number;
  readonly maxWorkers: number;
  /** `null` in the modes without an SLO. */
  readonly sloSec: number | null;
  /** What is promised within that time. Default: to empty the queue. */
  readonly sloGoal?: SloGoal | null;
  /** How what can be set is called. Default: by the keys of the daemon's file. */
  readonly settings?: Settings;
}

/** Kinds are a small set; a backend that makes up new ones must not make up series without end. */
const MOST_KINDS = 20;
const OTHER_KINDS = "other";

export class ProgramLog {
  #program: BoardProgram;
  readonly decisions = new DecisionLog();
  readonly history = new History();
  readonly #redact: (text: string) => string;
  readonly #recycles = new Map<string, number>();
  readonly #exits = new Map<string, number>();
  readonly #observeErrors = new Map<string, number>();
  /** Since when each draining worker has had its stop signal, by pid. As long as the pool is large: whoever has gone is taken out. */
  readonly #drainingSince = new Map<number, MonotonicMs>();
  #recycled: ProgramStatus["recycled"] = null;
  #override: ProgramStatus["override"] = null;
  #restart: ProgramStatus["restart"] = null;
  #scaleUps = 0;
  #scaleDowns = 0;
  #probes = 0;
  #crashes = 0;
  #latest: TickRecord | null = null;
  #unreadable: Unreadable | null = null;
  #tickedAt: MonotonicMs | null = null;
  #readAt: MonotonicMs | null = null;
  #isLost = false;

  constructor(program: BoardProgram, redact: (text: string) => string) {
    this.#program = program;
    this.#redact = redact;
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  /** The same program, which is to be otherwise from now on. */
  change(program: BoardProgram): void {
    this.#program = program;
  }

  ticked(record: TickRecord, now: MonotonicMs): void {
    const { decision, unreadable } = record;
    const before = this.#latest?.decision.desired ?? decision.current;
    if (decision.desired > before) this.#scaleUps += 1;
    if (decision.desired < before) this.#scaleDowns += 1;
    if (decision.reason === "probe") this.#probes += 1;
    this.#unreadable = unreadable && { code: unreadable.code, message: this.#redact(unreadable.message) };
    if (unreadable === null) this.#readAt = now;
    else count(this.#observeErrors, unreadable.code);
    this.#latest = record;
    this.#tickedAt = now;
    this.decisions.add(record, this.#unreadable);
    this.history.add(pointOf(this.status(now)), now);
  }

  stopSignalled(pid: number, now: MonotonicMs): void {
    this.#drainingSince.set(pid, now);
  }

  /** @returns seconds from the stop signal to the end; `null` for a worker that had none from us */
  exited({ pid, kind }: EventFields["act.worker.exited"], now: MonotonicMs): number | null {
    count(this.#exits, kind);
    if (kind === "crashed") this.#crashes += 1;
    const since = this.#drainingSince.get(pid);
    this.#drainingSince.delete(pid);
    return since === undefined ? null : secOf(now - since);
  }

  recycled({ pid, why, value, limit }: EventFields["act.worker.recycled"], at: WallMs): void {
    count(this.#recycles, why);
    if (why === "restart" && this.#restart !== null) {
      this.#restart = { ...this.#restart, replaced: this.#restart.replaced + 1 };
    }
    this.#recycled = { at: isoTime(at), pid, why, value, limit };
  }

  /** `null`: it is over. */
  overridden(told: EventFields["loop.override.started"] | null, at: WallMs): void {
    this.#override = told && { kind: told.override, workers: told.workers, since: isoTime(at), until: told.until };
  }

  /** @param workers that are to be replaced; `null`: it is over */
  restarting(workers: number | null, at: WallMs): void {
    this.#restart = workers === null ? null : { since: isoTime(at), workers, replaced: 0 };
  }

  spawnFailed(): void {
    this.#crashes += 1;
  }

  /** Nobody waits for it any more. */
  givenUp(pid: number): void {
    this.#drainingSince.delete(pid);
  }

  /** Another process has the pool: what was known of it is no longer true. */
  lost(): void {
    this.#isLost = true;
    this.#drainingSince.clear();
  }

  status(now: MonotonicMs): ProgramStatus {
    const { name, ...limits } = this.#program;
    const latest = this.#isLost ? null : this.#latest;
    return {
      program: name,
      ...limits,
      ...limitsOf(latest),
      override: this.#isLost ? null : this.#override,
      restart: this.#isLost ? null : this.#restart,
      sloGoal: limits.sloSec === null ? null : (limits.sloGoal ?? "drain"),
      state: this.#isLost ? "lost" : latest === null ? "starting" : latest.unreadable ? "unreadable" : "running",
      lastTickAt: latest && isoTime(latest.at),
      lastTickAgeSec: latest && ageSec(this.#tickedAt, now),
      lastTickTookSec: latest && secOf(latest.tookSec * 1000),
      lastGoodReadingAgeSec: ageSec(this.#readAt, now),
      unreadable: latest && this.#unreadable,
      queue: latest && queueOf(latest),
      workers: latest && { ...latest.counts, current: currentOf(latest.counts) },
      memory: latest && memoryOf(latest),
      cpus: latest && cpusOf(latest),
      spawnBackoffSec: latest && latest.backoffSec,
      decision: latest && this.decisions.latest,
      recycled: this.#recycled,
      totals: this.#totals(),
    };
  }

  #totals(): Totals {
    return {
      scaleUps: this.#scaleUps,
      scaleDowns: this.#scaleDowns,
      probes: this.#probes,
      crashes: this.#crashes,
      recycled: Object.fromEntries(this.#recycles),
      exits: Object.fromEntries(this.#exits),
      observeErrors: Object.fromEntries(this.#observeErrors),
    };
  }
}

function count(counts: Map<string, number>, kind: string): void {
  const key = counts.has(kind) || counts.size < MOST_KINDS ? kind : OTHER_KINDS;
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

const ageSec = (at: MonotonicMs | null, now: MonotonicMs): number | null => (at === null ? null : secOf(now - at));

/** Floor and ceiling, where a schedule has changed them, and the schedules that hold. */
function limitsOf(latest: TickRecord | null): Partial<BoardProgram> & Pick<ProgramStatus, "schedules"> {
  const { minWorkers, maxWorkers } = latest?.observation.limits ?? {};
  return {
    ...(minWorkers === undefined || maxWorkers === undefined ? {} : { minWorkers, maxWorkers }),
    schedules: (latest?.spans ?? []).map(({ name, minWorkers: floor, maxWorkers: ceiling, until }) => ({
      name,
      minWorkers: floor ?? null,
      maxWorkers: ceiling ?? null,
      until: isoTime(until),
    })),
  };
}

function cpusOf({ observation: { cpus } }: TickRecord): ProgramStatus["cpus"] {
  return cpus === undefined ? null : { ...cpus, count: measured(cpus.count), busyShare: measured(cpus.busyShare) };
}

function queueOf({ observation: { queue } }: TickRecord): ProgramStatus["queue"] {
  const ready = measured(queue?.ready);
  if (queue === null || ready === null) return null;
  const unacked = measured(queue.unacked);
  return {
    backlog: ready + (unacked ?? 0),
    ready,
    unacked,
    ackPerSec: measured(queue.ackRate),
    publishPerSec: measured(queue.publishRate),
    ackedTotal: measured(queue.ackedTotal),
    publishedTotal: measured(queue.publishedTotal),
    consumers: measured(queue.consumers),
    oldestAgeSec: measured(queue.oldestAgeSec),
  };
}

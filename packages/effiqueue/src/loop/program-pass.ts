/**
 * What one program does in a tick, and the state that it carries from one to the next. DESIGN 2.1.
 */
import type { Decision, ProgramDecision } from "../model/decision.ts";
import type { Observation, QueueReading, WorkersReading } from "../model/observation.ts";
import type { Clock, Reporter, TickListener } from "../model/ports.ts";
import type { Reading } from "../model/reading.ts";
import { type Slo, sloOf } from "../model/slo.ts";
import type { WorkerExit, WorkerView } from "../model/worker.ts";
import { type MonotonicMs, msToSec } from "../units.ts";
import { Asking } from "./asking.ts";
import { GapReport } from "./gap.ts";
import { GrowthReport } from "./growth-report.ts";
import { Keeping } from "./keeping.ts";
import type { Ledger } from "./ledger.ts";
import type { MemoryLook, MemoryLooks } from "./memory-looks.ts";
import { OomReport } from "./oom-report.ts";
import { limitsUnder, type OverrideOrder, Overruling } from "./overruling.ts";
import type { ProgramOptions } from "./program-options.ts";
import { QueueReport, unreadableOf } from "./queue-report.ts";
import { Replacing } from "./replacing.ts";
import { Restart } from "./restart.ts";
import { measureSlots } from "./slots.ts";
import { Stake } from "./stake.ts";
import { type Subscriptions, subscribed } from "./subscriptions.ts";
import { Timetable } from "./timetable.ts";
import { wholeDecision } from "./whole-decision.ts";

export interface TickResult {
  readonly decision: Decision;
  readonly observation: Observation;
  /** Workers that were found to have exited since the tick before. */
  readonly exits: readonly WorkerExit[];
}

interface Found {
  readonly observation: Observation;
  readonly decision: Decision | ProgramDecision;
  readonly look: MemoryLook | null | undefined;
  readonly views: readonly WorkerView[] | null;
}

/** What the programs of a loop have in common. */
export interface Shared {
  readonly clock: Clock;
  readonly reporter: Reporter;
  readonly looks: MemoryLooks | undefined;
  readonly ledger: Ledger | undefined;
  readonly listener: TickListener | undefined;
  /** Milliseconds after which a queue, and what it says of its workers, counts as unreadable. */
  readonly limitMs: number;
}

const UNASKED: ReadonlySet<WorkerExit["kind"]> = new Set(["exited", "crashed", "oom-killed"]);

export class ProgramPass {
  #options: ProgramOptions;
  /** Hold from the next tick on. */
  #coming: ProgramOptions | null = null;
  readonly #shared: Shared;
  readonly #asking: Asking;
  readonly #queueReport: QueueReport;
  readonly #gapReport: GapReport;
  readonly #replacing: Replacing;
  readonly #growthReport: GrowthReport;
  readonly #oomReport: OomReport;
  readonly #timetable: Timetable;
  readonly #overruling: Overruling;
  readonly #restart: Restart;
  readonly #keeping: Keeping;
  /** In the memory that all share; `null`: it decides as if it were alone. */
  readonly #stake: Stake | null;
  #state: unknown;
  #steppedAt: MonotonicMs | null = null;
  /** Live workers that the last resize left; `null` before the first. */
  #left: number | null = null;
  #subscriptions: Subscriptions | null = null;
  /** Live workers that the last decision asked for. */
  #meant: number | null = null;

  constructor(options: ProgramOptions, shared: Shared) {
    this.#options = options;
    this.#shared = shared;
    this.#asking = new Asking(() => this.#options, shared.clock, shared.limitMs);
    this.#queueReport = new QueueReport(options, shared.reporter);
    this.#gapReport = new GapReport(options.program, promiseOf(options), shared.reporter);
    this.#replacing = new Replacing(options, shared.reporter);
    this.#growthReport = new GrowthReport(options.program, shared.reporter);
    this.#oomReport = new OomReport(options.program, shared.reporter);
    this.#timetable = new Timetable(options, shared.reporter);
    this.#overruling = new Overruling(options.program, shared);
    this.#restart = new Restart(options.program, shared.reporter);
    this.#state = options.policy.initialState(options.learned);
    this.#keeping = new Keeping({
      learned: () => this.#options.policy.learned?.(this.#state) ?? null,
      keep: (learned) => this.#options.keep?.(learned),
    });
    this.#stake =
      shared.ledger === undefined
        ? null
        : new Stake({
            options: () => this.#options,
            limits: () => limitsUnder(this.#overruling.override, this.#timetable.limits),
            ledger: shared.ledger,
          });
  }

  /**
   * The same program under other options, from the next tick on: its workers and what was learned stay; of another queue everything is
   * learned anew.
   *
   * @param options with the same name and the same pool
   */
  become(options: ProgramOptions): void {
    this.#coming = options;
  }

  /** What was learned, for whoever comes after a restart. */
  keep(): void {
    this.#keeping.keep();
  }

  async run(): Promise<TickResult> {
    if (this.#coming !== null) this.#change(this.#coming);
    const { pool } = this.#options;
    const { clock, looks } = this.#shared;
    const begunAt = clock.monotonicMs();
    const exits = pool.reap();
    const views = await this.#asking.views();
    const [reading, look] = await Promise.all([this.#asking.reading(), looks?.look()]);

    const at = clock.wallMs();
    this.#timetable.look(at);
    const { observation, decision, now } = this.#decide(reading, look, views, exits);
    await this.#resize(decision.desired);
    await this.#replace({ observation, decision, look, views });
    const whole = wholeDecision(decision);
    this.#report(observation, decision);
    this.#gapReport.observe(whole, now);
    this.#growthReport.observe(whole, this.#options.recycle?.maxBytes, now);
    this.#keeping.ticked(now);
    this.#shared.listener?.ticked({
      program: this.#options.program,
      at,
      tookSec: msToSec(clock.monotonicMs() - begunAt),
      observation,
      spans: this.#timetable.spans,
      unreadable: unreadableOf(reading),
      decision: whole,
      counts: pool.counts(),
      budgetBytes: observation.budgetBytes ?? null,
      backoffSec: pool.spawnBackoffSec(),
    });
    return { decision, observation, exits };
  }

  /** It holds nothing any more: its workers are another process's, or about to go. */
  leave(): void {
    this.#stake?.leave();
  }

  /** Most workers by its options; `Infinity`: a policy of its own has limits that nobody knows. */
  get ceiling(): number {
    return (this.#coming ?? this.#options).limits?.maxWorkers ?? Number.POSITIVE_INFINITY;
  }

  /** From the next tick on. */
  override(order: OverrideOrder): void {
    this.#overruling.begin(order, this.#meant ?? this.#current());
  }

  /** Replaces everybody, from the next tick on. @returns how many */
  restart(): number {
    return this.#restart.begin(this.#options.pool);
  }

  /** Takes back what an operator told it. False: nothing. */
  resume(): boolean {
    const [had, wasUnderWay] = [this.#overruling.resume(), this.#restart.resume()];
    return had || wasUnderWay;
  }

  #change(options: ProgramOptions): void {
    const isSameQueue = options.source === this.#options.source;
    this.#coming = null;
    this.#options = options;
    this.#queueReport.change(options);
    this.#gapReport.change(promiseOf(options), this.#shared.clock.monotonicMs());
    this.#timetable.change(options);
    if (isSameQueue) return;
    this.#state = options.policy.initialState();
    this.#keeping.begin();
    this.#steppedAt = null;
    this.#subscriptions = null;
  }

  /** Without waiting anywhere: programs that share a budget decide one after the other. */
  #decide(
    reading: Reading<QueueReading>,
    look: MemoryLook | null | undefined,
    views: readonly WorkerView[] | null,
    exits: readonly WorkerExit[],
  ): { readonly observation: Observation; readonly decision: Decision | ProgramDecision; readonly now: MonotonicMs } {
    const { policy, pool } = this.#options;
    const { clock } = this.#shared;
    const { scheduled } = this.#timetable;
    const now = clock.monotonicMs();
    this.#overruling.look(now);
    const { override } = this.#overruling;
    this.#queueReport.reading(reading, now);
    const queue = reading.kind === "ok" ? reading.value : null;
    const memory = look?.memoryOf(pool);
    const dtSec = this.#steppedAt === null ? 0 : msToSec(now - this.#steppedAt);
    const observation: Observation = {
      dtSec,
      queue,
      workers: this.#workers(queue, views, now),
      interference: this.#wasDisturbed(exits),
      ...this.#oomReport.observe(exits, this.#current(), look),
      ...(scheduled === undefined ? {} : { limits: scheduled }),
      ...(override === undefined ? {} : { override }),
      ...(look === undefined ? {} : { memory: memory ?? null }),
      ...(look?.machine.cpus === undefined ? {} : { cpus: look.machine.cpus }),
      ...(this.#stake === null ? {} : { budgetBytes: this.#stake.share(memory, dtSec, look ?? null) }),
    };
    const { state, decision } = policy.step(this.#state, observation);
    this.#state = state;
    this.#steppedAt = now;
    this.#meant = decision.desired;
    this.#stake?.decided(decision, queue);
    this.#overruling.decided(decision.desired);
    return { observation, decision, now };
  }

  async #resize(desired: number): Promise<void> {
    const { pool } = this.#options;
    try {
      await pool.resize(desired);
    } finally {
      this.#stake?.resized();
      this.#left = this.#current();
    }
  }

  #replace({ observation, decision, look, views }: Found): Promise<void> {
    const { pool, recycle: limits } = this.#options;
    const workers = pool.snapshot();
    const now = {
      now: this.#shared.clock.monotonicMs(),
      workers,
      counts: pool.counts(),
      starting: observation.workers.starting,
      desired: decision.desired,
      backoffSec: pool.spawnBackoffSec(),
      groupBytes: look?.machine.groupBytes,
      views,
      restarting: this.#restart.left(workers),
    };
    // A policy that knows no limit does not know of room.
    return this.#replacing.next(now, "capacity" in decision ? decision.capacity : 0, limits);
  }

  #current(): number {
    const { starting, serving } = this.#options.pool.counts();
    return starting + serving;
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

  /** Somebody else than the last resize changed the number of workers: one that died, or a person. */
  #wasDisturbed(exits: readonly WorkerExit[]): boolean {
    if (this.#left === null) return false;
    return (
      this.#left !== this.#current() || exits.some(({ kind }) => UNASKED.has(kind)) || this.#replacing.disturbs(exits)
    );
  }

  #report({ dtSec, queue, workers }: Observation, decision: Decision): void {
    this.#shared.reporter.emit("loop.tick.decided", {
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

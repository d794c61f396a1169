/**
 * What one program does in a tick, and the state that it carries from one to the next. DESIGN 2.1.
 */
import type { Decision, ProgramDecision } from "../model/decision.ts";
import type { MemoryReading, Observation, QueueReading, WorkersReading } from "../model/observation.ts";
import type { Appetite, BudgetClaim, Clock, Reporter, TickListener } from "../model/ports.ts";
import type { Reading } from "../model/reading.ts";
import { type Slo, sloOf } from "../model/slo.ts";
import type { WorkerExit, WorkerView } from "../model/worker.ts";
import { type MonotonicMs, msToSec } from "../units.ts";
import { Bounded, OVERDUE } from "./bounded.ts";
import { errorText } from "./error-text.ts";
import { GapReport } from "./gap.ts";
import { GrowthReport } from "./growth-report.ts";
import type { Ledger, Party } from "./ledger.ts";
import type { MemoryLook, MemoryLooks } from "./memory-looks.ts";
import { OomReport } from "./oom-report.ts";
import { limitsUnder, type OverrideOrder, Overruling } from "./overruling.ts";
import type { ProgramOptions } from "./program-options.ts";
import { QueueReport, unreadableOf } from "./queue-report.ts";
import { Replacing } from "./replacing.ts";
import { Restart } from "./restart.ts";
import { measureSlots } from "./slots.ts";
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

/** A daemon that is killed loses no more than that; what is a minute old is hardly less true. */
const KEEP_EVERY_MS = 60_000;

export class ProgramPass implements Party {
  #options: ProgramOptions;
  /** Hold from the next tick on. */
  #coming: ProgramOptions | null = null;
  readonly #shared: Shared;
  readonly #reads: Bounded;
  readonly #refreshes: Bounded;
  readonly #queueReport: QueueReport;
  readonly #gapReport: GapReport;
  readonly #replacing: Replacing;
  readonly #growthReport: GrowthReport;
  readonly #oomReport: OomReport;
  readonly #timetable: Timetable;
  readonly #overruling: Overruling;
  readonly #restart: Restart;
  #state: unknown;
  #steppedAt: MonotonicMs | null = null;
  /** Live workers that the last resize left; `null` before the first. */
  #left: number | null = null;
  /** Live workers that a resize under way was told to bring about; `null`: none is. */
  #ordered: number | null = null;
  #workerBytes: number | null = null;
  #beyondBytes = 0;
  #appetite: Appetite | null = null;
  #subscriptions: Subscriptions | null = null;
  #keptAt: MonotonicMs | null = null;
  /** Live workers that the last decision asked for. */
  #meant: number | null = null;

  constructor(options: ProgramOptions, shared: Shared) {
    this.#options = options;
    this.#shared = shared;
    this.#reads = new Bounded(shared.clock, shared.limitMs);
    this.#refreshes = new Bounded(shared.clock, shared.limitMs);
    this.#queueReport = new QueueReport(options, shared.reporter);
    this.#gapReport = new GapReport(options.program, promiseOf(options), shared.reporter);
    this.#replacing = new Replacing(options, shared.reporter);
    this.#growthReport = new GrowthReport(options.program, shared.reporter);
    this.#oomReport = new OomReport(options.program, shared.reporter);
    this.#timetable = new Timetable(options, shared.reporter);
    this.#overruling = new Overruling(options.program, shared);
    this.#restart = new Restart(options.program, shared.reporter);
    this.#state = options.policy.initialState(options.learned);
    this.#workerBytes = options.learned?.workerBytes ?? null;
    shared.ledger?.enter(this);
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

  /** What was learned, for whoever comes after a restart; who has learned nothing leaves what an earlier life knew. */
  keep(): void {
    const { policy, keep } = this.#options;
    const learned = policy.learned?.(this.#state) ?? null;
    if (learned !== null && Object.values(learned).some((each) => each !== null)) keep?.(learned);
  }

  #keepNowAndThen(now: MonotonicMs): void {
    this.#keptAt ??= now;
    if (now - this.#keptAt < KEEP_EVERY_MS) return;
    this.#keptAt = now;
    this.keep();
  }

  async run(): Promise<TickResult> {
    if (this.#coming !== null) this.#change(this.#coming);
    const { pool } = this.#options;
    const { clock, looks } = this.#shared;
    const begunAt = clock.monotonicMs();
    const exits = pool.reap();
    const views = await this.#refresh();
    const [reading, look] = await Promise.all([this.#read(), looks?.look()]);

    const at = clock.wallMs();
    this.#timetable.look(at);
    const { observation, decision, now } = this.#decide(reading, look, views, exits);
    await this.#resize(decision.desired);
    await this.#replace({ observation, decision, look, views });
    const whole = wholeDecision(decision);
    this.#report(observation, decision);
    this.#gapReport.observe(whole, now);
    this.#growthReport.observe(whole, this.#options.recycle?.maxBytes, now);
    this.#keepNowAndThen(now);
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

  claim(): BudgetClaim {
    const { pool } = this.#options;
    const { starting, serving, draining } = pool.counts();
    const workers = Math.max(starting + serving, this.#ordered ?? 0, this.#appetite?.kept ?? 0);
    const { program, limits } = this.#options;
    return {
      program,
      priority: limits?.priority ?? 0,
      workers,
      draining,
      workerBytes: this.#workerBytes,
      beyondBytes: this.#beyondBytes,
      // Who may not start any has no use for what is kept free for them.
      wanted: pool.spawnBackoffSec() > 0 ? workers : (this.#appetite?.wanted ?? workers),
      need: this.#appetite?.need ?? null,
      floor: limitsUnder(this.#overruling.override, this.#timetable.limits)?.floor ?? 0,
    };
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
    const { clock, ledger } = this.#shared;
    const { limits, scheduled } = this.#timetable;
    const now = clock.monotonicMs();
    this.#overruling.look(now);
    const { override } = this.#overruling;
    this.#queueReport.reading(reading, now);
    const queue = reading.kind === "ok" ? reading.value : null;
    const memory = look?.memoryOf(pool);
    const dtSec = this.#steppedAt === null ? 0 : msToSec(now - this.#steppedAt);
    this.#reckon(memory, dtSec);
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
      ...(ledger === undefined ? {} : { budgetBytes: ledger.shareOf(this, look ?? null) }),
    };
    const { state, decision } = policy.step(this.#state, observation);
    this.#state = state;
    this.#steppedAt = now;
    this.#ordered = this.#meant = decision.desired;
    this.#overruling.decided(decision.desired);
    const under = limitsUnder(override, limits);
    if (under !== undefined) this.#appetite = ledger?.policy.appetite(decision, queue, under) ?? null;
    return { observation, decision, now };
  }

  /** What the workers take, for the others who share the memory. */
  #reckon(memory: MemoryReading | undefined, dtSec: number): void {
    const policy = this.#shared.ledger?.policy;
    if (policy === undefined) return;
    const maxBytes = this.#options.recycle?.maxBytes;
    this.#workerBytes = policy.workerBytes(memory, this.#workerBytes, { dtSec, maxBytes });
    this.#beyondBytes = this.#workerBytes === null ? 0 : policy.bytesBeyond(memory, this.#workerBytes);
  }

  async #resize(desired: number): Promise<void> {
    const { pool } = this.#options;
    try {
      await pool.resize(desired);
    } finally {
      this.#ordered = null;
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

  async #refresh(): Promise<readonly WorkerView[] | null> {
    const views = await this.#refreshes.run(() => this.#options.pool.refresh());
    return views === OVERDUE ? null : views;
  }

  async #read(): Promise<Reading<QueueReading>> {
    const { clock } = this.#shared;
    try {
      const reading = await this.#reads.run(() => this.#options.source.read());
      if (reading !== OVERDUE) return reading;
      const cause = Object.assign(new Error(`no answer within ${this.#reads.limitMs} ms`), { code: "timeout" });
      return { kind: "unreadable", cause, at: clock.monotonicMs() };
    } catch (error) {
      const cause = error instanceof Error ? error : new Error(errorText(error));
      return { kind: "unreadable", cause, at: clock.monotonicMs() };
    }
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

/**
 * What one program does in a tick, and the state that it carries from one to the next. DESIGN 2.1.
 */
import type { Decision, ProgramDecision } from "../model/decision.ts";
import type { Observation } from "../model/observation.ts";
import type { Clock, Reporter, TickListener } from "../model/ports.ts";
import { currentOf, type WorkerExit } from "../model/worker.ts";
import { type MonotonicMs, msToSec } from "../units.ts";
import { type Answers, Asking } from "./asking.ts";
import { DecisionReport } from "./decision-report.ts";
import { Keeping } from "./keeping.ts";
import type { Ledger } from "./ledger.ts";
import type { MemoryLooks } from "./memory-looks.ts";
import { limitsUnder, type OverrideOrder, Overruling } from "./overruling.ts";
import type { ProgramOptions } from "./program-options.ts";
import { unreadableOf } from "./queue-report.ts";
import { Replacing } from "./replacing.ts";
import { Restart } from "./restart.ts";
import { Sight } from "./sight.ts";
import { Stake } from "./stake.ts";
import { Timetable } from "./timetable.ts";
import { wholeDecision } from "./whole-decision.ts";

export interface TickResult {
  readonly decision: Decision;
  readonly observation: Observation;
  /** Workers that were found to have exited since the tick before. */
  readonly exits: readonly WorkerExit[];
}

interface Decided {
  readonly observation: Observation;
  readonly decision: Decision | ProgramDecision;
  readonly now: MonotonicMs;
}

/** What a pass has of its loop. */
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
  readonly #sight: Sight;
  readonly #decisionReport: DecisionReport;
  readonly #replacing: Replacing;
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
  /** Live workers that the last decision asked for. */
  #meant: number | null = null;

  constructor(options: ProgramOptions, shared: Shared) {
    this.#options = options;
    this.#shared = shared;
    this.#asking = new Asking({ ...shared, options: () => this.#options });
    this.#sight = new Sight(options, shared.reporter);
    this.#decisionReport = new DecisionReport(options, shared.reporter);
    this.#replacing = new Replacing(options, shared.reporter);
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
    const { clock, listener } = this.#shared;
    const { program, pool } = this.#options;
    const begunAt = clock.monotonicMs();
    const answers = await this.#asking.ask();
    const at = clock.wallMs();
    this.#timetable.look(at);
    const decided = this.#decide(answers);
    const { observation, decision, now } = decided;
    await this.#resize(decision.desired);
    await this.#replace(decided, answers);
    const whole = wholeDecision(decision);
    this.#decisionReport.observe(observation, whole, now);
    this.#keeping.ticked(now);
    listener?.ticked({
      program,
      at,
      tookSec: msToSec(clock.monotonicMs() - begunAt),
      observation,
      spans: this.#timetable.spans,
      unreadable: unreadableOf(answers.reading),
      decision: whole,
      counts: pool.counts(),
      budgetBytes: observation.budgetBytes ?? null,
      backoffSec: pool.spawnBackoffSec(),
    });
    return { decision, observation, exits: answers.exits };
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
    this.#sight.change(options, isSameQueue);
    this.#decisionReport.change(options, this.#shared.clock.monotonicMs());
    this.#timetable.change(options);
    if (isSameQueue) return;
    this.#state = options.policy.initialState();
    this.#keeping.begin();
    this.#steppedAt = null;
  }

  /** Without waiting anywhere: programs that share a budget decide one after the other. */
  #decide(answers: Answers): Decided {
    const now = this.#shared.clock.monotonicMs();
    this.#overruling.look(now);
    const seen = this.#sight.see(answers, now);
    const { override } = this.#overruling;
    const { scheduled } = this.#timetable;
    const dtSec = this.#steppedAt === null ? 0 : msToSec(now - this.#steppedAt);
    const observation: Observation = {
      dtSec,
      ...seen,
      interference: this.#wasDisturbed(answers.exits),
      ...(scheduled === undefined ? {} : { limits: scheduled }),
      ...(override === undefined ? {} : { override }),
      ...(this.#stake === null
        ? {}
        : { budgetBytes: this.#stake.share(seen.memory ?? undefined, dtSec, answers.look ?? null) }),
    };
    const { state, decision } = this.#options.policy.step(this.#state, observation);
    this.#state = state;
    this.#steppedAt = now;
    this.#meant = decision.desired;
    this.#stake?.decided(decision, seen.queue);
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

  #replace({ observation, decision }: Decided, { look, views }: Answers): Promise<void> {
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
      growth: "growth" in decision ? decision.growth : undefined,
    };
    // A policy that knows no limit does not know of room.
    return this.#replacing.next(now, "capacity" in decision ? decision.capacity : 0, limits);
  }

  #current(): number {
    return currentOf(this.#options.pool.counts());
  }

  /** Somebody else than the last resize changed the number of workers: one that died, or a person. */
  #wasDisturbed(exits: readonly WorkerExit[]): boolean {
    if (this.#left === null) return false;
    return (
      this.#left !== this.#current() || exits.some(({ kind }) => UNASKED.has(kind)) || this.#replacing.disturbs(exits)
    );
  }
}

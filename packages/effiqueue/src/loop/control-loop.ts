/**
 * Owns time and the state that a policy carries from tick to tick; everything else it knows through ports. DESIGN 2.1, 2.7.
 */
import type { Decision } from "../model/decision.ts";
import type { Observation, QueueReading } from "../model/observation.ts";
import type { Clock, Policy, QueueSource, Reporter, WorkerPool } from "../model/ports.ts";
import type { Reading } from "../model/reading.ts";
import type { WorkerExit, WorkerView } from "../model/worker.ts";
import { type MonotonicMs, msToSec } from "../units.ts";
import { Bounded, OVERDUE } from "./bounded.ts";
import { errorText } from "./error-text.ts";
import { type MeasuredSlots, measureSlots } from "./slots.ts";
import { Standing } from "./standing.ts";

export interface ControlLoopOptions<State> {
  /** Names the program in events. */
  readonly program: string;
  readonly source: QueueSource;
  readonly pool: WorkerPool;
  readonly policy: Policy<State>;
  readonly clock: Clock;
  readonly reporter: Reporter;
  /** Milliseconds from poll to poll, > 0. */
  readonly pollIntervalMs: number;
  /** Milliseconds after which the queue counts as unreadable. Default: the poll interval, at least 1 s, at most 5 s. */
  readonly readTimeoutMs?: number;
  /** Job slots a worker has as far as the configuration knows: workers that publish others are reported. */
  readonly slotsPerWorker?: number;
}

export interface TickResult {
  readonly decision: Decision;
  readonly observation: Observation;
  /** Workers that were found to have exited since the tick before. */
  readonly exits: readonly WorkerExit[];
}

export class ControlLoop<State> {
  readonly #options: ControlLoopOptions<State>;
  readonly #reads: Bounded;
  readonly #refreshes: Bounded;
  readonly #unreadable = new Standing();
  readonly #otherSlots = new Standing(Number.POSITIVE_INFINITY);
  #state: State;
  #steppedAt: MonotonicMs | null = null;
  /** Settles, and never rejects, when the last tick that was asked for has ended. */
  #lastTick: Promise<unknown> = Promise.resolve();
  /** The tick that was asked for and has not begun. */
  #nextTick: Promise<TickResult> | null = null;
  #running: Promise<void> | null = null;
  #stopping = false;
  #woken = false;
  #endSleep: (() => void) | null = null;

  constructor(options: ControlLoopOptions<State>) {
    const readTimeoutMs = options.readTimeoutMs ?? Math.min(5_000, Math.max(1_000, options.pollIntervalMs));
    this.#options = options;
    this.#reads = new Bounded(options.clock, readTimeoutMs);
    this.#refreshes = new Bounded(options.clock, readTimeoutMs);
    this.#state = options.policy.initialState();
  }

  /**
   * One pass. Ticks never overlap: asked for while one runs, the next begins right after it, and everybody who asks until
   * then gets that same one. Rejects, after `loop.tick.failed`, with what no layer handled.
   */
  tick(): Promise<TickResult> {
    if (this.#nextTick !== null) return this.#nextTick;
    const next = this.#lastTick.then(() => {
      this.#nextTick = null;
      return this.#pass();
    });
    this.#nextTick = next;
    this.#lastTick = next.catch((error: unknown) =>
      this.#options.reporter.emit("loop.tick.failed", { program: this.#options.program, error: errorText(error) }),
    );
    return next;
  }

  /** Ticks at every poll and every wake; resolves once stopped, after the tick in flight. While it runs, returns the same promise. */
  run(): Promise<void> {
    this.#running ??= this.#poll().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  /** Resolves when `run` has. Harmless twice, and before `run`; `run` may be called again afterwards. */
  async stop(): Promise<void> {
    if (this.#running === null) return;
    this.#stopping = true;
    this.#wake();
    await this.#running;
  }

  async #poll(): Promise<void> {
    const { clock, pollIntervalMs, pool } = this.#options;
    this.#stopping = false;
    const unsubscribe = pool.onWake(() => this.#wake());
    try {
      let due: number = clock.monotonicMs();
      while (!this.#isStopping()) {
        this.#woken = false;
        await this.tick().catch(() => undefined);
        due = nextPoll(due, pollIntervalMs, clock.monotonicMs());
        await this.#sleepUntil(due);
      }
    } finally {
      unsubscribe();
    }
  }

  #isStopping(): boolean {
    return this.#stopping;
  }

  #wake(): void {
    this.#woken = true;
    this.#endSleep?.();
  }

  #sleepUntil(due: number): Promise<void> {
    if (this.#woken) return Promise.resolve();
    return new Promise((resolve) => {
      const end = (): void => {
        this.#endSleep = null;
        cancel();
        resolve();
      };
      const cancel = this.#options.clock.after(due - this.#options.clock.monotonicMs(), end);
      this.#endSleep = end;
    });
  }

  async #pass(): Promise<TickResult> {
    const { program, pool, policy, reporter } = this.#options;
    const exits = pool.reap();
    const views = await this.#refresh();
    const reading = await this.#read();

    const now = this.#options.clock.monotonicMs();
    const slots = measureSlots(pool.snapshot(), views);
    const workers = pool.counts();
    const observation: Observation = {
      dtSec: this.#steppedAt === null ? 0 : msToSec(now - this.#steppedAt),
      queue: reading.kind === "ok" ? reading.value : null,
      workers: slots === null ? workers : { ...workers, slots: slots.total },
    };
    this.#sayReading(reading, now);
    this.#saySlots(slots, now);

    const { state, decision } = policy.step(this.#state, observation);
    this.#state = state;
    this.#steppedAt = now;
    await pool.resize(decision.desired);
    reporter.emit("loop.tick.decided", {
      program,
      pending: observation.queue?.ready ?? null,
      running: observation.queue?.unacked ?? null,
      current_workers: decision.current,
      desired_workers: decision.desired,
      draining_workers: workers.draining,
      reason: decision.reason,
      trail: decision.trail.join(","),
      rationale: decision.rationale,
      dt_sec: observation.dtSec,
    });
    return { decision, observation, exits };
  }

  async #refresh(): Promise<readonly WorkerView[] | null> {
    const views = await this.#refreshes.run(() => this.#options.pool.refresh());
    return views === OVERDUE ? null : views;
  }

  async #read(): Promise<Reading<QueueReading>> {
    const { clock, source } = this.#options;
    try {
      const reading = await this.#reads.run(() => source.read());
      if (reading !== OVERDUE) return reading;
      const cause = new Error(`no answer within ${this.#reads.limitMs} ms`);
      return { kind: "unreadable", cause, at: clock.monotonicMs() };
    } catch (error) {
      const cause = error instanceof Error ? error : new Error(errorText(error));
      return { kind: "unreadable", cause, at: clock.monotonicMs() };
    }
  }

  #sayReading(reading: Reading<QueueReading>, now: MonotonicMs): void {
    const { program, reporter } = this.#options;
    const error = reading.kind === "ok" ? null : errorText(reading.cause);
    const said = this.#unreadable.observe(error, now);
    if (said?.kind === "ended") reporter.emit("observe.queue.recovered", { program, after_sec: said.afterSec });
    else if (said !== null) {
      reporter.emit("observe.queue.unreadable", { program, error: error ?? "", for_sec: said.forSec });
    }
  }

  /** The figures a worker publishes say more than their mean: two kinds of workers at once are a change too. */
  #saySlots(slots: MeasuredSlots | null, now: MonotonicMs): void {
    const { program, reporter, slotsPerWorker } = this.#options;
    if (slots === null || slotsPerWorker === undefined) return;
    const kinds = [...new Set(slots.published)].sort((a, b) => a - b);
    const mismatch = kinds.every((each) => each === slotsPerWorker) ? null : kinds.join(",");
    if (this.#otherSlots.observe(mismatch, now)?.kind !== "stands") return;
    const mean = slots.published.reduce((sum, each) => sum + each, 0) / slots.published.length;
    reporter.emit("observe.slots.mismatched", { program, configured_slots: slotsPerWorker, measured_slots: mean });
  }
}

/** The first poll after `now` on the grid that `due` belongs to: the cadence is kept, missed polls are not made up. */
export function nextPoll(due: number, intervalMs: number, now: number): number {
  return due > now ? due : due + intervalMs * (Math.floor((now - due) / intervalMs) + 1);
}

/**
 * Several programs on one loop: one cadence, one look at the memory, one budget, and nobody waits for another's queue.
 * DESIGN 2.7, 7.7.
 */
import type { BudgetPolicy, Clock, MemoryProbe, Reporter, TickListener, WorkerPool } from "../model/ports.ts";
import { Cadence } from "./cadence.ts";
import { errorText } from "./error-text.ts";
import { Ledger } from "./ledger.ts";
import { MemoryLooks } from "./memory-looks.ts";
import { type ProgramOptions, readTimeoutMs } from "./program-options.ts";
import { ProgramPass, type TickResult } from "./program-pass.ts";

export interface ControlLoopOptions {
  /** No two of one name. */
  readonly programs: readonly ProgramOptions[];
  readonly clock: Clock;
  readonly reporter: Reporter;
  /** Milliseconds from poll to poll, > 0; the same for all. */
  readonly pollIntervalMs: number;
  /** Without it memory is unknown, and limits nothing. */
  readonly memory?: MemoryProbe;
  /** How the programs share the memory (`sharedBudget` of `effiqueue/decide`). Without it each decides as if it were alone. */
  readonly budget?: BudgetPolicy;
  /** Hears of every tick of every program, right after it. */
  readonly listener?: TickListener;
}

interface Member {
  readonly pool: WorkerPool;
  readonly pass: ProgramPass;
  readonly cadence: Cadence<TickResult>;
}

export class ControlLoop {
  readonly #clock: Clock;
  readonly #pools: Set<WorkerPool>;
  readonly #ledger: Ledger | undefined;
  readonly #programs = new Map<string, Member>();
  #running: Promise<void> | null = null;

  /** @throws RangeError when two programs have one name */
  constructor({ programs, clock, reporter, pollIntervalMs, memory, budget, listener }: ControlLoopOptions) {
    this.#clock = clock;
    this.#pools = new Set(programs.map(({ pool }) => pool));
    this.#ledger = budget && new Ledger(budget);
    const looks = memory && new MemoryLooks(memory, this.#pools, clock, pollIntervalMs);
    for (const options of programs) {
      const { program, pool } = options;
      if (this.#programs.has(program))
        throw new RangeError(`programs: expected one of each name, got ${program} twice`);
      const limitMs = options.readTimeoutMs ?? readTimeoutMs(pollIntervalMs);
      const pass = new ProgramPass(options, { clock, reporter, looks, ledger: this.#ledger, listener, limitMs });
      const cadence = new Cadence({
        clock,
        intervalMs: pollIntervalMs,
        pass: () => pass.run(),
        failed: (error) => reporter.emit("loop.tick.failed", { program, error: errorText(error) }),
        onWake: (callback) => pool.onWake(callback),
      });
      this.#programs.set(program, { pool, pass, cadence });
    }
  }

  /**
   * One pass of one program. Ticks of a program never overlap: asked for while one runs, the next begins right after it, and
   * everybody who asks until then gets that same one. Rejects, after `loop.tick.failed`, with what no layer handled.
   *
   * @throws RangeError for a name that no program has
   */
  async tick(program: string): Promise<TickResult> {
    const member = this.#programs.get(program);
    if (member === undefined) {
      throw new RangeError(`program: expected one of ${[...this.#programs.keys()].join(", ")}, got ${program}`);
    }
    return member.cadence.tick();
  }

  /** Ticks every program at every poll, and each at its own wakes; resolves once stopped, after the ticks in flight. While it runs, returns the same promise. */
  run(): Promise<void> {
    this.#running ??= this.#runAll().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  /**
   * Ends the ticks of one program, and forgets what its workers hold: they are another process's by now. The others go on; `run`
   * resolves when none is left. Harmless for a name that no program has.
   */
  drop(program: string): void {
    const member = this.#programs.get(program);
    if (member === undefined) return;
    this.#programs.delete(program);
    this.#pools.delete(member.pool);
    this.#ledger?.leave(member.pass);
    member.cadence.stop();
  }

  /** Resolves when `run` has. Harmless twice, and before `run`; `run` may be called again afterwards. */
  async stop(): Promise<void> {
    if (this.#running === null) return;
    for (const { cadence } of this.#programs.values()) cadence.stop();
    await this.#running;
  }

  async #runAll(): Promise<void> {
    const start = this.#clock.monotonicMs();
    await Promise.all([...this.#programs.values()].map(({ cadence }) => cadence.run(start)));
  }
}

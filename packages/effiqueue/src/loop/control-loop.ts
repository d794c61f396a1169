/**
 * Several programs on one loop: one cadence, one look at the memory, one budget, and nobody waits for another's queue. Programs may
 * come, go and change while it runs. DESIGN 2.7, 7.7, 7.15.
 */
import { errorText } from "../model/errors.ts";
import type { BudgetPolicy, Clock, MemoryProbe, Reporter, TickListener, WorkerPool } from "../model/ports.ts";
import { monotonicMs } from "../units.ts";
import { Cadence } from "./cadence.ts";
import { Ledger } from "./ledger.ts";
import { MemoryLooks } from "./memory-looks.ts";
import type { OverrideOrder } from "./overruling.ts";
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

/** One program of the loop. */
interface Member {
  readonly pool: WorkerPool;
  readonly pass: ProgramPass;
  readonly cadence: Cadence<TickResult>;
}

export class ControlLoop {
  readonly #clock: Clock;
  readonly #reporter: Reporter;
  readonly #pollIntervalMs: number;
  readonly #looks: MemoryLooks | undefined;
  readonly #ledger: Ledger | undefined;
  readonly #listener: TickListener | undefined;
  readonly #pools = new Set<WorkerPool>();
  readonly #programs = new Map<string, Member>();
  /** One for each program that ticks, settled after its last tick. */
  readonly #runs = new Set<Promise<void>>();
  #running: Promise<void> | null = null;
  #startedAt = monotonicMs(0);
  #isStopping = false;

  /** @throws RangeError when two programs have one name */
  constructor({ programs, clock, reporter, pollIntervalMs, memory, budget, listener }: ControlLoopOptions) {
    this.#clock = clock;
    this.#reporter = reporter;
    this.#pollIntervalMs = pollIntervalMs;
    this.#ledger = budget && new Ledger(budget);
    this.#looks = memory && new MemoryLooks(memory, this.#pools, clock, pollIntervalMs);
    this.#listener = listener;
    for (const options of programs) this.#enter(options);
  }

  /** Names of those that it runs. */
  get programs(): readonly string[] {
    return [...this.#programs.keys()];
  }

  /** Most workers by its options, schedules apart. @throws RangeError for a name that no program has */
  ceilingOf(program: string): number {
    return this.#memberOf(program).pass.ceiling;
  }

  /**
   * One pass of one program. Ticks of a program never overlap: asked for while one runs, the next begins right after it, and
   * everybody who asks until then gets that same one. Rejects, after `loop.tick.failed`, with what no layer handled.
   *
   * @throws RangeError for a name that no program has
   */
  async tick(program: string): Promise<TickResult> {
    return this.#memberOf(program).cadence.tick();
  }

  /** Ticks every program at every poll, and each at its own wakes; resolves once stopped, after the ticks in flight. While it runs, returns the same promise. */
  run(): Promise<void> {
    this.#running ??= this.#runAll().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  /**
   * One program more. While the loop runs it ticks at once and then on the grid of the others; it has no tick in a loop that stops.
   *
   * @throws RangeError when there is one of its name
   */
  add(options: ProgramOptions): void {
    const member = this.#enter(options);
    if (this.#running !== null) this.#begin(member);
  }

  /**
   * A program under other options, with the same name and the same pool. They hold for one tick that begins now, over when this
   * resolves, and for all that follow; what the program was before is in nobody's hands then.
   *
   * @throws RangeError for a name that no program has
   */
  async change(options: ProgramOptions): Promise<void> {
    const { pass, cadence } = this.#memberOf(options.program);
    pass.become(options);
    // What it fails with was said.
    await cadence.tick().catch(() => undefined);
  }

  /** From the next tick of each program on. Harmless where none was shared. */
  share(budget: BudgetPolicy): void {
    if (this.#ledger !== undefined) this.#ledger.policy = budget;
  }

  /**
   * Ends the ticks of one program, and forgets what its workers hold: they are another process's by now, or are about to go. The others go on;
   * `run` resolves when none is left. Harmless for a name that no program has.
   */
  drop(program: string): void {
    const member = this.#programs.get(program);
    if (member === undefined) return;
    this.#programs.delete(program);
    this.#pools.delete(member.pool);
    member.pass.leave();
    member.cadence.stop();
  }

  /**
   * Tells a program something in place of what its queue asks for, at once, and until its time is over.
   *
   * @throws RangeError for a name that no program has
   */
  override(program: string, order: OverrideOrder): void {
    this.#tell(program, (pass) => pass.override(order));
    if (order.forMs === undefined) return;
    // By then the loop may have ended, and the program with it.
    this.#clock.after(order.forMs, () => this.#programs.get(program)?.cadence.wake(), { background: true });
  }

  /** Replaces every worker, one after the other. @returns how many @throws RangeError as above */
  restart(program: string): number {
    return this.#tell(program, (pass) => pass.restart());
  }

  /** Takes back what the program was told. False: nothing. @throws RangeError as above */
  resume(program: string): boolean {
    return this.#tell(program, (pass) => pass.resume());
  }

  #tell<T>(program: string, words: (pass: ProgramPass) => T): T {
    const { pass, cadence } = this.#memberOf(program);
    const result = words(pass);
    // What it fails with was said.
    cadence.tick().catch(() => undefined);
    return result;
  }

  /** Resolves when `run` has. Harmless twice, and before `run`; `run` may be called again afterwards. */
  async stop(): Promise<void> {
    if (this.#running === null) return;
    this.#isStopping = true;
    for (const { cadence } of this.#programs.values()) cadence.stop();
    await this.#running;
  }

  #memberOf(program: string): Member {
    const member = this.#programs.get(program);
    if (member !== undefined) return member;
    throw new RangeError(`program: expected one of ${this.programs.join(", ")}, got ${program}`);
  }

  #enter(options: ProgramOptions): Member {
    const { program, pool } = options;
    if (this.#programs.has(program)) throw new RangeError(`programs: expected one of each name, got ${program} twice`);
    const clock = this.#clock;
    const reporter = this.#reporter;
    const limitMs = options.readTimeoutMs ?? readTimeoutMs(this.#pollIntervalMs);
    const shared = { clock, reporter, looks: this.#looks, ledger: this.#ledger, listener: this.#listener, limitMs };
    const pass = new ProgramPass(options, shared);
    const cadence = new Cadence({
      clock,
      intervalMs: this.#pollIntervalMs,
      pass: () => pass.run(),
      failed: (error) => reporter.emit("loop.tick.failed", { program, error: errorText(error) }),
      onWake: (callback) => pool.onWake(callback),
    });
    const member = { pool, pass, cadence };
    this.#pools.add(pool);
    this.#programs.set(program, member);
    return member;
  }

  async #runAll(): Promise<void> {
    this.#isStopping = false;
    this.#startedAt = this.#clock.monotonicMs();
    for (const member of this.#programs.values()) this.#begin(member);
    // Programs come and go meanwhile.
    while (this.#runs.size > 0) await Promise.all(this.#runs);
  }

  #begin({ cadence, pass }: Member): void {
    if (this.#isStopping) return;
    const run = cadence.run(this.#startedAt).finally(() => {
      pass.keep();
      this.#runs.delete(run);
    });
    this.#runs.add(run);
  }
}

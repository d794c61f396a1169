/**
 * The worker processes of one program: who they are, and everything that starts or ends one. DESIGN 4.
 */
import type { WorkerPool } from "../model/ports.ts";
import type { PoolCounts, WorkerExit, WorkerSnapshot, WorkerView } from "../model/worker.ts";
import { Directory } from "./directory.ts";
import { Drains } from "./drain.ts";
import { Endings } from "./endings.ts";
import { Entrance } from "./entrance.ts";
import { PoolClosedError } from "./errors.ts";
import { Exits } from "./exits.ts";
import { type Home, openHome } from "./home.ts";
import type { PoolSettings, WorkerPoolOptions } from "./options.ts";
import { Roster } from "./roster.ts";
import { Sizing } from "./sizing.ts";
import { SpawnGate } from "./spawn-gate.ts";
import { Strays } from "./strays.ts";
import { type Tell, tellAs } from "./tell.ts";
import { type LeaderExit, snapshotOf, type Worker } from "./worker.ts";

/** A pool with what a person or a program does to single workers. */
export interface ManagedPool extends WorkerPool {
  /**
   * Starts one worker now, whatever a back-off says, and returns its pid.
   *
   * @throws SpawnError when the command cannot be started; PoolClosedError after shutdown or close
   */
  spawn(): number;
  /**
   * Stop signal, wait, SIGKILL. Resolves when nothing of the worker is left: true if no SIGKILL was needed. Joins a drain that
   * is under way; false at once for a pid that is not in the pool.
   */
  terminate(pid: number): Promise<boolean>;
  /** From now on; no worker is touched, those of other settings are `outdated`. */
  change(settings: PoolSettings): void;
  /**
   * Lets go of the pool: a successor may take it over, this one does nothing more, and the workers, also those that drain,
   * run on without a further signal. Harmless twice, and after `shutdown`, which ends with it.
   */
  close(): void;
}

/**
 * Opens the pool: takes the lock of the state folder and adopts the workers that an earlier life left. Synchronous.
 *
 * @throws PoolLockedError while another process runs this pool; StateFolderError when the folder cannot be used
 */
export function openWorkerPool(options: WorkerPoolOptions): ManagedPool {
  return new Pool(options);
}

class Pool implements ManagedPool {
  /** Shared with the parts of the pool, for whom `change` changes them too. */
  readonly #options: WorkerPoolOptions;
  readonly #tell: Tell;
  readonly #home: Home;
  readonly #roster = new Roster();
  readonly #gate: SpawnGate;
  readonly #drains: Drains;
  readonly #exits: Exits;
  readonly #endings: Endings;
  readonly #entrance: Entrance;
  readonly #sizing: Sizing;
  readonly #wakeCallbacks = new Set<() => void>();
  /** Refreshes and resizes, one at a time: each reads states that the other changes. */
  #queue: Promise<unknown> = Promise.resolve();
  #shutdown: Promise<void> | undefined;
  #closed = false;

  constructor(given: WorkerPoolOptions) {
    const options = { ...given };
    const { backoff, clock, directory, program, reporter, stateDir } = options;
    const tell = tellAs(program, reporter);
    this.#options = options;
    this.#tell = tell;
    this.#home = openHome(stateDir, clock, tell, (ownerPid, adopted) => {
      tell("act.pool.lock_lost", { owner_pid: ownerPid, adopted });
      if (adopted) this.close();
      else void this.shutdown();
    });
    const { poolId } = this.#home;
    this.#gate = new SpawnGate(backoff, clock, tell, () => this.#wake());
    this.#drains = new Drains(options, tell, poolId);
    this.#exits = new Exits(options, tell, poolId, (worker, exit) => this.#gone(worker, exit));
    this.#endings = new Endings({
      options,
      tell,
      roster: this.#roster,
      gate: this.#gate,
      strays: new Strays(poolId, tell),
    });
    this.#entrance = new Entrance({
      options,
      tell,
      home: this.#home,
      roster: this.#roster,
      exits: this.#exits,
      failed: () => {
        this.#endings.couldNotStart();
        this.#wake();
      },
    });
    this.#sizing = new Sizing({
      roster: this.#roster,
      drains: this.#drains,
      directory: directory && new Directory(directory, clock, tell),
      clock,
      tell,
      retireForMs: () => options.drainTimeoutMs,
      spawn: () => (this.#isOpen() && this.#gate.isOpen() ? this.#entrance.trySpawn() : undefined),
      isOpen: () => this.#isOpen(),
    });
    for (const worker of this.#entrance.adoptAll()) void this.#drains.resume(worker);
    if (this.#home.recorded !== undefined) this.#save();
  }

  counts(): PoolCounts {
    return this.#roster.counts();
  }

  snapshot(): readonly WorkerSnapshot[] {
    return this.#roster.all().map((worker) => snapshotOf(worker, this.#entrance.wouldBeMadeOf(worker.processNum)));
  }

  reap(): readonly WorkerExit[] {
    return this.#endings.take();
  }

  refresh(): Promise<readonly WorkerView[] | null> {
    return this.#inTurn(() => this.#sizing.refresh(), null);
  }

  resize(desired: number): Promise<void> {
    return this.#inTurn(() => {
      this.#endings.noteLived();
      return this.#sizing.towards(desired);
    }, undefined);
  }

  recycle(pid: number): Promise<boolean> {
    return this.#inTurn(async () => {
      const worker = this.#roster.get(pid);
      return worker !== undefined && this.#sizing.release(worker);
    }, false);
  }

  relieve(pid: number): Promise<boolean> {
    return this.#inTurn(() => {
      const worker = this.#roster.get(pid);
      return Promise.resolve(worker !== undefined && this.#sizing.relieve(worker));
    }, false);
  }

  change(settings: PoolSettings): void {
    Object.assign(this.#options, settings);
    this.#entrance.changed();
  }

  spawn(): number {
    if (!this.#isOpen()) throw new PoolClosedError(this.#options.program);
    const worker = this.#entrance.spawn();
    this.#save();
    return worker.identity.pid;
  }

  async terminate(pid: number): Promise<boolean> {
    const worker = this.#closed ? undefined : this.#roster.get(pid);
    if (worker === undefined) return false;
    const drained = this.#drains.begin(worker);
    this.#save();
    return drained;
  }

  onWake(callback: () => void): () => void {
    this.#wakeCallbacks.add(callback);
    return () => this.#wakeCallbacks.delete(callback);
  }

  shutdown(): Promise<void> {
    this.#shutdown ??= this.#closed ? Promise.resolve() : this.#drainAll();
    return this.#shutdown;
  }

  killAll(): void {
    if (this.#closed) return;
    for (const worker of this.#roster.all()) this.#drains.kill(worker);
  }

  spawnBackoffSec(): number {
    return this.#gate.remainingSec();
  }

  close(): void {
    if (this.#closed) return;
    this.#save();
    this.#closed = true;
    this.#gate.close();
    this.#drains.close();
    this.#exits.close();
    for (const { child } of this.#roster.all()) child?.unref();
    this.#home.leave();
  }

  async #drainAll(): Promise<void> {
    const { clock } = this.#options;
    const since = clock.monotonicMs();
    const workers = this.#roster.all();
    this.#tell("act.pool.shutdown_started", { workers: workers.length });
    const drains = workers.map((worker) => this.#drains.begin(worker));
    this.#save();
    await Promise.all(drains);
    if (this.#closed) return;
    this.#tell("act.pool.shutdown_finished", { took_ms: Math.round(clock.monotonicMs() - since) });
    this.close();
  }

  #isOpen(): boolean {
    return !this.#closed && this.#shutdown === undefined;
  }

  #inTurn<T>(work: () => Promise<T>, otherwise: T): Promise<T> {
    const turn = this.#queue.then(async () => {
      if (!this.#isOpen()) return otherwise;
      const result = await work();
      this.#save();
      return result;
    });
    this.#queue = turn.catch(() => undefined);
    return turn;
  }

  #gone(worker: Worker, exit: LeaderExit): void {
    // While it is in the roster: it may be one that has lived long enough.
    this.#endings.noteLived();
    if (!this.#roster.remove(worker)) return;
    this.#endings.ended(worker, exit);
    this.#save();
    for (const callback of [...worker.onGone]) callback();
    this.#wake();
  }

  #save(): void {
    if (!this.#closed) this.#home.save(this.#roster.records());
  }

  #wake(): void {
    for (const callback of [...this.#wakeCallbacks]) callback();
  }
}

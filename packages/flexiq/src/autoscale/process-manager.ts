/**
 * The worker processes by hand, for programs with a loop of their own. The pool, with its lock and the workers it may take
 * over, is opened at first use. DESIGN 11.4, 4.
 */
import type { ManagedPool } from "effiqueue";

/** What the manager needs of its controller. */
export interface PoolHandle {
  /** Opens the pool if need be. @throws FlexiqError `stopped` once the controller is */
  open(): ManagedPool;
  /** The same, but once the controller is stopped: the pool it had; `null` if it never had one. */
  use(): ManagedPool | null;
  /** Pids of exited workers that have not been told yet. */
  takeExited(): number[];
  stop(): Promise<void>;
}

/**
 * Each method but `reapDead` and `shutdown` opens the pool when nothing has opened it yet, and then throws FlexiqError
 * `locked-by-other` when another autoscaler runs it, or what opening the queue says. After the end no worker is left to name.
 */
export class ProcessManager {
  readonly #pool: PoolHandle;

  constructor(pool: PoolHandle) {
    this.#pool = pool;
  }

  /**
   * Starts one more worker, whatever the policy thinks; its pid.
   *
   * @throws FlexiqError `stopped` after the end
   * @throws SpawnError when it cannot be started
   */
  spawnWorker(): number {
    return this.#pool.open().spawn();
  }

  /** Stop signal, wait, SIGKILL. True if it went without SIGKILL; false also for a pid that is no worker of this pool. */
  async terminateWorker(pid: number): Promise<boolean> {
    return (await this.#pool.use()?.terminate(pid)) ?? false;
  }

  /** Pids of workers that have exited since the last call, for whatever reason. Never blocks. */
  reapDead(): number[] {
    return this.#pool.takeExited();
  }

  countLive(): number {
    return this.livePids().length;
  }

  /** Every process of the pool that lives, draining ones too. */
  livePids(): number[] {
    return (this.#pool.use()?.snapshot() ?? []).map(({ identity }) => identity.pid);
  }

  /** Drains every worker in parallel and gives up the pool: the same as `stop()` of the controller. */
  shutdown(): Promise<void> {
    return this.#pool.stop();
  }

  /** SIGKILL to every worker and what it started, at once. A loop that runs will replace them. */
  killAll(): void {
    this.#pool.use()?.killAll();
  }
}

/**
 * Stopping workers: stop signal, a wait, SIGKILL to what is left. Drains run beside the loop and beside each other.
 * DESIGN 4.5, 4.9.
 */
import type { Clock } from "../model/ports.ts";
import { letRun } from "./batch.ts";
import { anythingLives, killGroup, signalWorker } from "./groups.ts";
import type { WorkerPoolOptions } from "./options.ts";
import type { Tell } from "./tell.ts";
import type { Worker } from "./worker.ts";

/** SIGKILL acts at once, except on a process stuck in the kernel (a dead network disk); nobody waits longer for that. */
const KILL_GRACE_MS = 10_000;

export class Drains {
  readonly #options: WorkerPoolOptions;
  readonly #clock: Clock;
  readonly #tell: Tell;
  readonly #poolId: string;
  readonly #waits = new Set<() => void>();
  #closed = false;

  constructor(options: WorkerPoolOptions, tell: Tell, poolId: string) {
    this.#options = options;
    this.#clock = options.clock;
    this.#tell = tell;
    this.#poolId = poolId;
  }

  /** Begins the drain of a worker, or joins the one under way. Resolves when it ends: true if no SIGKILL was needed. */
  begin(worker: Worker): Promise<boolean> {
    return this.#drain(worker, () => {
      const { stopSignal = "SIGTERM", stopTarget = "group" } = this.#options;
      if (signalWorker(worker, stopTarget, stopSignal)) {
        // Who was held would otherwise hear of it only when it is killed.
        letRun(worker);
        this.#tell("act.worker.stop_signalled", { pid: worker.identity.pid, signal: stopSignal });
      }
    });
  }

  /** Goes on with a drain of an earlier life. No second stop signal: workers take one as "at once". */
  resume(worker: Worker): Promise<boolean> {
    return this.#drain(worker, () => undefined);
  }

  kill(worker: Worker): void {
    worker.killed = true;
    killGroup(worker, this.#poolId);
  }

  /** Ends every wait without a further signal: the workers are somebody else's from now on. */
  close(): void {
    this.#closed = true;
    for (const end of this.#waits) end();
  }

  #drain(worker: Worker, signal: () => void): Promise<boolean> {
    if (worker.drain === undefined) {
      worker.state = "draining";
      signal();
      worker.drain = this.#wait(worker);
    }
    return worker.drain;
  }

  async #wait(worker: Worker): Promise<boolean> {
    const { pid } = worker.identity;
    const since = this.#clock.monotonicMs();
    const waitedMs = (): number => Math.round(this.#clock.monotonicMs() - since);

    if (!(await this.#goneWithin(worker, this.#options.drainTimeoutMs)) && !this.#closed) {
      // After a blocked event loop the timer comes before the news of an exit in time: that worker is not late.
      if (anythingLives(worker, this.#poolId)) {
        this.kill(worker);
        this.#tell("act.worker.drain_timed_out", { pid, waited_ms: waitedMs() });
      }
      if (!(await this.#goneWithin(worker, KILL_GRACE_MS)) && !this.#isClosed()) {
        this.#tell("act.worker.unkillable", { pid, waited_ms: waitedMs() });
        return false;
      }
    }
    return !worker.killed && !this.#isClosed();
  }

  #isClosed(): boolean {
    return this.#closed;
  }

  /** True when it has gone; false when the time is over or the pool was closed. */
  #goneWithin(worker: Worker, limitMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const end = (gone: boolean): void => {
        cancel();
        worker.onGone.delete(onGone);
        this.#waits.delete(onClose);
        resolve(gone);
      };
      const onGone = (): void => end(true);
      const onClose = (): void => end(false);
      const cancel = this.#clock.after(limitMs, onClose);
      worker.onGone.add(onGone);
      this.#waits.add(onClose);
    });
  }
}

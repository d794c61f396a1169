/**
 * Noticing that workers end: children by the kernel's word, adopted ones by looking whether their start time is still
 * there. A worker has gone when nothing of its group is left. DESIGN 4.5, 4.8.
 */
import type { ChildProcess } from "node:child_process";
import type { Clock } from "../model/ports.ts";
import { killGroup, leftovers } from "./groups.ts";
import type { WorkerPoolOptions } from "./options.ts";
import { livenessOf } from "./platform/identity.ts";
import { thisSystem } from "./platform/this-system.ts";
import type { Tell } from "./tell.ts";
import type { LeaderExit, Worker } from "./worker.ts";

/** Often enough that a shutdown does not wait for it, seldom enough for a scan of /proc. */
const LEFTOVERS_INTERVAL_MS = 50;

export class Exits {
  readonly #options: WorkerPoolOptions;
  readonly #clock: Clock;
  readonly #tell: Tell;
  readonly #poolId: string;
  readonly #gone: (worker: Worker, exit: LeaderExit) => void;
  readonly #adopted = new Set<Worker>();
  readonly #cancels = new Set<() => void>();
  #closed = false;

  /** @param gone called once for every watched worker, when nothing of it is left */
  constructor(
    options: WorkerPoolOptions,
    tell: Tell,
    poolId: string,
    gone: (worker: Worker, exit: LeaderExit) => void,
  ) {
    this.#options = options;
    this.#clock = options.clock;
    this.#tell = tell;
    this.#poolId = poolId;
    this.#gone = gone;
  }

  watch(worker: Worker): void {
    if (worker.child !== undefined) this.#watchChild(worker, worker.child);
    else {
      this.#adopted.add(worker);
      if (this.#adopted.size === 1) this.#pollAdopted();
    }
  }

  close(): void {
    this.#closed = true;
    for (const cancel of this.#cancels) cancel();
    this.#cancels.clear();
    this.#adopted.clear();
  }

  /** `exit`, not `close`: the latter waits for every grandchild that holds the output open. */
  #watchChild(worker: Worker, child: ChildProcess): void {
    child.once("exit", (exitCode, signal) =>
      this.#leaderExited(worker, { exitCode, signal, at: this.#clock.monotonicMs() }),
    );
  }

  #pollAdopted(): void {
    this.#later(thisSystem.watchIntervalMs, true, () => {
      for (const worker of this.#adopted) {
        if (livenessOf(worker.identity) !== "dead") continue;
        this.#adopted.delete(worker);
        this.#leaderExited(worker, { exitCode: null, signal: null, at: this.#clock.monotonicMs() });
      }
      if (this.#adopted.size > 0) this.#pollAdopted();
    });
  }

  #leaderExited(worker: Worker, exit: LeaderExit): void {
    if (this.#closed) return;
    const left = leftovers(worker, this.#poolId).length;
    if (left > 0 && this.#mayFinish(worker)) {
      this.#awaitLeftovers(worker, exit);
      return;
    }
    if (left > 0) this.#tell("act.worker.leftovers_killed", { pid: worker.identity.pid, count: left });
    this.#end(worker, exit);
  }

  /** The last word to the group is a SIGKILL, also when nobody was seen in it. */
  #end(worker: Worker, exit: LeaderExit): void {
    killGroup(worker, this.#poolId);
    this.#gone(worker, exit);
  }

  /**
   * A shell dies of the stop signal at once, while the command it runs still finishes its job: who was told to stop has its
   * drain time, leader or not. Whoever was told nothing would never end.
   */
  #mayFinish(worker: Worker): boolean {
    return worker.state === "draining" && !worker.killed && this.#options.stopTarget !== "leader";
  }

  /** Ends by itself, or by the SIGKILL of the drain. */
  #awaitLeftovers(worker: Worker, exit: LeaderExit): void {
    this.#later(LEFTOVERS_INTERVAL_MS, false, () => {
      if (leftovers(worker, this.#poolId).length > 0) this.#awaitLeftovers(worker, exit);
      else this.#end(worker, exit);
    });
  }

  #later(delayMs: number, background: boolean, work: () => void): void {
    const cancel = this.#clock.after(
      delayMs,
      () => {
        this.#cancels.delete(cancel);
        work();
      },
      { background },
    );
    this.#cancels.add(cancel);
  }
}

/**
 * Replacing workers for their own sake, one after the other: the new one first where memory has room for both, so that nobody is missed;
 * else the old one first. DESIGN 4.10.
 */
import type { Reporter } from "../model/ports.ts";
import type { RecycleLimits } from "../model/recycling.ts";
import { currentOf, type WorkerExit, type WorkerSnapshot } from "../model/worker.ts";
import { msToSec } from "../units.ts";
import type { ProgramOptions } from "./program-options.ts";
import { type Overdue, overdueWorker, type PoolNow } from "./recycling.ts";

type Parts = Pick<ProgramOptions, "program" | "pool">;

const NO_LIMITS: RecycleLimits = { minAgeSec: 0 };

export class Replacing {
  readonly #parts: Parts;
  readonly #reporter: Reporter;
  /** Works until the one in its place does. */
  #relieved: Overdue | null = null;
  /** Who was sent away last. */
  #lastPid: number | null = null;

  constructor(parts: Parts, reporter: Reporter) {
    this.#parts = parts;
    this.#reporter = reporter;
  }

  /**
   * After the resize, so that the next one finds a worker missing and replaces it, as it would a dead one: at once where memory allows, else
   * when it has gone.
   *
   * @param now  the pool after that resize
   * @param room workers that the machine can hold, the live ones included
   */
  async next(now: PoolNow, room: number, limits: RecycleLimits = NO_LIMITS): Promise<void> {
    const relieved = this.#stillRelieved(now.workers);
    if (relieved !== null) {
      if (isSettled(now, limits)) await this.#sendAway(relieved);
      return;
    }
    const overdue = overdueWorker(limits, now);
    if (overdue === null) return;
    if (room > now.desired && (await this.#parts.pool.relieve(overdue.pid))) this.#relieved = overdue;
    else await this.#sendAway(overdue);
  }

  /** While one works for whom another was started, or when one has left who was sent away, the workers are not those of the last decision. */
  disturbs(exits: readonly WorkerExit[]): boolean {
    return this.#relieved !== null || exits.some(({ pid }) => pid === this.#lastPid);
  }

  /** Who was called back, or has died, is relieved no more. */
  #stillRelieved(workers: readonly WorkerSnapshot[]): Overdue | null {
    const pid = this.#relieved?.pid;
    if (!workers.some(({ identity, state }) => identity.pid === pid && state === "relieved")) this.#relieved = null;
    return this.#relieved;
  }

  async #sendAway(overdue: Overdue): Promise<void> {
    const { pool, program } = this.#parts;
    if (!(await pool.recycle(overdue.pid))) return;
    this.#relieved = null;
    this.#lastPid = overdue.pid;
    this.#reporter.emit("act.worker.recycled", { program, ...overdue });
  }
}

/** As many as there should be take work, and have shown that they do not crash. */
const isSettled = ({ now, workers, counts, starting, desired }: PoolNow, { minAgeSec }: RecycleLimits): boolean =>
  starting === 0 &&
  currentOf(counts) >= desired &&
  workers.every(({ state, startedAt }) => state !== "serving" || msToSec(now - startedAt) >= minAgeSec);

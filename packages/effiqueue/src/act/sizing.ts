/**
 * Moving the pool to a wished size: recall before spawn, and the least harm first when it shrinks. DESIGN 4.3, 4.4.
 *
 * Every question to the directory is a moment in which workers may end or be stopped, so states are looked at again
 * after each of them.
 */
import type { Clock } from "../model/ports.ts";
import { viewOf, type WorkerView } from "../model/worker.ts";
import { startBatch } from "./batch.ts";
import type { Directory } from "./directory.ts";
import type { Drains } from "./drain.ts";
import type { Roster } from "./roster.ts";
import type { Tell } from "./tell.ts";
import { victimOrder } from "./victims.ts";
import { isCurrent, type Worker } from "./worker.ts";

/** Longer than an app takes to load on a busy machine; whoever waits for work to be done should hear of it soon. */
const SERVES_WITHIN_MS = 30_000;

export interface SizingParts {
  readonly roster: Roster;
  readonly drains: Drains;
  /** `undefined`: the queue does not know its workers. */
  readonly directory: Directory | undefined;
  readonly clock: Clock;
  readonly tell: Tell;
  readonly retireForMs: () => number;
  /** Spawns one; `undefined` when nothing may or can be spawned now. */
  readonly spawn: () => Worker | undefined;
  readonly isOpen: () => boolean;
}

export class Sizing {
  readonly #parts: SizingParts;
  readonly #late = new WeakSet<Worker>();
  #views: readonly WorkerView[] | null = null;

  constructor(parts: SizingParts) {
    this.#parts = parts;
  }

  /** Asks the directory who serves and who is idle; signals retiring workers whose time has come. */
  async refresh(): Promise<readonly WorkerView[] | null> {
    const { directory, roster } = this.#parts;
    if (directory === undefined) return null;
    const views = await directory.views();
    this.#views = views;
    if (this.#parts.isOpen()) for (const worker of roster.all()) this.#update(worker);
    return views;
  }

  async towards(desired: number): Promise<void> {
    if (!Number.isFinite(desired)) return;
    if (this.#parts.roster.current() > desired) return this.#shrink(desired);
    await this.#recall(desired);
    startBatch(desired - this.#parts.roster.current(), this.#parts.spawn);
  }

  /** False: it does not serve, or nothing can be spawned. */
  relieve(worker: Worker): boolean {
    if (worker.state !== "serving") return false;
    const successor = this.#parts.spawn();
    if (successor === undefined) return false;
    worker.state = "relieved";
    this.#parts.tell("act.worker.relieved", { pid: worker.identity.pid, by_pid: successor.identity.pid });
    return true;
  }

  /** This very one, whatever the size of the pool. False: it goes already, or cannot be told to. */
  async release(worker: Worker): Promise<boolean> {
    const { directory, drains, roster } = this.#parts;
    const isThere = (): boolean => isCurrent(worker) || worker.state === "relieved";
    if (!isThere()) return false;
    if (directory === undefined || this.#views === null || worker.state === "starting") {
      void drains.begin(worker);
      return true;
    }
    const isIdle = await directory.cordonIfIdle(worker);
    if (!isIdle && !(await directory.cordon(worker))) return false;
    if (!isThere() || roster.get(worker.identity.pid) !== worker) return false;
    worker.isSpent = true;
    if (isIdle) void drains.begin(worker);
    else this.#retire(worker);
    return true;
  }

  #update(worker: Worker): void {
    const view = viewOf(worker.identity, this.#views);
    if (worker.state === "starting" && view !== undefined) worker.state = "serving";
    if (worker.state === "starting" && this.#views !== null) this.#sayIfLate(worker);
    // A cordon that nobody remembers: of an earlier life, or answered too late. It takes no work, so it does not count.
    if (worker.state === "serving" && view?.cordoned === true) this.#retire(worker);
    if (worker.state === "retiring" && (view?.busy === 0 || this.#isOverdue(worker)))
      void this.#parts.drains.begin(worker);
  }

  /** Once. It stays: it may still load, and one in its place would fare no better. */
  #sayIfLate(worker: Worker): void {
    const ageMs = this.#parts.clock.monotonicMs() - worker.startedAt;
    if (ageMs < SERVES_WITHIN_MS || this.#late.has(worker)) return;
    this.#late.add(worker);
    this.#parts.tell("act.worker.not_serving", { pid: worker.identity.pid, age_ms: Math.round(ageMs) });
  }

  #isOverdue({ retiredAt }: Worker): boolean {
    return retiredAt !== undefined && this.#parts.clock.monotonicMs() - retiredAt >= this.#parts.retireForMs();
  }

  #retire(worker: Worker): void {
    worker.state = "retiring";
    worker.retiredAt = this.#parts.clock.monotonicMs();
    this.#parts.tell("act.worker.retired", { pid: worker.identity.pid });
  }

  async #recall(desired: number): Promise<void> {
    const { directory, roster, tell } = this.#parts;
    // They never stopped working, so the queue need not be told.
    for (const worker of roster.in("relieved")) {
      if (roster.current() >= desired) return;
      worker.state = "serving";
      tell("act.worker.recalled", { pid: worker.identity.pid });
    }
    // The latest to retire has the most time left before its signal, and the longest work to finish.
    for (const worker of roster.in("retiring").toReversed()) {
      if (worker.isSpent) continue;
      if (roster.current() >= desired || !this.#parts.isOpen()) return;
      if (directory === undefined || !(await directory.uncordon(worker))) return;
      if (worker.state !== "retiring") continue;
      worker.state = "serving";
      worker.retiredAt = undefined;
      tell("act.worker.recalled", { pid: worker.identity.pid });
    }
  }

  async #shrink(desired: number): Promise<void> {
    const { directory, drains, roster } = this.#parts;
    const isIdle = (worker: Worker): boolean => viewOf(worker.identity, this.#views)?.busy === 0;
    const tooMany = (): boolean => roster.current() > desired && this.#parts.isOpen();
    const busy: Worker[] = [];
    for (const worker of victimOrder(roster.all(), isIdle)) {
      if (!tooMany()) return;
      // Nobody knows what it does: the stop signal lets it finish.
      if (directory === undefined || this.#views === null || worker.state === "starting") void drains.begin(worker);
      else if (!isIdle(worker) || !(await directory.cordonIfIdle(worker))) busy.push(worker);
      else if (isCurrent(worker)) void drains.begin(worker);
      // Who is idle by now? The next tick will know, or know that nobody can be asked; until then nobody is signalled.
      if (this.#views !== null && directory?.isSilent === true) return;
    }
    for (const worker of busy.sort((a, b) => a.startedAt - b.startedAt)) {
      if (!tooMany()) return;
      if (directory === undefined || !(await directory.cordon(worker))) return;
      if (isCurrent(worker) && roster.get(worker.identity.pid) === worker) this.#retire(worker);
    }
  }
}

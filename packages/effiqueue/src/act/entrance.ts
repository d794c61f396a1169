/**
 * Who comes into a pool: workers that are started, and those that an earlier life left. DESIGN 4.1, 4.7.
 */
import { errorText } from "../model/errors.ts";
import type { Clock } from "../model/ports.ts";
import { monotonicMs } from "../units.ts";
import { type Survivor, survivorsOf } from "./adopt.ts";
import { letRun } from "./batch.ts";
import { SpawnError } from "./errors.ts";
import type { Exits } from "./exits.ts";
import type { Home } from "./home.ts";
import { madeOf } from "./made-of.ts";
import type { WorkerPoolOptions } from "./options.ts";
import type { Roster } from "./roster.ts";
import { spawnWorker } from "./spawn.ts";
import type { Tell } from "./tell.ts";
import { newWorker, type Worker } from "./worker.ts";

export interface EntranceParts {
  /** Of the pool; they may change. */
  readonly options: WorkerPoolOptions;
  readonly tell: Tell;
  readonly home: Home;
  readonly roster: Roster;
  readonly exits: Exits;
  /** Hears of a worker that could not be started. */
  readonly failed: () => void;
}

export class Entrance {
  readonly #parts: EntranceParts;
  readonly #clock: Clock;
  /** By number. */
  readonly #madeOf = new Map<number, string>();

  constructor(parts: EntranceParts) {
    this.#parts = parts;
    this.#clock = parts.options.clock;
  }

  /** `undefined`, after it has been told: it cannot be started. */
  trySpawn(): Worker | undefined {
    try {
      return this.spawn();
    } catch (error) {
      if (error instanceof SpawnError) return undefined;
      throw error;
    }
  }

  /** @throws SpawnError */
  spawn(): Worker {
    const { options, tell, home, roster, failed } = this.#parts;
    const processNum = roster.freeNumber();
    try {
      const { program, worker: settingsOf } = options;
      const spawned = spawnWorker(settingsOf(processNum), { program, poolId: home.poolId, processNum });
      const worker = newWorker({
        ...spawned,
        processNum,
        startedAt: this.#clock.monotonicMs(),
        madeOf: this.wouldBeMadeOf(processNum),
        state: this.#stateAtSpawn(),
      });
      this.#enter(worker, "act.worker.spawned");
      return worker;
    } catch (error) {
      tell("act.worker.spawn_failed", { process_num: processNum, error: errorText(error) });
      failed();
      throw error;
    }
  }

  /** Everybody who was recorded and lives. @returns those that were draining already */
  adoptAll(): readonly Worker[] {
    const { options, tell, home } = this.#parts;
    if (home.recorded === undefined) return [];
    const commandOf = (processNum: number) => options.worker(processNum).command;
    return survivorsOf(home.recorded, commandOf, home.poolId, tell).flatMap((survivor) => {
      const worker = this.#adopt(survivor);
      return survivor.state === "draining" ? [worker] : [];
    });
  }

  /** A number's settings are asked for at every tick, and seldom change. */
  wouldBeMadeOf(processNum: number): string {
    const known = this.#madeOf.get(processNum) ?? madeOf(this.#parts.options.worker(processNum));
    this.#madeOf.set(processNum, known);
    return known;
  }

  /** The options are others now. */
  changed(): void {
    this.#madeOf.clear();
  }

  #stateAtSpawn(): "starting" | "serving" {
    return this.#parts.options.directory === undefined ? "serving" : "starting";
  }

  #adopt({ identity, processNum, startedAtMs, madeOf, state }: Survivor): Worker {
    const now = this.#clock.monotonicMs();
    const isRetiring = state === "retiring" && this.#parts.options.directory !== undefined;
    const worker = newWorker({
      identity,
      processNum: this.#parts.roster.freeNumber(processNum),
      startedAt: startedAtMs === undefined ? now : monotonicMs(Math.min(startedAtMs, now)),
      state: state === "unrecorded" ? this.#stateAtSpawn() : isRetiring ? "retiring" : "serving",
      child: undefined,
      madeOf,
    });
    if (isRetiring) worker.retiredAt = now;
    letRun(worker);
    this.#enter(worker, "act.worker.adopted");
    return worker;
  }

  #enter(worker: Worker, event: "act.worker.spawned" | "act.worker.adopted"): void {
    const { roster, exits, tell } = this.#parts;
    roster.add(worker);
    exits.watch(worker);
    tell(event, { pid: worker.identity.pid, process_num: worker.processNum });
  }
}

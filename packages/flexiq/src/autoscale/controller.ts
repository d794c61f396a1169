/**
 * The autoscaler as an object: ticks one by one or for ever, and ends without leaving anything behind. DESIGN 11.4.
 */
import { onStopRequest, systemClock } from "effiqueue";
import { FlexiqError } from "../errors.ts";
import { AutoscaleConfig } from "./config.ts";
import type { ScaleDecision } from "./desired.ts";
import { type ControllerOptions, type Engine, openEngine } from "./engine.ts";
import type { AutoscaleOptions } from "./fields.ts";
import { ProcessManager } from "./process-manager.ts";
import { assertStatsQueue, type StatsQueue } from "./queue-source.ts";

/** Nobody has to ask for the dead: beyond this many the oldest are forgotten. */
const MAX_UNTOLD_EXITS = 1_000;

/** Ends after a call to `stop`; it cannot be started again. */
export class AutoscaleController {
  readonly config: AutoscaleConfig;
  readonly processManager: ProcessManager;
  readonly #queue: StatsQueue;
  readonly #options: ControllerOptions;
  #engine: Engine | null = null;
  #exited: number[] = [];
  #lost: FlexiqError | null = null;
  #stopped: Promise<void> | null = null;

  /**
   * Touches nothing yet: the queue, the lock and the pool are opened at first use.
   *
   * @param queue flexiq's, or any object with `stats()`
   * @throws RangeError for a configuration out of range, TypeError for what is no queue
   */
  constructor(queue: StatsQueue, config: AutoscaleConfig | AutoscaleOptions, options: ControllerOptions = {}) {
    assertStatsQueue(queue);
    this.#queue = queue;
    this.config = AutoscaleConfig.from(config);
    this.#options = options;
    this.processManager = new ProcessManager({
      open: () => this.#open().pool,
      use: () => this.#engine?.pool ?? (this.#stopped === null ? this.#open().pool : null),
      takeExited: () => this.#exited.splice(0),
      stop: () => this.stop(),
    });
  }

  /**
   * One decision, carried out. Never overlaps another tick.
   *
   * @throws FlexiqError `locked-by-other` when another autoscaler runs this pool, `stopped` after `stop`, or what opening the queue says
   */
  async tick(): Promise<ScaleDecision> {
    const { decision, observation } = await this.#open().loop.tick(this.config.appPath);
    return Object.freeze({
      pending: observation.queue?.ready ?? Number.NaN,
      running: observation.queue?.unacked ?? Number.NaN,
      currentWorkers: decision.current,
      desiredWorkers: decision.desired,
      rationale: decision.rationale,
    });
  }

  /**
   * Decides at every poll, and whenever a worker exits, until SIGTERM, SIGINT, SIGHUP or `stop`; then drains every worker and
   * returns. A second signal, a second later or more, kills what still drains. Throws as `tick`, before anything is spawned; and `locked-by-other` when, presumed
   * dead, it lost its pool to another autoscaler.
   */
  async serveForever(): Promise<void> {
    const { loop, pool } = this.#open();
    const stopListening = onStopRequest(this.#options.clock ?? systemClock, () => {
      if (this.#stopped !== null) pool.killAll();
      // A failure to stop is thrown below.
      else this.stop().catch(() => undefined);
    });
    try {
      await loop.run();
      await this.stop();
      if (this.#lost !== null) throw this.#lost;
    } finally {
      stopListening();
    }
  }

  /** Ends the loop, drains every worker, releases the lock. Harmless twice, and before anything was started. */
  stop(): Promise<void> {
    this.#stopped ??= this.#shutDown();
    return this.#stopped;
  }

  async #shutDown(): Promise<void> {
    if (this.#engine === null) return;
    const { loop, pool, store } = this.#engine;
    // Together: a tick may wait for a queue that hangs, and a pool that shuts down starts no more workers.
    await Promise.all([loop.stop(), pool.shutdown()]);
    // Jobs of workers that had to be killed go back now, not when somebody looks; their leases would see to it otherwise.
    await store?.reclaim().catch(() => undefined);
  }

  #open(): Engine {
    if (this.#lost !== null) throw this.#lost;
    if (this.#stopped !== null) {
      throw new FlexiqError("stopped", "this autoscaler was stopped: make a new AutoscaleController to start again");
    }
    this.#engine ??= openEngine(this.#queue, this.config, this.#options, {
      onExit: ({ pid }) => {
        this.#exited.push(pid);
        if (this.#exited.length > MAX_UNTOLD_EXITS) this.#exited.shift();
      },
      onLockLost: ({ owner_pid: ownerPid, adopted }) => {
        const why = adopted ? "this one had been silent for too long" : "the state folder had been deleted";
        const message = `autoscaler ${ownerPid} took over the pool of ${this.config.appPath}, since ${why}; it goes on there`;
        this.#lost = new FlexiqError("locked-by-other", message);
        void this.#engine?.loop.stop();
      },
    });
    return this.#engine;
  }
}

/** `new AutoscaleController(queue, config, options).serveForever()`. */
export async function serveAutoscaler(
  queue: StatsQueue,
  config: AutoscaleConfig | AutoscaleOptions,
  options: ControllerOptions = {},
): Promise<void> {
  await new AutoscaleController(queue, config, options).serveForever();
}

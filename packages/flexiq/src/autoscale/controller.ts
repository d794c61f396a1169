/**
 * The autoscaler as an object: ticks one by one or for ever, and ends without leaving anything behind. DESIGN 11.4.
 */
import { type NotifyTarget, onStopRequest, systemClock, warnOfStopLimit } from "effiqueue";
import { FlexiqError } from "../errors.ts";
import { AutoscaleConfig } from "./config.ts";
import type { ScaleDecision } from "./desired.ts";
import { type ControllerOptions, type Engine, openEngine } from "./engine.ts";
import type { AutoscaleOptions } from "./options.ts";
import { ProcessManager } from "./process-manager.ts";
import { assertStatsQueue, type StatsQueue } from "./queue-source.ts";
import type { Status } from "./status.ts";

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
  #status: Promise<Status> | null = null;
  #metricsAddress: string | null = null;

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

  /** Where metrics and status are served, with the port that was got; `null`: nowhere, or not before the first tick. */
  get metricsAddress(): string | null {
    return this.#metricsAddress;
  }

  /**
   * One decision, carried out. Never overlaps another tick.
   *
   * @throws FlexiqError `locked-by-other` when another autoscaler runs this pool, `cannot-listen` when `metricsAddr` cannot be had,
   * `stopped` after `stop`, or what opening the queue says
   */
  async tick(): Promise<ScaleDecision> {
    const { loop } = this.#open();
    await this.listen();
    const { decision, observation } = await loop.tick(this.config.appPath);
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
    const { loop, pool, reporter } = this.#open();
    const stopListening = onStopRequest(this.#options.clock ?? systemClock, (_, signal) => {
      if (this.#stopped !== null) pool.killAll();
      // A failure to stop is thrown below.
      else this.#stop(signal).catch(() => undefined);
    });
    warnOfStopLimit(this.config.drainTimeoutSec, reporter);
    try {
      await this.listen();
      // A loop that was told to stop before it ran would not know.
      if (this.#stopped === null) await loop.run();
      await this.stop();
      if (this.#lost !== null) throw this.#lost;
    } finally {
      stopListening();
    }
  }

  /** Ends the loop, drains every worker, releases the lock. Harmless twice, and before anything was started. */
  stop(): Promise<void> {
    return this.#stop("stop()");
  }

  #stop(why: string): Promise<void> {
    this.#stopped ??= this.#shutDown(why);
    return this.#stopped;
  }

  /**
   * Serves metrics and status from now on, where `metricsAddr` says, and tells systemd what it wants to know; otherwise the first tick does so. Before any worker is
   * started: who cannot be watched does not begin.
   *
   * @returns `metricsAddress`
   * @throws FlexiqError as `tick`
   */
  async listen(): Promise<string | null> {
    const { notify = null } = this.#options;
    if (this.config.metricsAddr === undefined && notify === null) return null;
    this.#status ??= this.#openStatus(notify);
    try {
      await this.#status;
    } catch (error) {
      // Workers of an earlier life run on, for the next who tries.
      this.#engine?.pool.close();
      this.#stopped ??= Promise.resolve();
      throw error;
    }
    return this.#metricsAddress;
  }

  async #openStatus(notify: NotifyTarget | null): Promise<Status> {
    const { store, reporter } = this.#open();
    const { openStatus } = await import("./status.ts");
    const status = await openStatus({
      config: this.config,
      clock: this.#options.clock ?? systemClock,
      store,
      notify,
      reporter,
      isReady: () => this.#stopped === null,
    });
    this.#metricsAddress = status.address;
    if (status.address !== null) reporter.emit("app.status.serving", { address: status.address });
    return status;
  }

  async #shutDown(why: string): Promise<void> {
    if (this.#engine === null) return;
    const { loop, pool, store, reporter } = this.#engine;
    // Of a pool that was lost nobody is drained.
    if (this.#lost === null) reporter.emit("app.daemon.stopping", { signal: why });
    // Together: a tick may wait for a queue that hangs, and a pool that shuts down starts no more workers.
    await Promise.all([loop.stop(), pool.shutdown()]);
    // Jobs of workers that had to be killed go back now, not when somebody looks; their leases would see to it otherwise.
    await store?.reclaim().catch(() => undefined);
    // Last, so that the drain can be watched.
    await (await this.#status?.catch(() => null))?.close();
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

/**
 * A daemon that runs, and how it ends: when it is told to, or when others have taken over all its pools. DESIGN 7.9, 4.9.
 */
import type { ControlLoop } from "../loop/control-loop.ts";
import type { EventFields } from "../model/events.ts";
import type { Clock } from "../model/ports.ts";
import type { StatusServer } from "../report/http/server.ts";
import type { Webhook } from "../report/webhook/webhook.ts";
import type { ControlServer } from "./control/server.ts";
import { type Fanout, hearing } from "./fanout.ts";
import type { Fleet } from "./fleet.ts";
import type { Reloaded, Reloads } from "./reloads.ts";
import type { ServiceNotifier } from "./service-manager/index.ts";

/** It touches neither signals nor the exit code of its process. */
export interface Daemon {
  /** Where metrics and status are served, with the port that was got; `null`: nowhere. */
  readonly metricsAddr: string | null;
  /** Settles when the daemon has ended: resolves after `stop`, rejects with PoolsLostError when others have all its pools. */
  readonly ended: Promise<void>;
  /** Drains the workers of all programs at once, then lets go of everything. The same promise at each call. */
  stop(why: string): Promise<void>;
  /**
   * Reads the configuration again, and becomes what it says. Rejects with what is wrong with it, and is then what it was.
   */
  reload(): Promise<Reloaded>;
  /** Ends and leaves the workers at work, for a daemon that takes them over. Resolves with their number when they are let go of. */
  detach(): Promise<number>;
  /** SIGKILL to the groups of all workers, those that drain included. */
  kill(): void;
}

/** Every pool has another owner, so there is nothing left to do here. */
export class PoolsLostError extends Error {
  override readonly name = "PoolsLostError";
  readonly code = "pool-locked";

  constructor(ownerPid: number) {
    super(
      `process ${ownerPid} has taken over every worker pool of this daemon, which therefore ends; see the log above for why`,
    );
  }
}

interface Parts {
  readonly loop: ControlLoop;
  readonly fleet: Fleet;
  readonly reloads: Reloads;
  readonly server: StatusServer | null;
  readonly control: ControlServer;
  readonly webhook: Webhook | null;
  readonly notifier: ServiceNotifier | null;
  readonly reporter: Fanout;
  readonly clock: Clock;
}

export class RunningDaemon implements Daemon {
  readonly ended: Promise<void>;
  readonly #parts: Parts;
  #lostTo: number | undefined;
  #stopped: Promise<void> | undefined;
  #detached: Promise<number> | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    parts.reporter.add(hearing({ "act.pool.lock_lost": (fields) => this.#lose(fields) }));
    this.ended = this.#live();
  }

  get metricsAddr(): string | null {
    return this.#parts.server?.address ?? null;
  }

  get isStopping(): boolean {
    return this.#stopped !== undefined;
  }

  stop(why: string): Promise<void> {
    this.#stopped ??= this.#shutDown(why);
    return this.#stopped;
  }

  reload(): Promise<Reloaded> {
    return this.#parts.reloads.run();
  }

  detach(): Promise<number> {
    if (this.#detached === undefined) {
      // After a stop nobody is left to be taken over.
      this.#detached = this.#stopped === undefined ? this.#leave() : this.#stopped.then(() => 0);
      this.#stopped ??= this.#detached.then(() => this.#close());
    }
    return this.#detached;
  }

  kill(): void {
    this.#parts.fleet.kill();
  }

  async #live(): Promise<void> {
    await this.#parts.loop.run();
    await (this.#stopped ?? this.#release());
    if (this.#lostTo !== undefined) throw new PoolsLostError(this.#lostTo);
  }

  async #shutDown(why: string): Promise<void> {
    const { clock, loop, reporter } = this.#parts;
    const since = clock.monotonicMs();
    reporter.emit("app.daemon.stopping", { signal: why });
    // Together: a tick may wait for a queue that hangs, and a pool that shuts down starts no more workers.
    await Promise.all([loop.stop(), this.#release()]);
    reporter.emit("app.daemon.stopped", { took_ms: Math.round(clock.monotonicMs() - since) });
  }

  async #release(): Promise<void> {
    const { fleet, reloads } = this.#parts;
    await Promise.all([fleet.shutDown(), reloads.settled()]);
    await this.#close();
  }

  /** Nothing is decided any more when the workers are let go of. */
  async #leave(): Promise<number> {
    const { loop, fleet, reloads, reporter } = this.#parts;
    await reloads.settled();
    await loop.stop();
    const workers = fleet.detach();
    reporter.emit("app.daemon.detached", { workers });
    return workers;
  }

  async #close(): Promise<void> {
    const { fleet, server, control, webhook, notifier } = this.#parts;
    await Promise.all([fleet.close(), server?.close(), control.closeAll(), webhook?.close(), notifier?.close()]);
  }

  /** The other programs go on. */
  #lose({ program, owner_pid: ownerPid }: EventFields["act.pool.lock_lost"]): void {
    const { fleet } = this.#parts;
    fleet.lose(program);
    if (fleet.names.length === 0) this.#lostTo = ownerPid;
  }
}

/**
 * A daemon that runs, and how it ends: when it is told to, or when others have taken over all its pools. DESIGN 7.9, 4.9.
 */
import type { ControlLoop } from "../loop/control-loop.ts";
import type { EventFields } from "../model/events.ts";
import type { Clock } from "../model/ports.ts";
import type { StatusServer } from "../report/http/server.ts";
import type { Webhook } from "../report/webhook/webhook.ts";
import type { ControlServer } from "./control/server.ts";
import type { Fanout } from "./fanout.ts";
import type { OpenProgram } from "./programs.ts";

/** It touches neither signals nor the exit code of its process. */
export interface Daemon {
  /** Where metrics and status are served, with the port that was got; `null`: nowhere. */
  readonly metricsAddr: string | null;
  /** Settles when the daemon has ended: resolves after `stop`, rejects with PoolsLostError when others have all its pools. */
  readonly ended: Promise<void>;
  /** Drains the workers of all programs at once, then lets go of everything. The same promise at each call. */
  stop(why: string): Promise<void>;
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
  readonly programs: readonly OpenProgram[];
  readonly server: StatusServer | null;
  readonly control: ControlServer;
  readonly webhook: Webhook | null;
  readonly reporter: Fanout;
  readonly clock: Clock;
}

export class RunningDaemon implements Daemon {
  readonly ended: Promise<void>;
  readonly #parts: Parts;
  readonly #lost = new Set<string>();
  #lostTo: number | undefined;
  #stopped: Promise<void> | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    parts.reporter.add({
      emit: (name, fields) => {
        if (name === "act.pool.lock_lost") this.#lose(fields as EventFields["act.pool.lock_lost"]);
      },
    });
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

  kill(): void {
    for (const { pool } of this.#parts.programs) pool.killAll();
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
    const { programs, server, control, webhook } = this.#parts;
    await Promise.all(programs.map(({ pool }) => pool.shutdown()));
    await Promise.all([letGo(programs, server, control), webhook?.close()]);
  }

  /** The other programs go on. */
  #lose({ program, owner_pid: ownerPid }: EventFields["act.pool.lock_lost"]): void {
    const { loop, programs, control } = this.#parts;
    loop.drop(program);
    void control.close(program);
    this.#lost.add(program);
    if (this.#lost.size === programs.length) this.#lostTo = ownerPid;
  }
}

/** Connections, the endpoint and the sockets; the pools are closed or shut down before. */
export async function letGo(
  programs: readonly OpenProgram[],
  server: StatusServer | null,
  control: ControlServer | null,
): Promise<void> {
  await Promise.all([...programs.map(({ source }) => source.close()), server?.close(), control?.closeAll()]);
}

/**
 * What systemd is told, and when: that the daemon is ready after the first tick of every program, what it is doing, and that it lives as
 * long as all its programs tick. DESIGN 7.17.
 */
import type { EventFields, EventName } from "../../model/events.ts";
import type { Clock, Reporter, TickListener } from "../../model/ports.ts";
import type { TickRecord } from "../../model/tick-record.ts";
import type { StatusReply } from "../../report/api-types.ts";
import type { MonotonicMs } from "../../units.ts";
import type { Message } from "./messenger.ts";
import { statusLine } from "./status-line.ts";

export interface NotifierParts {
  readonly send: (message: Message) => void;
  readonly status: () => StatusReply;
  readonly clock: Clock;
  /** `null`: nobody waits for a sign of life. */
  readonly watchdogMs: number | null;
}

/** A state that changes at every tick is not worth a process at each; and to look at all programs whenever one has ticked costs as well. */
const STATUS_EVERY_MS = 10_000;

export class Notifier implements Reporter, TickListener {
  readonly #parts: NotifierParts;
  /** Programs that have ticked since the last sign of life. */
  readonly #ticked = new Set<string>();
  #isReady = false;
  #isStopping = false;
  #said = "";
  #lookedAt: MonotonicMs | null = null;
  #livedAt: MonotonicMs | null = null;

  constructor(parts: NotifierParts) {
    this.#parts = parts;
  }

  emit<Name extends EventName>(name: Name, fields: EventFields[Name]): void {
    this.#hears[name]?.(fields);
  }

  readonly #hears: { readonly [Name in EventName]?: (fields: EventFields[Name]) => void } = {
    "app.config.reloading": () => {
      // Not by our clock: systemd compares it with its own, CLOCK_MONOTONIC.
      this.#parts.send({ RELOADING: "1", MONOTONIC_USEC: String(process.hrtime.bigint() / 1000n) });
    },
    "app.config.reloaded": () => this.#reloaded(),
    "app.config.refused": () => this.#reloaded(),
    "app.daemon.detached": () => this.#stop("the workers go on without a daemon"),
    "app.daemon.stopping": () => this.#stop("workers drain"),
  };

  /** Whatever came of it, the daemon runs. */
  #reloaded(): void {
    if (!this.#isStopping) this.#parts.send({ READY: "1" });
  }

  #stop(line: string): void {
    this.#isStopping = true;
    this.#parts.send({ STOPPING: "1", STATUS: line });
  }

  /** After whoever `status` asks. */
  ticked({ program }: Pick<TickRecord, "program">): void {
    if (this.#isStopping) return;
    this.#ticked.add(program);
    const now = this.#parts.clock.monotonicMs();
    if (this.#isReady && !this.#isLifeDue(now) && !this.#isStateDue(now)) return;
    const status = this.#parts.status();
    const message = { ...this.#readiness(status), ...this.#life(status, now), ...this.#state(status, now) };
    if (Object.keys(message).length > 0) this.#parts.send(message);
  }

  #readiness(status: StatusReply): Message {
    if (this.#isReady || !this.#allTicked(status)) return {};
    this.#isReady = true;
    return { READY: "1" };
  }

  /** A third of the time leaves room for one that is late. */
  #isLifeDue(now: MonotonicMs): boolean {
    const { watchdogMs } = this.#parts;
    return watchdogMs !== null && (this.#livedAt === null || now - this.#livedAt >= watchdogMs / 3);
  }

  #life(status: StatusReply, now: MonotonicMs): Message {
    if (!this.#isLifeDue(now) || !this.#isReady || !this.#allTicked(status)) return {};
    this.#livedAt = now;
    this.#ticked.clear();
    return { WATCHDOG: "1" };
  }

  #isStateDue(now: MonotonicMs): boolean {
    return this.#lookedAt === null || now - this.#lookedAt >= STATUS_EVERY_MS;
  }

  #state(status: StatusReply, now: MonotonicMs): Message {
    if (!this.#isStateDue(now)) return {};
    this.#lookedAt = now;
    const line = statusLine(status);
    if (line === this.#said) return {};
    this.#said = line;
    return { STATUS: line };
  }

  /** One whose pool another process has taken over ticks no more. */
  #allTicked({ programs }: StatusReply): boolean {
    return programs.every(({ program, state }) => state === "lost" || this.#ticked.has(program));
  }
}

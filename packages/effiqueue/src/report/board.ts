/**
 * The board that the daemon keeps its state on for everybody who asks: it hears every tick and every event, and is read by the
 * metrics, the status endpoint and, through that, by people. Nothing on it grows without bound. DESIGN 6.4, 6.5, 6.7.
 */
import type { EventFields } from "../model/events.ts";
import type { Clock, Reporter, TickListener } from "../model/ports.ts";
import { redact as redactAny } from "../model/redact.ts";
import type { HistoryReply, ProgramDecisions, ReloadStatus, StatusReply } from "./api-types.ts";
import { isoTime, secOf } from "./measured.ts";
import { type BoardProgram, ProgramLog } from "./program-log.ts";

export type { BoardProgram } from "./program-log.ts";

export interface BoardOptions {
  readonly clock: Clock;
  /** Of the daemon. */
  readonly version: string;
  readonly pollIntervalSec: number;
  /** Takes the credentials out of what is shown. Default: what looks like one (`model/redact.ts`). */
  readonly redact?: (text: string) => string;
}

/** Durations, each at the moment it is known: for histograms, which cannot be read off a state. */
interface DurationListener {
  tickTook(program: string, sec: number): void;
  drainTook(program: string, sec: number): void;
}

export interface Board extends TickListener, Reporter {
  /** A program of a new name, or one whose limits are others now. One that was lost begins anew. */
  enter(program: BoardProgram): void;
  /** It is not shown any more. Harmless for a name that is not on the board. */
  leave(program: string): void;
  status(): StatusReply;
  /** @param limit most entries of each program, >= 0 */
  decisions(limit: number): readonly ProgramDecisions[];
  /** The last hour; `undefined`: no such program. */
  history(program: string): HistoryReply | undefined;
  onDuration(listener: DurationListener): void;
  /** Called when `status` has something new to say. Must not throw. */
  onChange(listener: () => void): void;
}

/** Records and events of other programs than these are not on the board. */
export function openBoard(programs: readonly BoardProgram[], options: BoardOptions): Board {
  const { clock, version, pollIntervalSec, redact = redactAny } = options;
  const logs = new Map(programs.map((program) => [program.name, new ProgramLog(program, redact)]));
  const listeners: DurationListener[] = [];
  const watchers: (() => void)[] = [];
  const changed = (): void => {
    for (const watcher of watchers) watcher();
  };
  const notifications = { delivered: 0, dropped: 0 };
  const startedAt = isoTime(clock.wallMs());
  let reload: ReloadStatus = { successful: true, lastSuccessAt: startedAt, error: null };
  const startedMs = clock.monotonicMs();

  const ofDaemon: { readonly [Name in keyof EventFields]?: (fields: EventFields[Name]) => void } = {
    "report.webhook.delivered": () => {
      notifications.delivered += 1;
    },
    "report.webhook.dropped": () => {
      notifications.dropped += 1;
    },
    "app.config.reloaded": () => {
      reload = { successful: true, lastSuccessAt: isoTime(clock.wallMs()), error: null };
    },
    "app.config.refused": ({ error }) => {
      reload = { ...reload, successful: false, error: redact(error) };
    },
  };

  const ofProgram: { readonly [Name in keyof EventFields]?: (log: ProgramLog, fields: EventFields[Name]) => void } = {
    "act.worker.stop_signalled": (log, { pid }) => log.stopSignalled(pid, clock.monotonicMs()),
    "act.worker.unkillable": (log, { pid }) => log.givenUp(pid),
    "act.worker.recycled": (log, fields) => log.recycled(fields, clock.wallMs()),
    "loop.override.started": (log, fields) => {
      log.overridden(fields, clock.wallMs());
      changed();
    },
    "loop.override.ended": (log) => {
      log.overridden(null, clock.wallMs());
      changed();
    },
    "loop.restart.started": (log, { workers }) => {
      log.restarting(workers, clock.wallMs());
      changed();
    },
    "loop.restart.ended": (log) => {
      log.restarting(null, clock.wallMs());
      changed();
    },
    "act.worker.spawn_failed": (log) => log.spawnFailed(),
    "act.pool.lock_lost": (log) => {
      log.lost();
      changed();
    },
    "act.worker.exited": (log, fields) => {
      const sec = log.exited(fields, clock.monotonicMs());
      if (sec !== null) for (const listener of listeners) listener.drainTook(fields.program, sec);
    },
  };

  return {
    enter(program) {
      const log = logs.get(program.name);
      if (log === undefined || log.isLost) logs.set(program.name, new ProgramLog(program, redact));
      else log.change(program);
      changed();
    },
    leave(program) {
      if (logs.delete(program)) changed();
    },
    ticked(record) {
      const log = logs.get(record.program);
      if (log === undefined) return;
      log.ticked(record, clock.monotonicMs());
      for (const listener of listeners) listener.tickTook(record.program, record.tookSec);
      changed();
    },
    emit(name, fields) {
      ofDaemon[name]?.(fields);
      const log = "program" in fields ? logs.get(fields.program) : undefined;
      if (log !== undefined) ofProgram[name]?.(log, fields);
    },
    status() {
      const now = clock.monotonicMs();
      return {
        apiVersion: 1,
        version,
        now: isoTime(clock.wallMs()),
        startedAt,
        uptimeSec: secOf(now - startedMs),
        pollIntervalSec,
        notifications: { ...notifications },
        reload,
        programs: [...logs.values()].map((log) => log.status(now)),
      };
    },
    decisions: (limit) => [...logs].map(([program, { decisions }]) => ({ program, decisions: decisions.last(limit) })),
    history: (program) => logs.get(program)?.history.reply(program, clock.monotonicMs(), clock.wallMs()),
    onDuration: (listener) => void listeners.push(listener),
    onChange: (listener) => void watchers.push(listener),
  };
}

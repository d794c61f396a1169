/**
 * How loud each event is: state changes are info, what somebody should look at is a warning, what lost something or
 * broke a promise is an error. DESIGN 6.1.
 */
import type { EventFields, EventLevel, EventName } from "../model/events.ts";

/** The usual level of every event. */
export const EVENT_LEVELS = {
  "loop.tick.decided": "info",
  "loop.tick.failed": "error",
  "loop.schedule.started": "info",
  "loop.schedule.ended": "info",
  "loop.override.started": "info",
  "loop.override.ended": "info",
  "loop.restart.started": "info",
  "loop.restart.ended": "info",
  "observe.queue.unreadable": "warn",
  "observe.queue.recovered": "info",
  "observe.slots.mismatched": "warn",
  "observe.source.switched": "warn",
  "observe.queue.unacked_invisible": "warn",
  "observe.queue.age_invisible": "warn",
  "observe.broker.alarmed": "warn",
  "observe.broker.alarm_cleared": "info",
  "observe.broker.noted": "warn",
  "observe.memory.oom_killed": "error",
  "decide.gap.opened": "warn",
  "decide.gap.persists": "warn",
  "decide.gap.cleared": "info",
  "decide.workers.outgrown": "warn",
  "act.worker.spawned": "info",
  "act.worker.spawn_failed": "error",
  "act.worker.not_serving": "warn",
  "act.worker.adopted": "info",
  "act.worker.stray_ignored": "warn",
  "act.worker.retired": "info",
  "act.worker.relieved": "info",
  "act.worker.recycled": "info",
  "act.worker.recalled": "info",
  "act.worker.stop_signalled": "info",
  "act.worker.drain_timed_out": "warn",
  "act.worker.unkillable": "error",
  "act.worker.exited": "info",
  "act.worker.oom_killed": "error",
  "act.worker.leftovers_killed": "warn",
  "act.spawning.backed_off": "warn",
  "act.spawning.resumed": "info",
  "act.directory.unreadable": "warn",
  "act.state.unreadable": "warn",
  "act.state.unwritable": "error",
  "act.state.restored": "warn",
  "act.pool.lock_lost": "error",
  "act.pool.shutdown_started": "info",
  "act.pool.shutdown_finished": "info",
  "report.webhook.delivered": "debug",
  "report.webhook.failing": "warn",
  "report.webhook.recovered": "info",
  "report.webhook.dropped": "warn",
  "app.status.serving": "info",
  "app.daemon.started": "info",
  "app.config.warned": "warn",
  "app.service.unreachable": "warn",
  "app.control.unavailable": "warn",
  "app.learned.restored": "info",
  "app.learned.discarded": "info",
  "app.learned.unwritable": "warn",
  "app.config.reloading": "info",
  "app.config.reloaded": "info",
  "app.config.refused": "error",
  "app.daemon.detached": "info",
  "app.daemon.stopping": "info",
  "app.daemon.stopped": "info",
} as const satisfies Record<EventName, EventLevel>;

/** The level of one occurrence: a crash and a kill are warnings, any other exit is not; the way back to the preferred source is none. */
export function levelOf<Name extends EventName>(name: Name, fields: EventFields[Name]): EventLevel {
  if ("preferred" in fields && fields.preferred) return "info";
  return "kind" in fields && (fields.kind === "crashed" || fields.kind === "oom-killed") ? "warn" : EVENT_LEVELS[name];
}

/**
 * Every event as a sentence for the person who reads the log; the fields beside it are for programs. The line of a tick is
 * a promise to log aggregators and must not change. DESIGN 6.1, 6.2.
 */
import { isAtKnee } from "../model/decision.ts";
import type { EventFields, EventName } from "../model/events.ts";
import { bytesText, counted, isOrAre, limitsText, recycledText } from "./explain-words.ts";
import { overrideName, overrideText } from "./override-words.ts";

const known = (count: number | null): string => (count === null ? "?" : String(count));

const exitOf = (fields: EventFields["act.worker.exited"]): string => {
  if (fields.signal !== null) return `signal ${fields.signal}`;
  return fields.exit_code === null ? "exit code unknown" : `exit code ${fields.exit_code}`;
};

const gapOf = (f: EventFields["decide.gap.opened"]): string => {
  const missing = f.gap_gib === null ? "" : `, ${f.gap_gib} GiB`;
  const drain = f.best_drain === "infinite" ? "never empties" : `empties in ${f.best_drain} s at best`;
  if (isAtKnee(f.bound_by)) {
    return `as much is needed as ${f.workers_needed} workers would do, more than ${f.workers_capacity} get no more done (${f.bound_by}, more memory will not help); the queue ${drain}`;
  }
  return `${f.workers_needed} workers are needed, ${f.workers_capacity} fit (${f.bound_by}): ${f.feasibility_gap} are missing${missing}; the queue ${drain}`;
};

const promiseOf = ({ slo_goal: goal, slo_sec: sec }: EventFields["decide.gap.opened"]): string =>
  goal === "drain" ? `drain the queue within ${sec} s` : `keep messages from waiting longer than ${sec} s`;

const reloadOf = (f: EventFields["app.config.reloaded"]): [string, string][] => [
  [f.added, "new"],
  [f.changed, "changed"],
  [f.removed, "drained"],
  [f.unchanged, "untouched"],
];

type Messages = { readonly [Name in EventName]: (fields: EventFields[Name]) => string };

const MESSAGES: Messages = {
  "loop.tick.decided": (f) =>
    `pending=${known(f.pending)} running=${known(f.running)} workers=${f.current_workers} -> ${f.desired_workers} (${f.rationale})`,
  "loop.tick.failed": (f) => `a tick failed, the loop goes on: ${f.error}`,
  "loop.schedule.started": (f) =>
    `schedule ${f.schedule} holds until ${f.until}: ${limitsText(f.min_workers, f.max_workers, ", ")}`,
  "loop.schedule.ended": (f) => `schedule ${f.schedule} is over`,
  "loop.override.started": (f) =>
    `told by hand: ${overrideText(f.override, f.workers)}${f.until === null ? ", until it is resumed" : `, until ${f.until}`}`,
  "loop.override.ended": (f) =>
    `${overrideName(f.override)} is over${f.why === "replaced" ? "" : ` (${f.why}): the pool follows its queue again`}`,
  "loop.restart.started": (f) => `${counted(f.workers, "worker")} will be replaced, one after the other`,
  "loop.restart.ended": (f) =>
    f.why === "done" ? "every worker has been replaced" : "no more workers are replaced: resumed",
  "observe.queue.unreadable": (f) =>
    `the queue cannot be read${f.for_sec > 0 ? ` for ${f.for_sec} s now` : ""}, so the pool is held: ${f.error}`,
  "observe.queue.recovered": (f) => `the queue can be read again after ${f.after_sec} s`,
  "observe.worker.silent": (f) =>
    `worker ${f.pid} has been silent for ${f.silent_ms} ms, longer than its lease, so others get what it ran (${counted(f.jobs, "job")}); it is held (SIGSTOP: kill -CONT ${f.pid}), or a handler blocks its event loop`,
  "observe.slots.mismatched": (f) =>
    `live workers publish ${f.measured_slots} slots each, ${f.configured_slots} are configured; the measured figure is used`,
  "observe.source.switched": (f) => `the queue is read by ${f.source} from now on: ${f.why}`,
  "observe.queue.unacked_invisible": (f) =>
    `${f.source} does not show messages that are handed out, so an empty queue is believed only after several looks`,
  "observe.queue.age_invisible": (f) =>
    `the queue does not tell how long its oldest message has waited, so it is emptied within ${f.slo_sec} s instead; RabbitMQ tells when publishers set the property timestamp and the queue is classic and not lazy`,
  "observe.broker.alarmed": (f) => `the broker takes no messages: ${f.alarms}`,
  "observe.broker.alarm_cleared": (f) => `the broker takes messages again after ${f.after_sec} s`,
  "observe.broker.noted": (f) => f.note,
  "observe.memory.oom_killed": (f) =>
    `the kernel killed for want of memory, ${counted(f.kills, "time")} (limited by ${f.limited_by}); leave more free: ram_headroom, or a smaller ram_budget`,
  "decide.gap.opened": (f) => `this machine cannot ${promiseOf(f)}: ${gapOf(f)}`,
  "decide.gap.persists": (f) => `this machine has been unable to ${promiseOf(f)} for ${f.for_sec} s: ${gapOf(f)}`,
  "decide.gap.cleared": (f) => `this machine can keep the SLO again, after ${f.after_sec} s`,
  "decide.workers.outgrown": (f) =>
    `a worker has taken ${bytesText(f.worker_bytes)} or more for ten minutes, where grown ones took ${bytesText(f.was_bytes)}, and only ${counted(f.workers_capacity, "worker")} fit: those that take a quarter more are replaced one at a time; mend the leak, or set max_worker_memory, such as "${Math.ceil((1.5 * f.was_bytes) / 1024 ** 2)}MB"`,
  "act.worker.spawned": (f) => `worker ${f.pid} started as number ${f.process_num}`,
  "act.worker.spawn_failed": (f) => `worker number ${f.process_num} could not be started: ${f.error}`,
  "act.worker.not_serving": (f) =>
    `worker ${f.pid} does not serve the queue ${f.age_ms} ms after its start: does its app hang while it loads, or open another queue?`,
  "act.worker.adopted": (f) => `worker ${f.pid} of an earlier run taken over as number ${f.process_num}`,
  "act.worker.stray_ignored": (f) => `process ${f.pid} carries the mark of this pool but is left alone: ${f.why}`,
  "act.worker.retired": (f) => `worker ${f.pid} takes no new work and goes when it is idle`,
  "act.worker.relieved": (f) => `worker ${f.by_pid} takes the place of worker ${f.pid}, which works on until then`,
  "act.worker.recycled": (f) => `worker ${f.pid} is replaced: ${recycledText(f)}`,
  "act.worker.recalled": (f) => `worker ${f.pid} called back to work`,
  "act.worker.stop_signalled": (f) => `worker ${f.pid} told to stop with ${f.signal}`,
  "act.worker.drain_timed_out": (f) => `worker ${f.pid} had not stopped after ${f.waited_ms} ms and was killed`,
  "act.worker.unkillable": (f) => `worker ${f.pid} is still there ${f.waited_ms} ms after SIGKILL`,
  "act.worker.oom_killed": (f) =>
    `the kernel killed worker ${f.pid} for want of memory${f.last_bytes === null ? "" : ` (it had ${bytesText(f.last_bytes)} or more)`}; ${counted(f.workers_left, "worker")} left: leave more memory free (ram_headroom, or a smaller ram_budget), or limit the worker (max_worker_memory)`,
  "act.worker.exited": (f) => `worker ${f.pid} ${f.kind} after ${f.uptime_ms} ms (${exitOf(f)})`,
  "act.worker.leftovers_killed": (f) =>
    `${f.count === 1 ? "a process" : `${f.count} processes`} that worker ${f.pid} left behind ${f.count === 1 ? "was" : "were"} killed`,
  "act.spawning.backed_off": (f) =>
    `${f.consecutive_crashes} crashes in a row: nothing is spawned for ${f.delay_sec} s`,
  "act.spawning.resumed": () => "spawning goes on",
  "act.directory.unreadable": (f) => `the queue does not say who its workers are, going on without: ${f.error}`,
  "act.state.unreadable": (f) =>
    `the state file could not be read, only marked workers were found; it is kept as ${f.kept_as}: ${f.error}`,
  "act.state.unwritable": (f) => `the state file cannot be written, a successor may miss workers: ${f.error}`,
  "act.state.restored": (f) => `the state folder ${f.folder} had been deleted and was made again`,
  "act.pool.lock_lost": (f) =>
    f.adopted
      ? `process ${f.owner_pid} runs this pool now; this one lets go of it and leaves its workers alone`
      : `the state folder was deleted and process ${f.owner_pid} runs a pool of its own there; this one drains its workers and ends`,
  "act.pool.shutdown_started": (f) => `draining ${counted(f.workers, "worker")}`,
  "act.pool.shutdown_finished": (f) => `no worker is left after ${f.took_ms} ms`,
  "report.webhook.delivered": (f) => `${f.target} was told of ${f.about}`,
  "report.webhook.failing": (f) =>
    `on_event: ${f.target} takes no messages, they are tried again (${f.waiting} ${f.waiting === 1 ? "waits" : "wait"}): ${f.error}`,
  "report.webhook.recovered": (f) => `on_event: ${f.target} takes messages again`,
  "report.webhook.dropped": (f) => `on_event: ${f.target} was not told of ${f.about}: ${f.why}`,
  "app.status.serving": (f) => `metrics and status are served at http://${f.address}`,
  "app.daemon.started": (f) =>
    `version ${f.version} runs ${f.programs} of ${f.config}; memory ${f.memory_total_bytes === null ? "unknown" : bytesText(f.memory_total_bytes)} (${f.memory_limited_by}); ${f.cpus ?? "unknown"} cpus (${f.cpus_limited_by}); metrics ${f.metrics_addr ?? "off"}`,
  "app.config.warned": (f) => f.text,
  "app.service.unreachable": (f) =>
    `systemd cannot be told the state of this process (NOTIFY_SOCKET is set): ${f.error}`,
  "app.control.unavailable": (f) => `there is no control socket, so this daemon cannot be told anything: ${f.error}`,
  "app.learned.restored": (f) =>
    `begins with what was known ${f.age_sec} s ago: mu ${known(f.mu)}/s, lambda ${known(f.lambda)}/s`,
  "app.learned.discarded": (f) => `everything is learned anew, for what was written down is of no use: ${f.why}`,
  "app.learned.unwritable": (f) => `what was learned cannot be written down for the next run: ${f.error}`,
  "app.program.withdrawn": (f) =>
    `the configuration no longer has this program: ${counted(f.workers, "worker")} of an earlier run ${isOrAre(f.workers)} drained`,
  "app.workers.unclaimed": (f) =>
    `workers of an earlier run live on and no daemon has them (${f.folder}): start one whose configuration has this program, or end them: kill -TERM -- ${f.pids.replaceAll(/\d+/g, "-$&")}`,
  "app.config.reloading": (f) => `reading ${f.config} again`,
  "app.config.reloaded": (f) =>
    `${f.config} is what runs now: ${reloadOf(f)
      .filter(([names]) => names !== "")
      .map(([names, what]) => `${what} ${names}`)
      .join("; ")}`,
  "app.config.refused": (f) => `nothing was changed, what ran runs on, for the configuration was refused: ${f.error}`,
  "app.daemon.detached": (f) =>
    `detached: ${counted(f.workers, "worker")} run on, and the next daemon on this state folder takes them over`,
  "app.daemon.stopping": (f) => `stopping on ${f.signal}: every worker is drained`,
  "app.daemon.stopped": (f) => `stopped after ${f.took_ms} ms`,
};

export function messageOf<Name extends EventName>(name: Name, fields: EventFields[Name]): string {
  return MESSAGES[name](fields);
}

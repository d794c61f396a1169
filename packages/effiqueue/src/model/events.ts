/**
 * Every event of the engine and its fields: `area.thing.past_tense`, units in field names. The catalogue in
 * docs/events.md is generated from this file. DESIGN 6.1. Types only.
 */
import type { OverrideKind } from "./override.ts";
import type { RecycleReason } from "./recycling.ts";
import type { SloGoal } from "./slo.ts";

export interface EventFields {
  /** A tick took its decision. Info; in the daemon debug unless it brings news. */
  "loop.tick.decided": {
    program: string;
    /** `null`: the queue could not be read. */
    pending: number | null;
    running: number | null;
    current_workers: number;
    desired_workers: number;
    draining_workers: number;
    reason: string;
    trail: string;
    rationale: string;
    dt_sec: number;
  };
  /** A tick failed in a way no layer handled; the loop goes on. Error. */
  "loop.tick.failed": { program: string; error: string };
  /** A schedule holds from now on: it raises the floor, lowers the ceiling, or both. Info. */
  "loop.schedule.started": {
    program: string;
    schedule: string;
    /** `null`: it leaves that limit alone. */
    min_workers: number | null;
    max_workers: number | null;
    /** When it ends, ISO 8601. */
    until: string;
  };
  /** A schedule holds no longer. Info. */
  "loop.schedule.ended": { program: string; schedule: string };
  /** An operator told the program something in place of what its queue asks for. Info. */
  "loop.override.started": {
    program: string;
    override: OverrideKind;
    /** Workers that it holds at; as the pool was where the operator gave no number. */
    workers: number;
    /** When it ends, ISO 8601; `null`: when it is resumed. */
    until: string | null;
  };
  /** It holds no longer: `resumed`, `replaced` by another, or its time is over (`expired`). Info. */
  "loop.override.ended": { program: string; override: OverrideKind; why: "resumed" | "replaced" | "expired" };
  /** An operator told the program to replace its workers, one after the other. Info. */
  "loop.restart.started": { program: string; workers: number };
  /** None of them is left, or (`resumed`) those that are left stay. Info. */
  "loop.restart.ended": { program: string; why: "done" | "resumed" };
  /** The queue cannot be read; said at the first failure, on a change of cause, and as a slow reminder. Warning. */
  "observe.queue.unreadable": { program: string; error: string; for_sec: number };
  /** The queue can be read again. Info. */
  "observe.queue.recovered": { program: string; after_sec: number };
  /** Live workers publish other slots than the configuration assumes; the measured figure is used. Warning. */
  "observe.slots.mismatched": { program: string; configured_slots: number; measured_slots: number };
  /** A worker has said nothing for longer than its lease, so its jobs went to others. It may be alive: held, or blocked by a handler. Warning. */
  "observe.worker.silent": { program: string; pid: number; silent_ms: number; jobs: number };
  /** The queue is read in another way from now on, e.g. over AMQP while the management API does not answer. Warning; info on return. */
  "observe.source.switched": { program: string; source: string; preferred: boolean; why: string };
  /** Messages that are handed out cannot be seen in this way of reading, so an empty queue may still have work. Warning, once. */
  "observe.queue.unacked_invisible": { program: string; source: string };
  /** A wait is promised, and the queue does not tell how long its oldest message has waited: the promise is kept as a drain time. Warning, once. */
  "observe.queue.age_invisible": { program: string; slo_sec: number };
  /** The broker refuses to take messages because it runs short of something. Warning, on change. */
  "observe.broker.alarmed": { program: string; alarms: string };
  /** It takes messages again. Info. */
  "observe.broker.alarm_cleared": { program: string; after_sec: number };
  /** Something about the broker or the queue that makes measuring worse than it could be. Warning, on change. */
  "observe.broker.noted": { program: string; note: string };
  /** The kernel has killed processes, of workers or others, because there was no more memory. Error. */
  "observe.memory.oom_killed": { kills: number; limited_by: string };
  /** The SLO cannot be kept on this machine. Warning. */
  "decide.gap.opened": {
    program: string;
    workers_needed: number;
    workers_capacity: number;
    feasibility_gap: number;
    /** `null`: no worker was measured yet. */
    gap_gib: number | null;
    /** Seconds. */
    best_drain: number | "infinite";
    mu: number;
    lambda: number | null;
    slo_sec: number;
    /** `drain`: to empty the queue within that time; `wait`: to let no message wait longer. */
    slo_goal: SloGoal;
    bound_by: string;
  };
  /** It still cannot; a slow reminder. Warning. */
  "decide.gap.persists": {
    program: string;
    workers_needed: number;
    workers_capacity: number;
    feasibility_gap: number;
    /** `null`: no worker was measured yet. */
    gap_gib: number | null;
    /** Seconds. */
    best_drain: number | "infinite";
    mu: number;
    lambda: number | null;
    slo_sec: number;
    /** `drain`: to empty the queue within that time; `wait`: to let no message wait longer. */
    slo_goal: SloGoal;
    bound_by: string;
    for_sec: number;
  };
  /** The SLO can be kept again. Info. */
  "decide.gap.cleared": { program: string; after_sec: number };
  /** Workers grow for ever, and memory is short, so the largest are replaced one at a time. Warning, once. */
  "decide.workers.outgrown": { program: string; worker_bytes: number; was_bytes: number; workers_capacity: number };
  /** A worker process was started. Info. */
  "act.worker.spawned": { program: string; pid: number; process_num: number };
  /** A worker command could not be started at all. Error. */
  "act.worker.spawn_failed": { program: string; process_num: number; error: string };
  /** A worker has not registered with its queue long after its start: it hangs while it loads, or works for another queue. Warning, once. */
  "act.worker.not_serving": { program: string; pid: number; age_ms: number };
  /** A worker of an earlier life of this program was found alive and taken over. Info. */
  "act.worker.adopted": { program: string; pid: number; process_num: number };
  /** A process carries this pool's marker but is not provably a worker of ours; it is left alone. Warning. */
  "act.worker.stray_ignored": { program: string; pid: number; why: string };
  /** A worker was chosen to go and takes no new work, but is not signalled yet. Info. */
  "act.worker.retired": { program: string; pid: number };
  /** A worker has another in its place, and works on until that one does. Info. */
  "act.worker.relieved": { program: string; pid: number; by_pid: number };
  /** A worker has reached a limit of its own, grows for ever while memory is short, was started with another command than now, or is to be restarted, so it is drained and replaced. Info. */
  "act.worker.recycled": {
    program: string;
    pid: number;
    why: RecycleReason;
    /** Seconds, bytes or jobs; `null`: its command is another now, or it was told to go. */
    value: number | null;
    limit: number | null;
  };
  /** Load returned, so a relieved or retiring worker was called back. Info. */
  "act.worker.recalled": { program: string; pid: number };
  /** The stop signal was sent. Info. */
  "act.worker.stop_signalled": { program: string; pid: number; signal: string };
  /** The drain timeout passed; SIGKILL was sent to the group. Warning. */
  "act.worker.drain_timed_out": { program: string; pid: number; waited_ms: number };
  /** A worker is still there long after SIGKILL, or may not be signalled; the pool stops waiting for it. Error. */
  "act.worker.unkillable": { program: string; pid: number; waited_ms: number };
  /** A worker exited, for whatever reason. Info; warning for `crashed`. */
  "act.worker.exited": {
    program: string;
    pid: number;
    process_num: number;
    exit_code: number | null;
    signal: string | null;
    uptime_ms: number;
    kind: string;
  };
  /** The kernel killed a worker because there was no more memory; no crash, and fewer workers fit from now on. Error. */
  "act.worker.oom_killed": {
    program: string;
    pid: number;
    /** With its children, when memory was last looked at; `null`: unknown. It may have grown since. */
    last_bytes: number | null;
    /** Workers that are left, and that may be for now. */
    workers_left: number;
  };
  /** Processes of an exited worker's group were still alive and were killed. Warning. */
  "act.worker.leftovers_killed": { program: string; pid: number; count: number };
  /** Several crashes in a row: spawning pauses. Warning. */
  "act.spawning.backed_off": { program: string; consecutive_crashes: number; delay_sec: number };
  /** Spawning goes on after a back-off. Info. */
  "act.spawning.resumed": { program: string };
  /** The queue's word on its workers could not be had; the pool goes on without it. Warning, on change. */
  "act.directory.unreadable": { program: string; error: string };
  /** The state file was not readable and was put aside as `kept_as`: only workers that carry the pool's mark were found. Warning. */
  "act.state.unreadable": { program: string; error: string; kept_as: string };
  /** The state file could not be written: a successor may not find every worker. Error, on change. */
  "act.state.unwritable": { program: string; error: string };
  /** The state folder had been deleted under the running pool and was made again. Warning. */
  "act.state.restored": { program: string; folder: string };
  /**
   * Another process runs the pool now. It presumed this one dead and adopted the workers, so this one touches none; or (`adopted`
   * false) the folder was deleted and the other began anew, so this one drains its workers. Error.
   */
  "act.pool.lock_lost": { program: string; owner_pid: number; adopted: boolean };
  /** Every worker is being drained. Info. */
  "act.pool.shutdown_started": { program: string; workers: number };
  /** No worker is left. Info. */
  "act.pool.shutdown_finished": { program: string; took_ms: number };
  /** A message to `on_event` was taken. Debug. */
  "report.webhook.delivered": { target: string; about: string; attempts: number };
  /** Messages to `on_event` are not taken; they wait and are tried again. Warning, on change of cause. */
  "report.webhook.failing": { target: string; error: string; waiting: number };
  /** They are taken again. Info. */
  "report.webhook.recovered": { target: string };
  /** A message to `on_event` was given up. Warning. */
  "report.webhook.dropped": { target: string; about: string; why: string };
  /** Metrics and status of an autoscaler are served at this address. Info. */
  "app.status.serving": { address: string };
  /** The daemon runs. Info. */
  "app.daemon.started": {
    version: string;
    config: string;
    programs: string;
    memory_total_bytes: number | null;
    memory_limited_by: string;
    cpus: number | null;
    cpus_limited_by: string;
    metrics_addr: string | null;
  };
  /** systemd does not get what the daemon, or an autoscaler, has to tell it. Warning. */
  "app.service.unreachable": { error: string };
  /** The configuration, or the place that the daemon runs in, has something that is allowed and hardly meant. Warning. */
  "app.config.warned": { text: string };
  /** The control socket of a program cannot be had, so `effiqueue status` and the other commands do not reach the daemon by it. Warning. */
  "app.control.unavailable": { program: string; error: string };
  /** What an earlier run had learned of this queue and its workers is where this one begins. Info. */
  "app.learned.restored": {
    program: string;
    mu: number | null;
    lambda: number | null;
    worker_bytes: number | null;
    age_sec: number;
  };
  /** What an earlier run had learned cannot be believed, so everything is learned anew. Info. */
  "app.learned.discarded": { program: string; why: string };
  /** What was learned cannot be written down for the next run. Warning, on change. */
  "app.learned.unwritable": { program: string; error: string };
  /** The configuration no longer has a program that it had in an earlier run: the workers of that are drained. Info. */
  "app.program.withdrawn": { program: string; workers: number };
  /** Workers of a program that no running daemon has, and that this configuration never had: they run on, and nobody watches them. Warning. */
  "app.workers.unclaimed": { program: string; folder: string; pids: string };
  /** The daemon was told to read its configuration again. Info. */
  "app.config.reloading": { config: string };
  /** What it says is what runs. Programs by name; workers of changed commands are replaced one at a time from now on. Info. */
  "app.config.reloaded": {
    config: string;
    added: string;
    changed: string;
    removed: string;
    unchanged: string;
    took_ms: number;
  };
  /** Something is wrong with it, so nothing was changed: the one before runs on. Error. */
  "app.config.refused": { config: string; error: string };
  /** The daemon has ended and left its workers at work: the next one takes them over. Info. */
  "app.daemon.detached": { workers: number };
  /** The daemon, or an autoscaler, was told to stop and drains its workers. Info. */
  "app.daemon.stopping": { signal: string };
  /** The daemon has stopped. Info. */
  "app.daemon.stopped": { took_ms: number };
}

export type EventName = keyof EventFields;

export type EventLevel = "debug" | "info" | "warn" | "error";

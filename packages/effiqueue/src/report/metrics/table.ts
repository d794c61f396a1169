/**
 * The one table of metrics: what is registered, what docs/metrics.md says, and how each value is read off the status. A value
 * that is unknown has no series, so that nobody takes it for zero; `effiqueue_workers_needed` alone says -1, as its readers
 * expect. DESIGN 6.4. No imports at run time: the script that writes the page loads this file by itself.
 */
import type { ProgramStatus, StatusReply } from "../api-types.ts";

interface Described {
  readonly name: string;
  readonly help: string;
  /** For people. */
  readonly unit: string;
}

/** Of one program, in the label `program`. */
export type ProgramMetric = Described & {
  readonly type: "gauge" | "counter";
} & (
    | { readonly read: (program: ProgramStatus) => number | null; readonly byKind?: never }
    /** One series for each kind, in the label `kind`. */
    | { readonly byKind: (program: ProgramStatus) => Readonly<Record<string, number>>; readonly read?: never }
  );

/** Of durations in seconds, in the label `program`. */
export interface DurationMetric extends Described {
  readonly type: "histogram";
  readonly of: "tick" | "drain";
  readonly buckets: readonly number[];
}

/** Of the daemon itself. */
export type ProcessMetric = Described & {
  readonly type: "gauge" | "counter";
} & (
    | {
        readonly labels?: (status: StatusReply) => Readonly<Record<string, string>>;
        readonly read: (status: StatusReply) => number;
        readonly byKind?: never;
      }
    /** One series for each kind, in the label `kind`. */
    | { readonly byKind: (status: StatusReply) => Readonly<Record<string, number>>; readonly labels?: never }
  );

/** What only the policy with an SLO measures; in the other modes there is no such thing, not even an unknown one. */
const inSlo =
  (read: (program: ProgramStatus) => number | null) =>
  (program: ProgramStatus): number | null =>
    program.mode === "slo" && program.decision !== null ? read(program) : null;

const shareOf = (part: number | null | undefined, whole: number | null | undefined): number | null =>
  part == null || whole == null || whole === 0 ? null : part / whole;

export const PROGRAM_METRICS: readonly ProgramMetric[] = [
  {
    name: "effiqueue_up",
    type: "gauge",
    unit: "",
    help: "1 when the queue was read at the last tick, 0 when it was not or no tick has ended yet",
    read: ({ state }) => (state === "running" ? 1 : 0),
  },
  {
    name: "effiqueue_last_good_reading_age_seconds",
    type: "gauge",
    unit: "s",
    help: "Time since the queue could last be read; absent until the first time, effiqueue_up tells that",
    read: ({ state, lastGoodReadingAgeSec }) => (state === "lost" ? null : lastGoodReadingAgeSec),
  },
  {
    name: "effiqueue_workers",
    type: "gauge",
    unit: "workers",
    help: "Live workers: starting and serving",
    read: ({ workers }) => workers && workers.current,
  },
  {
    name: "effiqueue_workers_starting",
    type: "gauge",
    unit: "workers",
    help: "Workers that were spawned and do not take work yet",
    read: ({ workers }) => workers && workers.starting,
  },
  {
    name: "effiqueue_workers_draining",
    type: "gauge",
    unit: "workers",
    help: "Workers that were chosen to go and are not gone; no part of effiqueue_workers",
    read: ({ workers }) => workers && workers.draining,
  },
  {
    name: "effiqueue_workers_desired",
    type: "gauge",
    unit: "workers",
    help: "Live workers that the last decision asked for",
    read: ({ decision }) => decision && decision.desiredWorkers,
  },
  {
    name: "effiqueue_workers_min",
    type: "gauge",
    unit: "workers",
    help: "The floor that holds now, schedules included",
    read: ({ state, minWorkers }) => (state === "lost" ? null : minWorkers),
  },
  {
    name: "effiqueue_workers_max",
    type: "gauge",
    unit: "workers",
    help: "The ceiling that holds now, schedules included",
    read: ({ state, maxWorkers }) => (state === "lost" ? null : maxWorkers),
  },
  {
    name: "effiqueue_schedules_active",
    type: "gauge",
    unit: "schedules",
    help: "Schedules that hold now",
    read: ({ state, schedules }) => (state === "lost" ? null : schedules.length),
  },
  {
    name: "effiqueue_override_active",
    type: "gauge",
    unit: "",
    help: "1 for what an operator has told the program: pause, pause-in, pause-out, scale, drain; and restart while one is under way",
    byKind: ({ override, restart }) => ({
      ...(override === null ? {} : { [override.kind]: 1 }),
      ...(restart === null ? {} : { restart: 1 }),
    }),
  },
  {
    name: "effiqueue_workers_needed",
    type: "gauge",
    unit: "workers",
    help: "Workers that the SLO takes before any limit; -1: not measured yet. Mode slo only",
    read: inSlo(({ decision }) => decision?.neededWorkers ?? -1),
  },
  {
    name: "effiqueue_workers_capacity",
    type: "gauge",
    unit: "workers",
    help: "Workers that this machine and max_workers allow",
    read: ({ decision }) => decision && decision.capacityWorkers,
  },
  {
    name: "effiqueue_capacity_bound",
    type: "gauge",
    unit: "",
    help: "1 for the kind of limit that effiqueue_workers_capacity comes from: ram, swap and pressure (the brake is on), oom (the kernel killed), max_workers, cpu, downstream, single-consumer",
    byKind: ({ decision }) => (decision?.capacityWorkers == null ? {} : { [decision.boundBy]: 1 }),
  },
  {
    name: "effiqueue_feasibility_gap",
    type: "gauge",
    unit: "workers",
    help: "Workers that are needed and do not fit: above 0 this machine cannot keep the SLO. Mode slo only",
    read: inSlo(({ decision }) => (decision?.neededWorkers == null ? null : (decision.gap?.workers ?? 0))),
  },
  {
    name: "effiqueue_best_drain_seconds",
    type: "gauge",
    unit: "s",
    help: "Time to empty the queue with all the capacity, while there is a gap; +Inf: never",
    read: inSlo(({ decision }) => {
      const best = decision?.gap?.bestDrainSec ?? null;
      return best === "infinite" ? Number.POSITIVE_INFINITY : best;
    }),
  },
  {
    name: "effiqueue_slo_drain_seconds",
    type: "gauge",
    unit: "s",
    help: "Time in which the queue is promised to empty. Mode slo with slo_drain_time only",
    read: ({ sloGoal, sloSec }) => (sloGoal === "drain" ? sloSec : null),
  },
  {
    name: "effiqueue_slo_wait_seconds",
    type: "gauge",
    unit: "s",
    help: "Time that a message is promised to wait at most. Mode slo with slo_wait_time only",
    read: ({ sloGoal, sloSec }) => (sloGoal === "wait" ? sloSec : null),
  },
  {
    name: "effiqueue_backlog",
    type: "gauge",
    unit: "messages",
    help: "Messages that wait or are handed out; those that wait alone where the others cannot be seen",
    read: ({ queue }) => queue && queue.backlog,
  },
  {
    name: "effiqueue_backlog_ready",
    type: "gauge",
    unit: "messages",
    help: "Messages that wait",
    read: ({ queue }) => queue && queue.ready,
  },
  {
    name: "effiqueue_backlog_unacked",
    type: "gauge",
    unit: "messages",
    help: "Messages that are handed out and not acknowledged; absent where they cannot be seen",
    read: ({ queue }) => queue && queue.unacked,
  },
  {
    name: "effiqueue_oldest_age_seconds",
    type: "gauge",
    unit: "s",
    help: "How long the oldest waiting message has waited; absent where nothing waits or the queue cannot tell",
    read: ({ queue }) => queue && queue.oldestAgeSec,
  },
  {
    name: "effiqueue_mu",
    type: "gauge",
    unit: "messages/s",
    help: "Rate at which one worker with work finishes messages. Mode slo only",
    read: inSlo(({ decision }) => decision?.muPerSec ?? null),
  },
  {
    name: "effiqueue_lambda",
    type: "gauge",
    unit: "messages/s",
    help: "Rate at which messages arrive. Mode slo only",
    read: inSlo(({ decision }) => decision?.lambdaPerSec ?? null),
  },
  {
    name: "effiqueue_mu_low",
    type: "gauge",
    unit: "messages/s",
    help: "Lower end of the 95% interval of effiqueue_mu. Mode slo only",
    read: inSlo(({ decision }) => decision?.muIntervalPerSec?.low ?? null),
  },
  {
    name: "effiqueue_mu_high",
    type: "gauge",
    unit: "messages/s",
    help: "Upper end of the 95% interval of effiqueue_mu. Mode slo only",
    read: inSlo(({ decision }) => decision?.muIntervalPerSec?.high ?? null),
  },
  {
    name: "effiqueue_lambda_low",
    type: "gauge",
    unit: "messages/s",
    help: "Lower end of the 95% interval of effiqueue_lambda. Mode slo only",
    read: inSlo(({ decision }) => decision?.lambdaIntervalPerSec?.low ?? null),
  },
  {
    name: "effiqueue_lambda_high",
    type: "gauge",
    unit: "messages/s",
    help: "Upper end of the 95% interval of effiqueue_lambda. Mode slo only",
    read: inSlo(({ decision }) => decision?.lambdaIntervalPerSec?.high ?? null),
  },
  {
    name: "effiqueue_mu_source",
    type: "gauge",
    unit: "",
    help: "Where effiqueue_mu is from: 0 nowhere yet, 1 the rates of the broker, 2 regression. Mode slo only",
    read: inSlo(({ decision }) => decision?.muSource ?? null),
  },
  {
    name: "effiqueue_probing",
    type: "gauge",
    unit: "",
    help: "1 while the pool is held one below its limit to learn mu. Mode slo only",
    read: inSlo(({ decision }) => (decision?.probing === true ? 1 : 0)),
  },
  {
    name: "effiqueue_estimator_spread",
    type: "gauge",
    unit: "workers squared",
    help: "How far the worker counts of the regression spread (its Sxx); absent while rates of the broker make it needless",
    read: inSlo(({ decision }) => decision?.spread ?? null),
  },
  {
    name: "effiqueue_worker_memory_bytes",
    type: "gauge",
    unit: "bytes",
    help: "Memory of the largest live worker with its children",
    read: ({ memory }) => memory && memory.workerBytes,
  },
  {
    name: "effiqueue_worker_reserved_bytes",
    type: "gauge",
    unit: "bytes",
    help: "Memory that is reserved for each worker: what one takes once it has grown",
    read: ({ memory }) => memory && memory.reservedBytes,
  },
  {
    name: "effiqueue_pool_memory_bytes",
    type: "gauge",
    unit: "bytes",
    help: "Memory of all workers, the draining ones included",
    read: ({ memory }) => memory && memory.poolBytes,
  },
  {
    name: "effiqueue_ram_budget_bytes",
    type: "gauge",
    unit: "bytes",
    help: "Memory that the workers of the program may take together",
    read: ({ memory }) => memory && memory.budgetBytes,
  },
  {
    name: "effiqueue_swap_used_ratio",
    type: "gauge",
    unit: "",
    help: "Share of the machine's swap that is in use; absent without swap",
    read: ({ memory }) => shareOf(memory?.swapUsedBytes, memory?.swapTotalBytes),
  },
  {
    name: "effiqueue_memory_pressure_ratio",
    type: "gauge",
    unit: "",
    help: "Share of the last ten seconds in which somebody waited for memory; absent where the kernel keeps no account",
    read: ({ memory }) => memory && memory.pressure,
  },
  {
    name: "effiqueue_cpus",
    type: "gauge",
    unit: "processors",
    help: "Processors that may be used: those of the machine, or what the quota of a control group is worth",
    read: ({ cpus }) => cpus && cpus.count,
  },
  {
    name: "effiqueue_cpu_busy_ratio",
    type: "gauge",
    unit: "",
    help: "Share of those processors that was in use by anybody between the last two looks",
    read: ({ cpus }) => cpus && cpus.busyShare,
  },
  {
    name: "effiqueue_spawn_backoff_seconds",
    type: "gauge",
    unit: "s",
    help: "Time until crashed workers are replaced again, as of the last tick; 0: at once",
    read: ({ spawnBackoffSec }) => spawnBackoffSec,
  },
  {
    name: "effiqueue_scale_up_total",
    type: "counter",
    unit: "decisions",
    help: "Decisions that asked for more workers than the one before; replacing a dead worker is none",
    read: ({ totals }) => totals.scaleUps,
  },
  {
    name: "effiqueue_scale_down_total",
    type: "counter",
    unit: "decisions",
    help: "Decisions that asked for fewer workers than the one before",
    read: ({ totals }) => totals.scaleDowns,
  },
  {
    name: "effiqueue_probe_total",
    type: "counter",
    unit: "decisions",
    help: "Steps down that were taken only to learn mu",
    read: ({ totals }) => totals.probes,
  },
  {
    name: "effiqueue_crashes_total",
    type: "counter",
    unit: "crashes",
    help: "Workers that exited unasked and too young, and commands that could not be started",
    read: ({ totals }) => totals.crashes,
  },
  {
    name: "effiqueue_oom_kills_total",
    type: "counter",
    unit: "workers",
    help: "Workers that the kernel killed for want of memory; they are no crashes",
    read: ({ totals }) => totals.exits["oom-killed"] ?? 0,
  },
  {
    name: "effiqueue_workers_recycled_total",
    type: "counter",
    unit: "workers",
    help: "Workers that were replaced for their own sake, by kind: age, memory, outgrown (grows for ever, while memory is short), jobs, changed (another command), restart (an operator said so); among the exits they are stopped",
    byKind: ({ totals }) => totals.recycled,
  },
  {
    name: "effiqueue_worker_exits_total",
    type: "counter",
    unit: "workers",
    help: "Workers that ended, by kind: stopped, killed (did not stop in time), crashed (too young), exited (unasked), oom-killed (by the kernel)",
    byKind: ({ totals }) => totals.exits,
  },
  {
    name: "effiqueue_observe_errors_total",
    type: "counter",
    unit: "ticks",
    help: "Ticks at which the queue could not be read, by kind of trouble",
    byKind: ({ totals }) => totals.observeErrors,
  },
];

export const DURATION_METRICS: readonly DurationMetric[] = [
  {
    name: "effiqueue_drain_seconds",
    type: "histogram",
    of: "drain",
    unit: "s",
    help: "From the stop signal to the end of a worker",
    buckets: [0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600],
  },
  {
    name: "effiqueue_tick_seconds",
    type: "histogram",
    of: "tick",
    unit: "s",
    help: "From the beginning of a tick to its end",
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  },
];

export const PROCESS_METRICS: readonly ProcessMetric[] = [
  {
    name: "effiqueue_build_info",
    type: "gauge",
    unit: "",
    help: "Always 1; the label says which version runs",
    labels: ({ version }) => ({ version }),
    read: () => 1,
  },
  {
    name: "effiqueue_notifications_total",
    type: "counter",
    unit: "messages",
    help: "Messages to on_event, by kind: delivered, dropped (too many waited, refused, or not taken for an hour)",
    byKind: ({ notifications }) => ({ ...notifications }),
  },
  {
    name: "effiqueue_config_last_reload_successful",
    type: "gauge",
    unit: "",
    help: "1 when the configuration that was read last is the one that runs, 0 when it was refused",
    read: ({ reload }) => (reload.successful ? 1 : 0),
  },
  {
    name: "effiqueue_config_last_reload_success_timestamp_seconds",
    type: "gauge",
    unit: "s",
    help: "Since when the configuration that runs does, in seconds since 1970",
    read: ({ reload }) => Date.parse(reload.lastSuccessAt) / 1000,
  },
  {
    name: "process_resident_memory_bytes",
    type: "gauge",
    unit: "bytes",
    help: "Memory of the daemon itself",
    read: () => process.memoryUsage.rss(),
  },
  {
    name: "process_cpu_seconds_total",
    type: "counter",
    unit: "s",
    help: "Processor time of the daemon itself",
    read: () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1e6;
    },
  },
];

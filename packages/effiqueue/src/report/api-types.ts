/**
 * What `/api/status` and `/api/decisions` answer: one shape for the page, the metrics, `explain` and `top`. Units are in the
 * names; `null` is unknown, never zero; stamps are ISO 8601. Fields may be added, `apiVersion` rises when one changes. DESIGN 6.5.
 * Types only.
 */
import type { Action, BoundBy, Interval, MuSource, ReasonCode } from "../model/decision.ts";
import type { Mode } from "../model/keys.ts";
import type { OverrideKind } from "../model/override.ts";
import type { RecycleReason } from "../model/recycling.ts";
import type { SloGoal } from "../model/slo.ts";
import type { Settings } from "./spelling.ts";

export interface StatusReply {
  readonly apiVersion: 1;
  /** Of the daemon. */
  readonly version: string;
  readonly now: string;
  readonly startedAt: string;
  readonly uptimeSec: number;
  readonly pollIntervalSec: number;
  /** Messages to `on_event` since the daemon started. */
  readonly notifications: Notifications;
  /** The configuration that runs. */
  readonly reload: ReloadStatus;
  readonly programs: readonly ProgramStatus[];
}

interface Notifications {
  readonly delivered: number;
  /** Too many waited, the address refused them, or nobody took them for an hour. */
  readonly dropped: number;
}

export interface ReloadStatus {
  /** What was read last is what runs; at the start it is. */
  readonly successful: boolean;
  /** Since when that runs. */
  readonly lastSuccessAt: string;
  /** What was wrong with the file that was read last; `null`: nothing. */
  readonly error: string | null;
}

export interface ProgramStatus {
  readonly program: string;
  /** How what can be set is called where the program is run. Absent: by the keys of the daemon's file. */
  readonly settings?: Settings | undefined;
  readonly mode: Mode;
  /** As they hold now, schedules included. */
  readonly minWorkers: number;
  readonly maxWorkers: number;
  /** `null`: the pool follows its queue. */
  readonly override: OverrideStatus | null;
  /** `null`: none is under way. */
  readonly restart: RestartStatus | null;
  /** Those that hold now. */
  readonly schedules: readonly ScheduleStatus[];
  /** `null` in the modes without an SLO. */
  readonly sloSec: number | null;
  /** drain: the queue is empty within `sloSec`; wait: no message waits longer. `null` as above. */
  readonly sloGoal: SloGoal | null;
  /**
   * - starting: no tick has ended yet;
   * - running: the queue was read at the last tick;
   * - unreadable: it was not, so the pool is held;
   * - lost: another process runs the pool now, nothing here is known of it any more.
   */
  readonly state: "starting" | "running" | "unreadable" | "lost";
  readonly lastTickAt: string | null;
  readonly lastTickAgeSec: number | null;
  readonly lastTickTookSec: number | null;
  /** Seconds since the queue could last be read; `null`: never yet. */
  readonly lastGoodReadingAgeSec: number | null;
  readonly unreadable: Unreadable | null;
  /** `null` while it cannot be read. */
  readonly queue: QueueStatus | null;
  /** The pool after the last decision. */
  readonly workers: WorkersStatus | null;
  readonly memory: MemoryStatus | null;
  readonly cpus: CpuStatus | null;
  /** Seconds until crashed workers are replaced again; 0: at once. */
  readonly spawnBackoffSec: number | null;
  readonly decision: DecisionEntry | null;
  /** The worker that was replaced for its own sake last. */
  readonly recycled: RecycledStatus | null;
  readonly totals: Totals;
}

interface ScheduleStatus {
  readonly name: string;
  /** `null`: it leaves that limit alone. */
  readonly minWorkers: number | null;
  readonly maxWorkers: number | null;
  readonly until: string;
}

export interface Unreadable {
  /** One of a small fixed set. */
  readonly code: string;
  /** Never holds a credential. */
  readonly message: string;
}

/** Messages, and messages/s as the broker counts them. */
interface QueueStatus {
  readonly backlog: number;
  readonly ready: number;
  /** `null`: cannot be seen, and the backlog is what is ready alone. */
  readonly unacked: number | null;
  readonly ackPerSec: number | null;
  readonly publishPerSec: number | null;
  /** Messages finished, and arrived, as far back as the broker counts; one that falls was reset. */
  readonly ackedTotal: number | null;
  readonly publishedTotal: number | null;
  readonly consumers: number | null;
  readonly oldestAgeSec: number | null;
}

interface WorkersStatus {
  /** starting + serving */
  readonly current: number;
  readonly starting: number;
  readonly serving: number;
  readonly draining: number;
}

/** The processors that we may use. */
interface CpuStatus {
  readonly count: number | null;
  /** Share of them that is in use by anybody, in [0, 1]. */
  readonly busyShare: number | null;
  /** `host`, `affinity`, or the control group whose quota it is. */
  readonly limitedBy: string;
}

export interface MemoryStatus {
  readonly totalBytes: number | null;
  /** What the total is the limit of: `host`, or a control group. */
  readonly limitedBy: string | null;
  readonly usedBytes: number | null;
  readonly swapTotalBytes: number | null;
  readonly swapUsedBytes: number | null;
  /** Share of time in which somebody waited for memory, in [0, 1]. */
  readonly pressure: number | null;
  /** All workers of the program, the draining ones included. */
  readonly poolBytes: number | null;
  /** The largest live worker. */
  readonly workerBytes: number | null;
  /** What is reserved for each worker; `null` while none was measured. */
  readonly reservedBytes: number | null;
  /** What the program may take. */
  readonly budgetBytes: number | null;
}

/** Ticks in a row that came to the same action, number and reason, with the figures of the last of them. */
export interface DecisionEntry {
  readonly firstAt: string;
  readonly lastAt: string;
  readonly times: number;
  readonly currentWorkers: number;
  readonly desiredWorkers: number;
  readonly action: Action;
  readonly reason: ReasonCode;
  /** Reasons that a later rule replaced, first to last. */
  readonly trail: readonly ReasonCode[];
  readonly rationale: string;
  readonly ready: number | null;
  readonly unacked: number | null;
  readonly unreadable: Unreadable | null;
  readonly neededWorkers: number | null;
  /** `null`: a policy that knows no limit. */
  readonly capacityWorkers: number | null;
  readonly boundBy: BoundBy;
  readonly gap: GapStatus | null;
  readonly muPerSec: number | null;
  readonly lambdaPerSec: number | null;
  /** Where each of them lies with 95% confidence; `null` where nobody can tell. */
  readonly muIntervalPerSec: Interval | null;
  readonly lambdaIntervalPerSec: Interval | null;
  readonly muSource: MuSource;
  readonly probing: boolean;
  readonly spread: number | null;
  readonly memory: MemoryStatus | null;
  readonly spawnBackoffSec: number;
}

export interface GapStatus {
  readonly workers: number;
  readonly bytes: number | null;
  /** JSON has no infinity. */
  readonly bestDrainSec: number | "infinite";
}

/** Figures in seconds, bytes or jobs; `null` for `changed` and `restart`. */
interface RecycledStatus {
  readonly at: string;
  readonly pid: number;
  readonly why: RecycleReason;
  readonly value: number | null;
  readonly limit: number | null;
}

/** What an operator told the program. */
interface OverrideStatus {
  readonly kind: OverrideKind;
  /** That it holds at. */
  readonly workers: number;
  readonly since: string;
  /** `null`: until it is resumed. */
  readonly until: string | null;
}

/** Workers that are replaced one after the other because an operator said so. */
interface RestartStatus {
  readonly since: string;
  /** There were when it began. */
  readonly workers: number;
  readonly replaced: number;
}

/** Since the daemon started. */
export interface Totals {
  readonly scaleUps: number;
  readonly scaleDowns: number;
  readonly probes: number;
  /** Workers that exited too young, and commands that could not be started. */
  readonly crashes: number;
  /** Workers that were replaced for their own sake, by why: age, memory, jobs, changed, restart. */
  readonly recycled: Readonly<Record<string, number>>;
  /** By kind: stopped, killed, crashed, exited, oom-killed. */
  readonly exits: Readonly<Record<string, number>>;
  /** Ticks without a reading, by code. */
  readonly observeErrors: Readonly<Record<string, number>>;
}

export interface DecisionsReply {
  readonly apiVersion: 1;
  readonly programs: readonly ProgramDecisions[];
}

export interface ProgramDecisions {
  readonly program: string;
  /** Oldest first. */
  readonly decisions: readonly DecisionEntry[];
}

/** What a chart shows of one tick. */
export interface HistoryPoint {
  readonly runningWorkers: number | null;
  readonly drainingWorkers: number | null;
  readonly desiredWorkers: number | null;
  readonly neededWorkers: number | null;
  readonly capacityWorkers: number | null;
  readonly backlog: number | null;
  readonly lambdaPerSec: number | null;
  readonly muPerSec: number | null;
  readonly finishedPerSec: number | null;
  readonly poolBytes: number | null;
  readonly budgetBytes: number | null;
  readonly usedBytes: number | null;
}

export type HistoryColumn = keyof HistoryPoint;

/** The last hour of one program, for charts: columns of equal length, oldest first. */
export interface HistoryReply {
  readonly apiVersion: 1;
  readonly program: string;
  readonly now: string;
  readonly spanSec: number;
  /** How long before `now`. */
  readonly ageSec: readonly number[];
  /** Fractions are rounded to six digits. */
  readonly columns: Readonly<Record<HistoryColumn, readonly (number | null)[]>>;
}

/** Any reply that is not what was asked for. */
export interface ErrorReply {
  readonly error: string;
}

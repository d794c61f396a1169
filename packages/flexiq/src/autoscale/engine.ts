/**
 * What a controller runs once it is opened: queue, pool and loop, each knowing the others only through ports. DESIGN 11.1, 11.2.
 */
import {
  type Clock,
  ControlLoop,
  createLogger,
  DEFAULT_MIN_UPTIME_MS,
  type EventFields,
  Fanout,
  hearing,
  hostMemoryProbe,
  type Logger,
  logReporter,
  type ManagedPool,
  msToSec,
  type NotifyTarget,
  openWorkerPool,
  PoolError,
  type ProgramOptions,
  parseSize,
  type RecycleLimits,
  secToMs,
  systemClock,
  systemLacks,
  type WorkerCommand,
  type WorkerPoolOptions,
  type WorkerSettings,
} from "effiqueue";
import { crashBackoff, hpaPolicy, programPolicy } from "effiqueue/decide";
import { FlexiqError } from "../errors.ts";
import type { Store } from "../store/store.ts";
import { openBackend } from "./backend.ts";
import { type AutoscaleConfig, hpaConfigOf } from "./config.ts";
import { SETTINGS } from "./fields.ts";
import { learningOf } from "./learning.ts";
import type { StatsQueue } from "./queue-source.ts";
import { calendarOf } from "./schedules.ts";
import { hpaProgramOf, sloProgramOf } from "./slo.ts";
import { workerCommand } from "./worker-command.ts";

export interface ControllerOptions {
  /** Gets a record per event, one of them per tick. Default: `flexiq.autoscale` on standard error. */
  readonly logger?: Logger;
  readonly clock?: Clock;
  /** Folder of the lock and the list of workers. Default: `DBPATH.autoscale`; for a queue that is not flexiq's: none, and no adoption. */
  readonly stateDir?: string;
  /** What the workers are, where they are not `flexiq worker --app APPPATH`. */
  readonly command?: WorkerCommand;
  /** Added to the environment of the workers; `undefined` removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Where the workers' output goes. Default: where this process's goes. */
  readonly output?: NonNullable<WorkerSettings["output"]>;
  /** Where systemd wants to hear from this process (`takeNotifyTarget`). Default: nowhere. */
  readonly notify?: NotifyTarget | null;
}

/** What a controller must hear of, whatever the log level. */
export interface EngineEvents {
  onExit(fields: EventFields["act.worker.exited"]): void;
  onLockLost(fields: EventFields["act.pool.lock_lost"]): void;
}

export interface Engine {
  readonly loop: ControlLoop;
  readonly pool: ManagedPool;
  /** `null`: the queue is not flexiq's. */
  readonly store: Store | null;
  /** Whoever is added hears of ticks and events from then on. */
  readonly reporter: Fanout;
}

/** @throws FlexiqError what opening the queue says, `locked-by-other`, or `cannot-open` for the state folder */
export function openEngine(
  queue: StatsQueue,
  config: AutoscaleConfig,
  options: ControllerOptions,
  events: EngineEvents,
): Engine {
  const clock = options.clock ?? systemClock;
  const program = config.appPath;
  let isOurs = true;
  // Exits are heard of as events, so that `reapDead` and the loop cannot take them from each other.
  const heard = hearing({
    "act.worker.exited": (fields) => events.onExit(fields),
    "act.pool.lock_lost": (fields) => {
      isOurs = false;
      events.onLockLost(fields);
    },
  });
  const logger = options.logger ?? createLogger({ name: "flexiq.autoscale" });
  const reporter = new Fanout(logReporter(logger, { settings: SETTINGS }), heard);
  for (const text of systemLacks) reporter.emit("app.config.warned", { text });
  const backend = openBackend(queue, clock, config.mode, ({ pid, jobs, silentMs }) =>
    reporter.emit("observe.worker.silent", { program, pid, jobs, silent_ms: Math.round(silentMs) }),
  );
  const command = options.command ?? workerCommand(config.appPath);
  const stateDir = options.stateDir ?? backend.stateDir;
  const worker: WorkerSettings = {
    command: { ...command, env: { ...backend.env, ...command.env, ...options.env } },
    ...(options.output === undefined ? {} : { output: options.output }),
  };
  const memory = hostMemoryProbe({ reporter });
  const pool = openPool({
    program,
    worker: () => worker,
    drainTimeoutMs: secToMs(config.drainTimeoutSec),
    backoff: crashBackoff,
    clock,
    reporter,
    oomKills: memory,
    ...(stateDir === undefined ? {} : { stateDir }),
    ...(backend.directory === undefined ? {} : { directory: backend.directory }),
  });
  const sizing = sizingOf(config, queue.workers);
  const of = [worker.command, sizing.slotsPerWorker];
  const isMeasuring = config.mode === "slo" || hasBudget(config);
  const learns = isMeasuring && stateDir !== undefined;
  const learning = learns && learningOf({ program, folder: stateDir, of }, { clock, reporter }, () => isOurs);
  const loop = new ControlLoop({
    programs: [{ program, source: backend.source, pool, recycle: limitsOf(config), ...sizing, ...learning }],
    clock,
    reporter,
    pollIntervalMs: secToMs(config.pollIntervalSec),
    listener: reporter,
    // To look at it costs: a promise is kept within the memory there is, and large workers are found by it; else mode hpa is what it is elsewhere.
    ...(isMeasuring || config.maxWorkerMemory !== undefined ? { memory } : {}),
  });
  return { loop, pool, store: backend.store, reporter };
}

const limitsOf = ({ maxWorkerAgeSec, maxWorkerMemory, maxWorkerJobs }: AutoscaleConfig): RecycleLimits => ({
  maxAgeSec: maxWorkerAgeSec,
  maxBytes: maxWorkerMemory === undefined ? undefined : parseSize(maxWorkerMemory),
  maxJobs: maxWorkerJobs,
  minAgeSec: msToSec(DEFAULT_MIN_UPTIME_MS),
});

const hasBudget = ({ ramBudget, ramHeadroom }: AutoscaleConfig): boolean => (ramBudget ?? ramHeadroom) !== undefined;

/** The policy of the mode, and what the loop says of it. */
function sizingOf(
  config: AutoscaleConfig,
  queueSlots: number | undefined,
): Pick<ProgramOptions, "policy" | "limits" | "calendar" | "slotsPerWorker"> {
  const hpa = hpaConfigOf(config, queueSlots);
  const slotsPerWorker = hpa.threadsPerWorker;
  const calendar = calendarOf(config.schedules);
  if (config.mode === "hpa") {
    const { mode, minWorkers, maxWorkers } = config;
    const limits = { mode, minWorkers, maxWorkers, sloDrainTime: undefined };
    const policy = hasBudget(config) ? programPolicy(hpaProgramOf(config, hpa)) : hpaPolicy(hpa);
    return { policy, limits, calendar, slotsPerWorker };
  }
  const program = sloProgramOf(config);
  return { policy: programPolicy(program), limits: program, calendar, slotsPerWorker };
}

/** The pool's refusals in the terms of this package, so that callers and exit codes know one kind of error. */
function openPool(options: WorkerPoolOptions): ManagedPool {
  try {
    return openWorkerPool(options);
  } catch (error) {
    if (!(error instanceof PoolError)) throw error;
    const code = error.code === "pool-locked" ? "locked-by-other" : "cannot-open";
    throw new FlexiqError(code, error.message, error.cause === undefined ? {} : { cause: error.cause });
  }
}

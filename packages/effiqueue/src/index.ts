/**
 * The engine for embedding: worker pool, control loop, events, process identity. The pure policies are `effiqueue/decide`.
 * DESIGN 1.4.
 */

export {
  PoolClosedError,
  PoolError,
  type PoolErrorCode,
  PoolLockedError,
  SpawnError,
  StateFolderError,
  UserError,
} from "./act/errors.ts";
export { makeFolder } from "./act/make-folder.ts";
export {
  DEFAULT_MIN_UPTIME_MS,
  type OutputTarget,
  type WorkerCommand,
  type WorkerPoolOptions,
  type WorkerSettings,
  type WorkerUser,
} from "./act/options.ts";
export { identityOf, isHeld, type Liveness, livenessOf, ownIdentity, thisMachine } from "./act/platform/identity.ts";
export { systemLacks } from "./act/platform/this-system.ts";
export { type ManagedPool, openWorkerPool } from "./act/pool.ts";
export { workerUser } from "./act/user.ts";
export { Fanout, hearing, type Listener } from "./app/fanout.ts";
export { type Learner, learnedBefore, learnedKeeper } from "./app/learning.ts";
export { type ServiceNotifier, serviceNotifier } from "./app/service-manager/index.ts";
export { warnOfStopLimit } from "./app/service-manager/stop-limit.ts";
export { type NotifyTarget, takeNotifyTarget } from "./app/service-manager/target.ts";
export { onStopRequest } from "./app/stop-requests.ts";
export { openCalendar } from "./config/calendar.ts";
export { readSchedules, type ScheduleFault } from "./config/schedules.ts";
export { systemClock } from "./loop/clock.ts";
export { ControlLoop, type ControlLoopOptions } from "./loop/control-loop.ts";
export type { OverrideOrder } from "./loop/overruling.ts";
export type { ProgramOptions } from "./loop/program-options.ts";
export type { TickResult } from "./loop/program-pass.ts";
export type { Action, Decision, ReasonCode } from "./model/decision.ts";
export { errorMessages, errorStacks } from "./model/error-chain.ts";
export type { EventFields, EventLevel, EventName } from "./model/events.ts";
export { isHostName, parseAddress } from "./model/kinds.ts";
export type { MachineReading } from "./model/machine.ts";
export { nearest } from "./model/nearest.ts";
export type { Observation, QueueReading, WorkersReading } from "./model/observation.ts";
export type { Override, OverrideKind } from "./model/override.ts";
export type {
  BackoffPolicy,
  BackoffState,
  BudgetClaim,
  BudgetPolicy,
  Calendar,
  Clock,
  MemoryProbe,
  Policy,
  QueueSource,
  Reporter,
  TickListener,
  WorkerDirectory,
  WorkerPool,
} from "./model/ports.ts";
export { parseSize } from "./model/quantities.ts";
export type { Reading } from "./model/reading.ts";
export type { RecycleLimits } from "./model/recycling.ts";
export type { ActiveSpan, Limits, Schedule } from "./model/schedule.ts";
export type { TickRecord } from "./model/tick-record.ts";
export { visible, visibleLines } from "./model/visible.ts";
export type {
  PoolCounts,
  ProcessIdentity,
  WorkerExit,
  WorkerSnapshot,
  WorkerState,
  WorkerView,
} from "./model/worker.ts";
export { type HostMemoryOptions, type HostMemoryProbe, hostMemoryProbe } from "./observe/host/index.ts";
export { EVENT_LEVELS, levelOf } from "./report/levels.ts";
export { logReporter } from "./report/log-reporter.ts";
export { createLogger, LOG_LEVELS, type Logger, type LoggerOptions, type LogLevel } from "./report/logger.ts";
export { messageOf } from "./report/messages.ts";
export {
  MAX_TIMER_MS,
  type MonotonicMs,
  monotonicMs,
  msToSec,
  secToMs,
  timerMs,
  type WallMs,
  wallMs,
} from "./units.ts";

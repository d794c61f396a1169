/** The embedded task queue: `Queue`, its jobs and its errors. The autoscaler is `flexiq/autoscale`. DESIGN 9. */
export { FlexiqError, type FlexiqErrorCode } from "./errors.ts";
export type { JobState } from "./lifecycle.ts";
export type * from "./model.ts";
export { type Call, Queue } from "./queue.ts";
export type { QueueOptions } from "./queue-options.ts";
export type { DriverName, StoreOptions, TimeSource } from "./store/options.ts";
export { Store } from "./store/store.ts";
export type { CancelOutcome, JobFilter, PurgeFilter, QueueInfo, Reclaimed } from "./store/types.ts";
export { Task } from "./task.ts";
export { currentJob, NonRetryableError } from "./worker/context.ts";
export { type RunWorkerOptions, runWorker } from "./worker/run-worker.ts";

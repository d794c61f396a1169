/**
 * The autoscaler of flexiq: as many worker processes as the queue needs, on one machine. Public as `flexiq/autoscale`.
 * DESIGN 11.
 */
export { type NotifyTarget, takeNotifyTarget } from "effiqueue";
export { AutoscaleConfig } from "./config.ts";
export { AutoscaleController, serveAutoscaler } from "./controller.ts";
export { computeDesiredWorkers, type ScaleDecision, type ScaleLoad } from "./desired.ts";
export type { ControllerOptions } from "./engine.ts";
export type { AutoscaleMode, AutoscaleOptions } from "./options.ts";
export { ProcessManager } from "./process-manager.ts";
export type { QueueCounts, StatsQueue } from "./queue-source.ts";

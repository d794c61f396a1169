/**
 * The metrics of a queue of flexiq: what is served, what docs/metrics.md says, and how each is read off the census of the file.
 * DESIGN 11.5. No imports at run time: the script that writes the page loads this file by itself.
 */
import type { MetricFamily, MetricSample } from "effiqueue/status";
import type { Census } from "../model.ts";

export interface QueueMetric {
  readonly name: string;
  readonly type: MetricFamily["type"];
  readonly help: string;
  /** For people. */
  readonly unit: string;
  /** Beside `program`. */
  readonly label?: "state" | "outcome";
  readonly read: (census: Census) => readonly MetricSample[];
}

const one = (value: number | null): MetricSample[] => (value === null ? [] : [{ labels: {}, value }]);

export const QUEUE_METRICS: readonly QueueMetric[] = [
  {
    name: "flexiq_jobs",
    type: "gauge",
    unit: "jobs",
    label: "state",
    help: "Jobs in the file by state: scheduled, pending (due), running, failed (waits for its retry), completed, dead, cancelled",
    read: ({ jobs }) => Object.entries(jobs).map(([state, value]) => ({ labels: { state }, value })),
  },
  {
    name: "flexiq_oldest_pending_seconds",
    type: "gauge",
    unit: "s",
    help: "Time that the oldest pending job has been due; absent while none is pending",
    read: ({ oldestPendingAgeSec }) => one(oldestPendingAgeSec),
  },
  {
    name: "flexiq_jobs_enqueued_total",
    type: "counter",
    unit: "jobs",
    help: "Jobs ever enqueued in this file",
    read: ({ enqueued }) => one(enqueued),
  },
  {
    name: "flexiq_jobs_completed_total",
    type: "counter",
    unit: "jobs",
    help: "Jobs ever completed in this file",
    read: ({ runs }) => one(runs.completed.count),
  },
  {
    name: "flexiq_run_failures_total",
    type: "counter",
    unit: "runs",
    help: "Runs of jobs that failed, timed out or ended with their worker, whether retried or not",
    read: ({ runs }) => one(runs.failed.count),
  },
  {
    name: "flexiq_job_duration_seconds",
    type: "histogram",
    unit: "s",
    label: "outcome",
    help: "Time that a run of a job took, by how it ended: completed, failed, cancelled; those that ended with their worker were not measured",
    read: ({ runs }) =>
      Object.entries(runs).flatMap(([outcome, { atMost, totalSec }]): MetricSample[] => [
        ...atMost.map(({ sec, count }) => ({
          suffix: "_bucket",
          labels: { outcome, le: Number.isFinite(sec) ? String(sec) : "+Inf" },
          value: count,
        })),
        { suffix: "_sum", labels: { outcome }, value: totalSec },
        { suffix: "_count", labels: { outcome }, value: atMost.at(-1)?.count ?? 0 },
      ]),
  },
];

/** All of them, of a program. */
export const queueFamilies = (program: string, census: Census): MetricFamily[] =>
  QUEUE_METRICS.map(({ name, type, help, read }) => ({
    name,
    type,
    help,
    samples: read(census).map((sample) => ({ ...sample, labels: { program, ...sample.labels } })),
  }));

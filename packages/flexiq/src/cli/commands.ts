/**
 * The commands by name. Help needs no more than this table; the module of a command is imported when it is asked for, which
 * keeps `flexiq --help` and every single command quick. DESIGN 12.1.
 */
import type { Command } from "commander";

/** Adds arguments, options and the action to a command that has its name and summary already. */
type Register = (command: Command) => void;

export interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  readonly load: () => Promise<Register>;
}

export const COMMANDS: readonly CommandEntry[] = [
  { name: "worker", summary: "run jobs until stopped", load: async () => (await import("./worker.ts")).register },
  {
    name: "autoscale",
    summary: "run as many workers as the queue needs",
    load: async () => (await import("./autoscale.ts")).register,
  },
  { name: "enqueue", summary: "add a job", load: async () => (await import("./enqueue.ts")).register },
  { name: "stats", summary: "count jobs by state", load: async () => (await import("./overview.ts")).registerStats },
  {
    name: "queues",
    summary: "list queues with their counts",
    load: async () => (await import("./overview.ts")).registerQueues,
  },
  { name: "workers", summary: "list live workers", load: async () => (await import("./overview.ts")).registerWorkers },
  { name: "jobs", summary: "list jobs", load: async () => (await import("./jobs.ts")).registerJobs },
  { name: "dead", summary: "list dead letters", load: async () => (await import("./jobs.ts")).registerDead },
  { name: "job", summary: "show one job", load: async () => (await import("./jobs.ts")).registerJob },
  {
    name: "result",
    summary: "print the result of a job",
    load: async () => (await import("./jobs.ts")).registerResult,
  },
  {
    name: "retry",
    summary: "run dead or failed jobs again",
    load: async () => (await import("./change.ts")).registerRetry,
  },
  { name: "cancel", summary: "cancel jobs", load: async () => (await import("./change.ts")).registerCancel },
  {
    name: "purge",
    summary: "delete dead letters or finished jobs",
    load: async () => (await import("./change.ts")).registerPurge,
  },
  {
    name: "pause",
    summary: "stop handing out jobs of a queue",
    load: async () => (await import("./pause.ts")).registerPause,
  },
  {
    name: "resume",
    summary: "end the pause of a queue",
    load: async () => (await import("./pause.ts")).registerResume,
  },
];

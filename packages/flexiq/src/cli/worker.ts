/**
 * `flexiq worker`. DESIGN 10.2, 12.
 */
import type { Command } from "commander";
import { createLogger, type LogLevel } from "effiqueue";
import { loadQueue } from "../app/load.ts";
import { runWorkerProcess } from "../worker/process.ts";
import { addLogLevelOption } from "./log-level.ts";
import { names, wholeNumber } from "./values.ts";

interface WorkerFlags {
  readonly app: string;
  readonly slots?: number;
  readonly queues?: string[];
  readonly logLevel?: LogLevel;
}

export function register(command: Command): void {
  addLogLevelOption(command)
    .requiredOption("--app <module[:export]>", "the app that declares the queue and its tasks, e.g. ./tasks.js:queue")
    .option("--slots <n>", "jobs at a time (default: the queue's `workers`)", wholeNumber(1))
    .option("--queues <names>", "only these queues, separated by commas (default: all)", names)
    .action(async ({ app, slots, queues, logLevel }: WorkerFlags) => {
      process.exitCode = await runWorkerProcess(() => loadQueue(app), {
        ...(slots === undefined ? {} : { slots }),
        ...(queues === undefined ? {} : { queues }),
        log: createLogger({ name: "flexiq.worker", ...(logLevel === undefined ? {} : { level: logLevel }) }),
      });
    });
}

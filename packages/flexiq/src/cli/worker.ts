/**
 * `flexiq worker`. DESIGN 10.2, 12.
 */
import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import type { Command } from "commander";
import { createLogger, type Logger, type LogLevel } from "effiqueue";
import { loadQueue } from "../app/load.ts";
import { FlexiqError } from "../errors.ts";
import type { Queue } from "../queue.ts";
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
    .requiredOption(
      "--app <module[:export]>",
      "the app that declares the queue and its tasks, e.g. ./tasks.js:queue (required)",
    )
    .option("--slots <n>", "jobs at a time (default: the queue's `workers`)", wholeNumber(1))
    .option("--queues <names>", "only these queues, separated by commas (default: all)", names)
    .action(async ({ app, slots, queues, logLevel }: WorkerFlags) => {
      const log = createLogger({ name: "flexiq.worker", ...(logLevel === undefined ? {} : { level: logLevel }) });
      const load = async (): Promise<Queue> => {
        const queue = await loadQueue(app);
        checkFile(app, queue.dbPath, log);
        return queue;
      };
      process.exitCode = await runWorkerProcess(load, {
        ...(slots === undefined ? {} : { slots }),
        ...(queues === undefined ? {} : { queues }),
        log,
      });
    });
}

/**
 * An app may name its file itself, and another one than the variable. Said aloud; and refused in the pool of an autoscaler, which would
 * measure one file, have the other served, and start ever more workers for a load that none of them sees.
 *
 * @throws FlexiqError app
 */
function checkFile(app: string, dbPath: string, log: Logger): void {
  const wanted = process.env["FLEXIQ_DB_PATH"];
  if (wanted === undefined || realPath(wanted) === realPath(dbPath)) return;
  const message = `--app ${app}: its queue names the file ${dbPath}, while FLEXIQ_DB_PATH names ${wanted}`;
  if (process.env["EFFIQUEUE_POOL"] === undefined) log.warn({ db: dbPath, wanted }, `${message}; serves the former`);
  else throw new FlexiqError("app", `${message}: leave dbPath out of its options, or have both name one file`);
}

/** Two paths may be one file. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}

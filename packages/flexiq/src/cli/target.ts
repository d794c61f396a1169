/**
 * Which file a command works on: `--db`, else the queue of `--app`, else the default. DESIGN 12.3.
 */
import { existsSync } from "node:fs";
import { type Command, Option } from "commander";
import { FlexiqError } from "../errors.ts";
import { Queue } from "../queue.ts";

export interface TargetOptions {
  readonly db?: string;
  readonly app?: string;
}

export interface TargetUse {
  /** Make the file when it does not exist. Reading what is not there would answer "nothing" to a typing error. */
  readonly create: boolean;
}

export function addTargetOptions(command: Command): Command {
  return command
    .addOption(new Option("--db <path>", "the database file (default: $FLEXIQ_DB_PATH, else .flexiq/flexiq.db)"))
    .addOption(
      new Option("--app <module[:export]>", "the app whose queue is meant, e.g. ./tasks.js:queue").conflicts("db"),
    );
}

/** Opens the file for `use` and closes it, whatever happens. */
export async function withQueue<T>(
  options: TargetOptions,
  { create }: TargetUse,
  use: (queue: Queue) => Promise<T>,
): Promise<T> {
  const queue = await targetQueue(options);
  if (!create && !existsSync(queue.dbPath)) {
    throw new FlexiqError(
      "cannot-open",
      `there is no queue at ${queue.dbPath}: name its file with --db, its app with --app, or set FLEXIQ_DB_PATH`,
    );
  }
  try {
    return await use(queue);
  } finally {
    queue.close();
  }
}

async function targetQueue({ db, app }: TargetOptions): Promise<Queue> {
  if (app === undefined) return new Queue(db === undefined ? {} : { dbPath: db });
  const { loadQueue } = await import("../app/load.ts");
  return loadQueue(app);
}

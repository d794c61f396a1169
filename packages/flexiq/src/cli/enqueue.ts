/**
 * `flexiq enqueue`. DESIGN 9.4, 12.4.
 */
import { existsSync } from "node:fs";
import { type Command, Option } from "commander";
import type { EnqueueOptions, JobId } from "../model.ts";
import type { Queue } from "../queue.ts";
import { UsageError } from "./errors.ts";
import { plural, print } from "./output.ts";
import { addTargetOptions, type TargetOptions, withQueue } from "./target.ts";
import { durationMs, jsonOrText, wholeNumber } from "./values.ts";

interface EnqueueFlags extends TargetOptions {
  readonly queue?: string;
  readonly priority?: number;
  readonly delay?: number;
  readonly maxRetries?: number;
  readonly timeout?: number;
  readonly uniqueKey?: string;
  readonly count?: number;
  readonly json?: boolean;
}

/** The app may name another file, and its workers would wait for this job in vain. */
const MADE_BY_DEFAULT = ", a new file: no --app, --db or FLEXIQ_DB_PATH named another";

/** Jobs of one transaction: enough that its cost vanishes, few enough that workers are not kept waiting for the lock. */
const BATCH = 5_000;

export function register(command: Command): void {
  addTargetOptions(command)
    .argument("<task>", "the task's name")
    .argument("[args...]", "its arguments: JSON where they are JSON, else text (`3` is a number, `a.png` a string)")
    .option("--queue <name>", "the queue (default: with --app what its task says, else default)")
    .option("--priority <n>", "higher goes first", wholeNumber(Number.MIN_SAFE_INTEGER))
    .option("--delay <duration>", "not before this long from now, e.g. 10s", durationMs)
    .option(
      "--max-retries <n>",
      "retries after the first attempt (default: with --app what its task says, else 3)",
      wholeNumber(0),
    )
    .option("--timeout <duration>", "how long one attempt may take", durationMs)
    .option("--unique-key <key>", "while a job with this key waits or runs, add none")
    .addOption(
      new Option("--count <n>", "add the job this many times").argParser(wholeNumber(1)).conflicts("uniqueKey"),
    )
    .option("--json", "print JSON")
    .addHelpText("after", "\nArguments that begin with a dash go after `--`: flexiq enqueue add -- -3 4")
    .action(async (task: string, args: string[], flags: EnqueueFlags) => {
      await withQueue(flags, { create: true }, async (queue) => {
        checkTask(task, flags, queue);
        const isByDefault =
          flags.db === undefined && flags.app === undefined && process.env["FLEXIQ_DB_PATH"] === undefined;
        const isNew = !existsSync(queue.dbPath);
        const ids = await enqueue(queue, task, args.map(jsonOrText), optionsOf(flags), flags.count ?? 1);
        const value = flags.count === undefined ? { id: ids[0], db: queue.dbPath } : { ids, db: queue.dbPath };
        print(flags.json, value, () => {
          const what = flags.count === undefined ? `job ${ids[0] ?? "?"}` : plural(ids.length, "job");
          // Whoever has the key may have had it before.
          const done =
            flags.uniqueKey === undefined ? "enqueued" : `has the unique key ${JSON.stringify(flags.uniqueKey)}`;
          return `${what} (${task}) ${done} in ${queue.dbPath}${isByDefault && isNew ? MADE_BY_DEFAULT : ""}`;
        });
      });
    });
}

/** @throws UsageError the app cannot run such a job, so that it would only end in the dead letters */
function checkTask(task: string, { app }: EnqueueFlags, { tasks }: Queue): void {
  if (app === undefined || tasks.size === 0 || tasks.has(task)) return;
  throw new UsageError(`--app ${app} declares no task ${JSON.stringify(task)}, only ${[...tasks.keys()].join(", ")}`);
}

const optionsOf = ({ queue, priority, delay, maxRetries, timeout, uniqueKey }: EnqueueFlags): EnqueueOptions => ({
  ...(queue === undefined ? {} : { queue }),
  ...(priority === undefined ? {} : { priority }),
  ...(delay === undefined ? {} : { delayMs: delay }),
  ...(maxRetries === undefined ? {} : { maxRetries }),
  ...(timeout === undefined ? {} : { timeoutMs: timeout }),
  ...(uniqueKey === undefined ? {} : { uniqueKey }),
});

async function enqueue(
  queue: Queue,
  task: string,
  args: unknown[],
  options: EnqueueOptions,
  count: number,
): Promise<JobId[]> {
  if (count === 1) return [await queue.enqueue(task, args, options)];
  const ids: JobId[] = [];
  while (ids.length < count) {
    const calls = Array.from({ length: Math.min(BATCH, count - ids.length) }, () => ({ task, args, options }));
    for (const id of await queue.enqueueMany(calls)) ids.push(id);
  }
  return ids;
}

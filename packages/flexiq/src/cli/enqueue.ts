/**
 * `flexiq enqueue`. DESIGN 9.4, 12.4.
 */
import { type Command, Option } from "commander";
import type { EnqueueOptions, JobId } from "../model.ts";
import type { Queue } from "../queue.ts";
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

/** Jobs of one transaction: enough that its cost vanishes, few enough that workers are not kept waiting for the lock. */
const BATCH = 5_000;

export function register(command: Command): void {
  addTargetOptions(command)
    .argument("<task>", "the task's name")
    .argument("[args...]", "its arguments: JSON where they are JSON, else text (`3` is a number, `a.png` a string)")
    .option("--queue <name>", "the queue (default: the task's, else default)")
    .option("--priority <n>", "higher goes first", wholeNumber(Number.MIN_SAFE_INTEGER))
    .option("--delay <duration>", "not before this long from now, e.g. 10s", durationMs)
    .option("--max-retries <n>", "retries after the first attempt", wholeNumber(0))
    .option("--timeout <duration>", "how long one attempt may take", durationMs)
    .option("--unique-key <key>", "while a job with this key waits or runs, add none")
    .addOption(
      new Option("--count <n>", "add the job this many times").argParser(wholeNumber(1)).conflicts("uniqueKey"),
    )
    .option("--json", "print JSON")
    .addHelpText("after", "\nArguments that begin with a dash go after `--`: flexiq enqueue add -- -3 4")
    .action(async (task: string, args: string[], flags: EnqueueFlags) => {
      await withQueue(flags, { create: true }, async (queue) => {
        const ids = await enqueue(queue, task, args.map(jsonOrText), optionsOf(flags), flags.count ?? 1);
        const value = flags.count === undefined ? { id: ids[0], db: queue.dbPath } : { ids, db: queue.dbPath };
        print(flags.json, value, () => {
          const what = flags.count === undefined ? `job ${ids[0] ?? "?"}` : plural(ids.length, "job");
          return `${what} (${task}) enqueued in ${queue.dbPath}`;
        });
      });
    });
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

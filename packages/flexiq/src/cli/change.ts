/**
 * `flexiq retry`, `cancel` and `purge`. DESIGN 9.8, 9.10, 12.4.
 */
import { type Command, Option } from "commander";
import { FlexiqError } from "../errors.ts";
import type { Queue } from "../queue.ts";
import { unknownJob } from "../store/admin.ts";
import type { CancelOutcome } from "../store/types.ts";
import { UsageError } from "./errors.ts";
import { plural, print } from "./output.ts";
import { noteEmpty } from "./queue-name.ts";
import { addTargetOptions, type TargetOptions, withQueue } from "./target.ts";
import { durationMs, jobIds } from "./values.ts";

interface Flags extends TargetOptions {
  readonly queue?: string;
  readonly json?: boolean;
}

export function registerRetry(command: Command): void {
  addTargetOptions(command)
    .argument("[ids...]", "dead jobs, or failed ones that wait for their retry", jobIds)
    .option("--all", "every dead and failed job")
    .option("--queue <name>", "with --all: only jobs of this queue")
    .option("--json", "print JSON")
    .action(async (ids: number[], flags: Flags & { readonly all?: boolean }) => {
      if (ids.length > 0 === (flags.all === true)) throw new UsageError("retry: give either ids of jobs or --all");
      if (flags.queue !== undefined && flags.all !== true) throw new UsageError("retry: --queue goes with --all");
      await withQueue(flags, { create: false }, async (queue) => {
        if (ids.length > 0) return retryEach(queue, ids, flags);
        await noteEmpty(queue, flags.queue);
        const retried = await queue.retry(flags.queue === undefined ? {} : { queue: flags.queue });
        printRetried(flags, retried);
      });
    });
}

const printRetried = (flags: Flags, retried: number): void =>
  print(flags.json, { retried }, () => `${plural(retried, "job")} pending again`);

/** One that cannot be retried keeps no other from it, and is an error all the same: somebody named it. */
async function retryEach(queue: Queue, ids: readonly number[], flags: Flags): Promise<void> {
  const refused: string[] = [];
  const named = new Set(ids);
  for (const id of named) if ((await queue.retry(id)) === 0) refused.push(await whyNotRetried(queue, id));
  if (refused.length < named.size) printRetried(flags, named.size - refused.length);
  if (refused.length > 0)
    throw new FlexiqError(
      "wrong-state",
      `${refused.join(", ")}: only dead jobs, and failed ones that wait for their retry, can be retried; \`flexiq dead\` lists the dead`,
    );
}

async function whyNotRetried(queue: Queue, id: number): Promise<string> {
  const job = await queue.job(id);
  if (job === null) return `there is no job ${id}`;
  return job.state === "dead" ? `the unique key of job ${id} is another job's by now` : `job ${id} is ${job.state}`;
}

export function registerCancel(command: Command): void {
  addTargetOptions(command)
    .argument("<ids...>", "the jobs", jobIds)
    .option("--json", "print JSON")
    .action(async (ids: number[], flags: Flags) => {
      await withQueue(flags, { create: false }, async (queue) => {
        const { outcomes, unknown } = await cancelAll(queue, ids);
        if (outcomes.length > 0)
          print(flags.json, outcomes, () =>
            outcomes.map(({ id, outcome }) => `job ${id}: ${CANCEL_TEXT[outcome]}`).join("\n"),
          );
        if (unknown !== undefined) throw unknown;
      });
    });
}

/** An unknown job among them keeps no other from being cancelled. */
async function cancelAll(queue: Queue, ids: readonly number[]) {
  const outcomes: { id: number; outcome: CancelOutcome }[] = [];
  const missing: number[] = [];
  for (const id of ids) {
    try {
      outcomes.push({ id, outcome: await queue.cancel(id) });
    } catch (error) {
      if (!(error instanceof FlexiqError) || error.code !== "unknown-job") throw error;
      missing.push(id);
    }
  }
  return { outcomes, unknown: missing.length === 0 ? undefined : unknownJob(missing.join(", ")) };
}

const CANCEL_TEXT = {
  cancelled: "cancelled",
  requested: "running; its worker was asked to abort it",
  finished: "had finished before",
} as const;

export function registerPurge(command: Command): void {
  addTargetOptions(command)
    .addOption(
      new Option("--state <state>", "what to delete").choices(["dead", "completed", "cancelled"]).default("dead"),
    )
    .option("--queue <name>", "only jobs of this queue")
    .option("--older-than <duration>", "only what finished at least this long ago, e.g. 7d", durationMs)
    .option("--json", "print JSON")
    .action(
      async (flags: Flags & { readonly state: "dead" | "completed" | "cancelled"; readonly olderThan?: number }) => {
        await withQueue(flags, { create: false }, async (queue) => {
          await noteEmpty(queue, flags.queue);
          const purged = await queue.purge({
            state: flags.state,
            ...(flags.queue === undefined ? {} : { queue: flags.queue }),
            ...(flags.olderThan === undefined ? {} : { olderThanSec: flags.olderThan / 1000 }),
          });
          print(flags.json, { purged }, () => `${plural(purged, `${flags.state} job`)} deleted`);
        });
      },
    );
}

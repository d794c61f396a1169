/**
 * `flexiq jobs`, `dead`, `job` and `result`. DESIGN 9.3, 12.4.
 */
import { type Command, Option } from "commander";
import { visible } from "effiqueue";
import { FlexiqError } from "../errors.ts";
import type { JobState } from "../lifecycle.ts";
import type { JobRecord } from "../model.ts";
import { print, printJson, shortened, stamp, table } from "./output.ts";
import { noteEmpty } from "./queue-name.ts";
import { addTargetOptions, type TargetOptions, withQueue } from "./target.ts";
import { anyState, durationMs, jobId, wholeNumber } from "./values.ts";

interface ListFlags extends TargetOptions {
  readonly queue?: string;
  readonly state?: JobState;
  readonly limit: number;
  readonly after?: number;
  readonly json?: boolean;
}

const DEFAULT_LIMIT = 100;

export const registerJobs = (command: Command): void =>
  registerList(command.option("--state <state>", "only jobs in this state", anyState));

export const registerDead = (command: Command): void => registerList(command, "dead");

function registerList(command: Command, state?: JobState): void {
  addTargetOptions(command)
    .option("--queue <name>", "only jobs of this queue")
    .option("--limit <n>", "at most this many", wholeNumber(1), DEFAULT_LIMIT)
    .option("--after <id>", "only jobs with a higher id: the next page", wholeNumber(0))
    .option("--json", "print JSON")
    .action(async (flags: ListFlags) => {
      const wanted = state ?? flags.state;
      await withQueue(flags, { create: false }, async (queue) => {
        await noteEmpty(queue, flags.queue);
        const jobs = await queue.jobs({
          limit: flags.limit,
          ...(wanted === undefined ? {} : { state: wanted }),
          ...(flags.queue === undefined ? {} : { queue: flags.queue }),
          ...(flags.after === undefined ? {} : { afterId: flags.after }),
        });
        print(flags.json, jobs, () => (jobs.length === 0 ? "no jobs" : jobsTable(jobs)));
      });
    });
}

const jobsTable = (jobs: readonly JobRecord[]): string =>
  table([
    ["ID", "STATE", "QUEUE", "TASK", "ARGS", "ATTEMPT", "ENQUEUED", "ERROR"],
    ...jobs.map((job) => [
      job.id,
      job.state,
      job.queue,
      job.task,
      shortened(JSON.stringify(job.args), 30),
      `${job.attempts}/${job.maxRetries + 1}`,
      stamp(job.enqueuedAtMs),
      shortened(job.error ?? "", 60),
    ]),
  ]);

export function registerJob(command: Command): void {
  addTargetOptions(command)
    .argument("<id>", "the job's id", jobId)
    .option("--json", "print JSON")
    .action(async (id: number, flags: TargetOptions & { readonly json?: boolean }) => {
      await withQueue(flags, { create: false }, async (queue) => {
        const job = await queue.job(id);
        if (job === null)
          throw new FlexiqError("unknown-job", `there is no job ${id} in ${queue.dbPath}; \`flexiq jobs\` lists them`);
        print(flags.json, job, () => jobText(job));
      });
    });
}

const jobText = (job: JobRecord): string =>
  // The error has lines of its own.
  `${jobFields(job)}\nerror     ${(job.error ?? "-").split("\n").map(visible).join("\n")}`;

const jobFields = (job: JobRecord): string =>
  table([
    ["id", String(job.id)],
    ["task", job.task],
    ["args", JSON.stringify(job.args)],
    ["queue", job.queue],
    ["state", job.state],
    ["attempts", `${job.attempts} of ${job.maxRetries + 1}`],
    ["priority", String(job.priority)],
    ["enqueued", stamp(job.enqueuedAtMs)],
    ["due", stamp(job.runAtMs)],
    ["started", stamp(job.startedAtMs)],
    ["finished", stamp(job.finishedAtMs)],
    ["progress", job.progress === null ? "-" : JSON.stringify(job.progress)],
    ["result", job.result === null ? "-" : JSON.stringify(job.result)],
  ]);

export function registerResult(command: Command): void {
  addTargetOptions(command)
    .argument("<id>", "the job's id", jobId)
    .addOption(
      new Option("--wait <duration>", "wait this long for the job to finish, e.g. 10s")
        .argParser(durationMs)
        .default(0, "not at all"),
    )
    .option("--json", "print errors as JSON too; the result always is JSON")
    .action(async (id: number, flags: TargetOptions & { readonly wait: number }) => {
      await withQueue(flags, { create: false }, async (queue) => {
        printJson((await queue.result(id, { timeoutMs: flags.wait })) ?? null);
      });
    });
}

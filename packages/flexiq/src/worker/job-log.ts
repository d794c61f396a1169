/**
 * What a worker says of its jobs: failures as warnings, everything else for those who look close. DESIGN 10.4.
 */
import type { Logger } from "effiqueue";
import type { ClaimedJob, JobId, Outcome } from "../model.ts";
import { firstLine } from "./error-text.ts";
import type { JobRun } from "./job-run.ts";

export interface JobLog {
  claimed(job: ClaimedJob): void;
  ended(run: JobRun, outcome: Outcome): void;
  refused(id: JobId): void;
}

export function jobLog(log: Logger): JobLog {
  return {
    claimed: ({ id, task, queue, attempt }) =>
      log.debug({ job_id: id, task, queue, attempt }, `job ${id} (${task}) starts, attempt ${attempt}`),

    ended: (run, outcome) => {
      const { id, task, attempt, maxRetries } = run.job;
      const fields = { job_id: id, task, attempt };
      const job = `job ${id} (${task})`;
      if (outcome.kind !== "failed") {
        log.debug(fields, `${job} ${outcome.kind}`);
        return;
      }
      const next = outcome.retry && attempt <= maxRetries ? "will be retried" : "goes to the dead letters";
      log.warn(
        { ...fields, error: outcome.error },
        `${job} failed in attempt ${attempt} of ${maxRetries + 1} and ${next}: ${firstLine(outcome.error)}`,
      );
    },

    refused: (id) =>
      log.warn({ job_id: id }, `the outcome of job ${id} came too late: it was given to another worker, or is gone`),
  };
}

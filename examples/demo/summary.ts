/** What came of it, computed from the queue's records and the journal of the runs; nothing is taken on trust. Pure. */
import type { JobRecord } from "flexiq";
import type { Entry } from "./journal.ts";
import type { Kill } from "./kill.ts";

export interface Evidence {
  /** Ids whose enqueue was acknowledged to the producer. */
  readonly acknowledged: ReadonlySet<number>;
  /** Every job of the file at the end. */
  readonly records: readonly JobRecord[];
  /** How each completed job was recorded when it was first seen. */
  readonly firstSeen: ReadonlyMap<number, string>;
  readonly journal: readonly Entry[];
  readonly kill: Kill | null;
  readonly peakWorkers: number;
  readonly workersLeft: number;
  readonly decisions: { readonly grow: number; readonly shrink: number; readonly hold: number };
  readonly tookSec: number;
}

export interface Summary {
  readonly rows: readonly (readonly [label: string, value: string])[];
  /** What should not have happened; empty when all went well. */
  readonly problems: readonly string[];
}

/** How a job's completion is recorded: it must never change afterwards. */
export const recordOf = (job: JobRecord): string => `${job.finishedAtMs} ${String(job.result)}`;

export function summarise(evidence: Evidence): Summary {
  const { acknowledged, journal, kill } = evidence;
  const completed = new Map(evidence.records.filter(({ state }) => state === "completed").map((job) => [job.id, job]));
  const lost = [...acknowledged].filter((id) => !completed.has(id));
  const recordedTwice = [...evidence.firstSeen].filter(([id, first]) => {
    const job = completed.get(id);
    return job !== undefined && recordOf(job) !== first;
  });

  // The result of a job names the run that was recorded: a run that really came to its end.
  const ended = new Set(journal.filter(({ what }) => what === "end").map(({ run }) => run));
  const unproven = [...completed.values()].filter(({ result }) => !ended.has(String(result)));

  const starts = new Map<number, number>();
  for (const { what, job } of journal) if (what === "start") starts.set(job, (starts.get(job) ?? 0) + 1);
  const ranAgain = [...starts].filter(([, count]) => count > 1).map(([job]) => job);
  // Cut off in the middle, or ended in the instant before its worker could have that recorded.
  const ranInKilled = new Set(journal.filter(({ pid }) => pid === kill?.pid).map(({ job }) => job));
  const ranAgainForNothing = ranAgain.filter((job) => !ranInKilled.has(job));

  const { grow, shrink, hold } = evidence.decisions;
  return {
    rows: [
      ["enqueued", String(acknowledged.size)],
      ["completed", String(completed.size)],
      ["lost", String(lost.length)],
      ["recorded twice", String(recordedTwice.length)],
      ["run again because of the kill", `${ranAgain.length}${jobList(ranAgain)}`],
      ["from the kill to their restart", kill?.restartSec == null ? "-" : `${kill.restartSec.toFixed(2)} s`],
      ["workers", `${evidence.peakWorkers} at the peak, ${evidence.workersLeft} now`],
      ["decisions", `${grow + shrink + hold} (${grow} up, ${shrink} down, ${hold} hold)`],
      ["took", `${evidence.tookSec.toFixed(1)} s`],
    ],
    problems: [
      ...problem(lost, "lost"),
      ...problem(
        recordedTwice.map(([id]) => id),
        "recorded twice",
      ),
      ...problem(
        unproven.map(({ id }) => id),
        "recorded without a run that ended",
      ),
      ...problem(ranAgainForNothing, "run again although their worker was not killed"),
      ...(kill === null ? ["no worker was killed"] : []),
      ...(evidence.workersLeft > 0 ? [`workers that are left: ${evidence.workersLeft}`] : []),
    ],
  };
}

const jobList = (jobs: readonly number[]): string => (jobs.length === 0 ? "" : ` (job ${jobs.join(", ")})`);

const problem = (jobs: readonly number[], what: string): string[] =>
  jobs.length === 0 ? [] : [`${jobs.length} ${what}: job ${jobs.slice(0, 10).join(", ")}`];

/**
 * Counters of what happened to jobs, kept in the transaction in which it happens, so that they are as true as the jobs. One write for
 * each kind of ending in an exchange, however many jobs it brings; enqueueing writes none. DESIGN 9.13.
 */
import type { Outcome, RunTally } from "../model.ts";
import type { Session } from "./session.ts";

/** Of the histogram: from jobs that do next to nothing to those that take an hour. */
const BOUNDS_MS = [
  5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000, 300_000, 900_000, 3_600_000,
];
const BEYOND = Number.MAX_SAFE_INTEGER;
const UNMEASURED = -1;

type RunEnd = "completed" | "failed" | "cancelled";

const ADD = `
  INSERT INTO tallies (name, at_most_ms, count, total_ms) VALUES (?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET count = count + excluded.count, total_ms = total_ms + excluded.total_ms`;

const ALL = "SELECT name, at_most_ms, count, total_ms FROM tallies";

interface Row {
  readonly name: string;
  readonly at_most_ms: number;
  readonly count: number;
  readonly total_ms: number;
}

const boundOf = (ranMs: number | undefined): number =>
  ranMs === undefined ? UNMEASURED : (BOUNDS_MS.find((bound) => ranMs <= bound) ?? BEYOND);

/** A run whose end was recorded. */
export interface EndedRun {
  readonly kind: Outcome["kind"];
  readonly ranMs: number | undefined;
}

/** Inside a write transaction. */
export function tallyRuns(session: Session, ended: readonly EndedRun[]): void {
  // Mostly one: jobs that end together are alike.
  const sums: { readonly kind: string; readonly bound: number; count: number; ms: number }[] = [];
  for (const { kind, ranMs } of ended) {
    if (kind === "released") continue;
    const bound = boundOf(ranMs);
    let sum = sums.find((each) => each.kind === kind && each.bound === bound);
    if (sum === undefined) sums.push((sum = { kind, bound, count: 0, ms: 0 }));
    sum.count += 1;
    sum.ms += ranMs ?? 0;
  }
  const add = session.sql(ADD);
  for (const { kind, bound, count, ms } of sums) add.run(kind, bound, count, ms);
}

/** Runs that ended with their worker. Inside a write transaction. */
export function tallyLost(session: Session, runs: number): void {
  if (runs > 0) session.sql(ADD).run("failed", UNMEASURED, runs, 0);
}

/** Completed jobs whose rows were deleted. Inside a write transaction. */
export function tallyDeleted(session: Session, jobs: number): void {
  if (jobs > 0) session.sql(ADD).run("deleted", UNMEASURED, jobs, 0);
}

interface Tallies {
  readonly runs: Readonly<Record<RunEnd, RunTally>>;
  /** Completed jobs that are still in the file. */
  readonly completedJobs: number;
}

export function readTallies(session: Session): Tallies {
  const rows = session.sql(ALL).all() as Row[];
  const of = (name: string): Row[] => rows.filter((row) => row.name === name);
  const count = (some: readonly Row[]): number => some.reduce((sum, row) => sum + row.count, 0);
  const runs = (end: RunEnd): RunTally => {
    const measured = of(end).filter(({ at_most_ms: bound }) => bound !== UNMEASURED);
    return {
      count: count(of(end)),
      atMost: [...BOUNDS_MS, BEYOND].map((bound) => ({
        sec: bound === BEYOND ? Number.POSITIVE_INFINITY : bound / 1000,
        count: count(measured.filter(({ at_most_ms: each }) => each <= bound)),
      })),
      totalSec: measured.reduce((sum, row) => sum + row.total_ms, 0) / 1000,
    };
  };
  const completed = runs("completed");
  return {
    runs: { completed, failed: runs("failed"), cancelled: runs("cancelled") },
    completedJobs: completed.count - count(of("deleted")),
  };
}

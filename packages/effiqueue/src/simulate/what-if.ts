/**
 * Questions that an operator has before a change: each is answered by running the same messages again. DESIGN 13.5. Pure.
 */
import type { ProgramConfig } from "../decide/program.ts";
import { sloOf } from "../model/slo.ts";
import type { PlantOptions } from "./plant-options.ts";
import type { Score } from "./score.ts";
import { type Simulation, simulate } from "./simulate.ts";
import { lengthOf, type Trace } from "./trace.ts";

/** A promise counts as kept when at most so many of the messages are late. */
export const LATE_ALLOWED = 0.01;

export interface Scene {
  readonly trace: Trace;
  readonly plant: Partial<PlantOptions>;
  /** Every figure is the mean over them. At least one. */
  readonly seeds: readonly number[];
}

/** Means over the seeds. */
export interface Outcome extends Pick<Score, "lateShare" | "workerSec" | "gapSec" | "peakWorkers" | "overMemorySec"> {
  readonly p95WaitSec: number;
  readonly longestWaitSec: number;
  readonly actionsPerHour: number;
}

export interface Answers {
  /** The shortest promise that this machine keeps; `null`: none as long as the trace. */
  readonly keepsSloSec: number | null;
  /** What it takes to keep the SLO as it is; `null`: it is kept already, or no number of workers keeps it. */
  readonly missing: {
    readonly maxWorkers: number;
    /** Memory beside what there is; `null`: memory is not simulated. */
    readonly bytes: number | null;
  } | null;
  /** With one worker more that is always there. */
  readonly higherFloor: { readonly minWorkers: number; readonly outcome: Outcome };
}

export function outcomeOf(program: ProgramConfig, scene: Scene, sloSec?: number): Outcome {
  return meanOf(scene.seeds.map((seed) => run(program, scene, seed, sloSec)));
}

/** @throws RangeError when the program has no SLO */
export function answersFor(program: ProgramConfig, scene: Scene): Answers {
  if (sloOf(program) === null) throw new RangeError("program: expected one with an SLO to ask questions about it");
  const floor = { ...program, minWorkers: Math.min(program.maxWorkers, program.minWorkers + 1) };
  return {
    keepsSloSec: shortestSlo(program, scene),
    missing: keeps(program, scene) ? null : whatIsMissing(program, scene),
    higherFloor: { minWorkers: floor.minWorkers, outcome: outcomeOf(floor, scene) },
  };
}

const keeps = (program: ProgramConfig, scene: Scene): boolean => outcomeOf(program, scene).lateShare <= LATE_ALLOWED;

const run = (program: ProgramConfig, { trace, plant }: Scene, seed: number, sloSec?: number): Simulation =>
  simulate({ program, trace, plant, seed, ...(sloSec === undefined ? {} : { sloSec }) });

/** As fine as anybody would write it down. */
const SLO_STEPS_SEC = [
  ...[
    1, 2, 3, 5, 7, 10, 15, 20, 30, 45, 60, 75, 90, 105, 120, 150, 180, 240, 300, 420, 600, 900, 1200, 1800, 2700, 3600,
  ],
  ...[5400, 7200, 10_800, 14_400, 21_600, 43_200, 86_400],
];

/** From below: with a promise too long for the trace the pool would rightly take its time, and prove nothing. */
function shortestSlo(program: ProgramConfig, scene: Scene): number | null {
  const key = sloOf(program)?.goal === "wait" ? "sloWaitTime" : "sloDrainTime";
  const candidates = SLO_STEPS_SEC.filter((sec) => sec <= lengthOf(scene.trace));
  return candidates.find((sec) => keeps({ ...program, [key]: sec }, scene)) ?? null;
}

/** More workers than this on one machine are no answer. */
const MOST_WORKERS = 1000;

function whatIsMissing(program: ProgramConfig, scene: Scene): Answers["missing"] {
  const roomy: Scene = { ...scene, plant: { ...scene.plant, memory: null } };
  const more = (extra: number): ProgramConfig => ({ ...program, maxWorkers: Math.max(1, extra) });
  const maxWorkers = firstThat(MOST_WORKERS + 1, (n) => n > 0 && keeps(more(n), roomy));
  if (maxWorkers > MOST_WORKERS) return null;
  const { memory = null } = scene.plant;
  if (memory === null) return { maxWorkers, bytes: null };
  const budget = program.ramBudget ?? memory.totalBytes - memory.otherBytes - (program.ramHeadroom ?? 0);
  return { maxWorkers, bytes: Math.max(0, maxWorkers * memory.grownBytes - budget) };
}

/** The first of 0 .. count - 1 that holds, if from there on all do; `count` when none does. */
function firstThat(count: number, holds: (i: number) => boolean): number {
  let [from, to] = [0, count];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (holds(middle)) to = middle;
    else from = middle + 1;
  }
  return from;
}

function meanOf(runs: readonly Simulation[]): Outcome {
  const mean = (of: (run: Simulation) => number): number => runs.reduce((sum, each) => sum + of(each), 0) / runs.length;
  return {
    lateShare: mean(({ score }) => score.lateShare),
    p95WaitSec: mean(({ score }) => score.waitSec.p95),
    longestWaitSec: mean(({ score }) => score.waitSec.longest),
    workerSec: mean(({ score }) => score.workerSec),
    peakWorkers: Math.max(...runs.map(({ score }) => score.peakWorkers)),
    actionsPerHour: mean(({ score, lengthSec }) => (3600 * score.actions) / lengthSec),
    gapSec: mean(({ score }) => score.gapSec),
    overMemorySec: mean(({ score }) => score.overMemorySec),
  };
}

/**
 * One run: a policy on a load in a plant, and what came of it. DESIGN 13.1. Pure.
 */
import type { ProgramConfig } from "../decide/program.ts";
import type { Observation } from "../model/observation.ts";
import { sloOf } from "../model/slo.ts";
import { Broker } from "./broker.ts";
import { type Answer, type Controller, type JobFigures, programController } from "./controller.ts";
import { drawLoad, type Load } from "./load.ts";
import { Machine } from "./machine.ts";
import { Plant } from "./plant.ts";
import { PLANT, type PlantOptions } from "./plant-options.ts";
import { seeded } from "./random.ts";
import { type Score, scoreOf } from "./score.ts";
import type { Trace } from "./trace.ts";

/** How it stood at a moment, and what was last decided. */
export interface Moment {
  readonly sec: number;
  /** Waiting and in work. */
  readonly backlog: number;
  readonly waiting: number;
  readonly starting: number;
  readonly serving: number;
  readonly draining: number;
  /** `null`: not known, or of a policy that has none. */
  readonly needed: number | null;
  readonly capacity: number | null;
  readonly mu: number | null;
  readonly lambda: number | null;
}

export interface Simulation {
  readonly controller: string;
  readonly seed: number;
  readonly lengthSec: number;
  /** Seconds a message may wait. */
  readonly sloSec: number;
  readonly score: Score;
  /** Every `sampleSec`; empty unless asked for. */
  readonly moments: readonly Moment[];
  /** When messages that came too late had arrived, seconds. */
  readonly lateAt: readonly number[];
}

interface RunOptions {
  readonly controller: Controller;
  readonly load: Load;
  readonly plant: PlantOptions;
  readonly sloSec: number;
  readonly maxWorkers: number;
  readonly seed: number;
  /** Seconds from moment to moment that is kept. Default: none is. */
  readonly sampleSec?: number | undefined;
}

interface ProgramOptions {
  readonly program: ProgramConfig;
  readonly trace: Trace;
  /** Beside `PLANT`. Drain timeout and floor are the program's unless they are here. */
  readonly plant?: Partial<PlantOptions>;
  /** Default: what the program promises. */
  readonly sloSec?: number;
  /** Default: 1. The same seed gives the same run. */
  readonly seed?: number;
  readonly sampleSec?: number | undefined;
}

/** Looks of real loops come a little late, and never quite in step with anything. */
const JITTER_SEC = 0.05;

/** Seconds of the past that `View.jobs` speaks of. */
const JOBS_SEC = 60;

/**
 * What the program would have made of the trace.
 *
 * @throws RangeError for a program without an SLO when `sloSec` is not given
 */
export function simulate({ program, trace, plant = {}, sloSec, seed = 1, sampleSec }: ProgramOptions): Simulation {
  const promise = sloOf(program);
  const slo = sloSec ?? promise?.sec;
  if (slo === undefined)
    throw new RangeError("sloSec: expected the seconds a message may wait, for the program has no SLO");
  const own = { drainTimeoutSec: program.drainTimeout, initialWorkers: program.minWorkers };
  // Long enough for the last message to come in time, or not.
  const whole = { ...PLANT, ...own, quietSec: Math.max(PLANT.quietSec, 1.5 * slo), ...plant };
  return simulateController({
    controller: programController(program),
    load: drawLoad(trace, whole.service, seed),
    plant: promise?.goal === "wait" ? { ...whole, broker: { ...whole.broker, tellsAge: true } } : whole,
    sloSec: slo,
    maxWorkers: program.maxWorkers,
    seed,
    sampleSec,
  });
}

/** The same of any policy. */
export function simulateController(options: RunOptions): Simulation {
  const { controller, load, plant: plantOptions, sloSec, maxWorkers, seed, sampleSec } = options;
  const plant = new Plant(load, plantOptions, seed);
  const broker = new Broker(plant, seed);
  const machine = plantOptions.memory && new Machine(plant, plantOptions.memory);
  const chance = seeded("looks", seed);
  const tally = { looks: 0, actions: 0, reversals: 0, gapSec: 0, peakWorkers: 0, peakBacklog: 0 };
  const moments: Moment[] = [];
  let answer: Answer | null = null;
  let lookedAt: number | null = null;
  let hasLost = false;
  let turn = 0;
  let direction = 0;

  const observe = (): Observation => ({
    dtSec: lookedAt === null ? 0 : plant.nowSec - lookedAt,
    queue: broker.read(controller.sight),
    workers: {
      starting: plant.workers.starting,
      serving: plant.workers.serving,
      draining: plant.workers.draining.size,
      startedSec: plant.workers.live.map(({ bornAtSec }) => plant.nowSec - bornAtSec),
    },
    interference: hasLost,
    ...(machine === null ? {} : { memory: machine.reading() }),
  });

  const look = (): void => {
    const observation = observe();
    answer = controller.decide({ atSec: plant.nowSec, observation, jobs: () => jobsOf(plant) });
    tally.looks += 1;
    tally.gapSec += (answer.gapWorkers ?? 0) > 0 ? observation.dtSec : 0;
    lookedAt = plant.nowSec;
    hasLost = false;
    const before = plant.workers.live.length;
    plant.resize(Math.min(maxWorkers, Math.max(0, Math.round(answer.desired))), controller.stops);
    const change = Math.sign(plant.workers.live.length - before);
    if (change !== 0) {
      tally.actions += 1;
      if (change === -direction) tally.reversals += 1;
      direction = change;
    }
    if (plant.replace(answer.outgrown)) hasLost = true;
    tally.peakWorkers = Math.max(tally.peakWorkers, plant.workers.live.length);
    tally.peakBacklog = Math.max(tally.peakBacklog, plant.waiting + plant.workers.busy);
  };
  /** A wake is a look between those of the cadence, which is kept. */
  const lookRegularly = (): void => {
    look();
    turn += 1;
    plant.at(Math.max(plant.nowSec, turn * controller.pollSec + JITTER_SEC * chance.next()), lookRegularly);
  };
  plant.onLoss = () => {
    hasLost = true;
    if (controller.wakes) plant.at(plant.nowSec, () => hasLost && look());
  };
  const keep = (everySec: number): void => {
    moments.push(momentOf(plant, answer));
    plant.at(plant.nowSec + everySec, () => keep(everySec));
  };

  plant.at(JITTER_SEC * chance.next(), lookRegularly);
  if (sampleSec !== undefined) plant.at(0, () => keep(sampleSec));
  plant.run();
  const { score, lateAt } = scoreOf({ plant, load, machine, sloSec, tally });
  return { controller: controller.name, seed, lengthSec: plant.endSec, sloSec, score, moments, lateAt };
}

function jobsOf(plant: Plant): JobFigures {
  const { nowSec, oldestAgeSec } = plant;
  let count = 0;
  let sum = 0;
  for (let i = plant.finished - 1; i >= 0; i--) {
    const message = plant.doneOrder[i] ?? 0;
    const doneAt = plant.doneAt[message] ?? 0;
    if (doneAt < nowSec - JOBS_SEC) break;
    count += 1;
    sum += doneAt - (plant.startedAt[message] ?? doneAt);
  }
  const meanSec = count === 0 ? null : sum / count;
  return { finishedPerSec: count === 0 ? 0 : count / Math.min(JOBS_SEC, nowSec), meanSec, oldestAgeSec };
}

function momentOf(plant: Plant, answer: Answer | null): Moment {
  const { starting, serving, draining, busy } = plant.workers;
  const { needed = null, capacity = null, mu = null, lambda = null } = answer ?? {};
  const backlog = plant.waiting + busy;
  const pool = { starting, serving, draining: draining.size };
  return { sec: plant.nowSec, backlog, waiting: plant.waiting, ...pool, needed, capacity, mu, lambda };
}

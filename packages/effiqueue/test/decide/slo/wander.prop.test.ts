import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Interval, initialState, type ProgramDecision, step } from "../../../src/decide/index.ts";
import { type Chance, RandomPlant } from "../../support/random-plant.ts";
import { between } from "../../support/spread.ts";
import { chance, observation, program } from "./drive.ts";

/** What is claimed of chance holds for nearly all plants: these are the same at every run. */
const PLANTS = 150;
const SEED = 20_261_130;
const PATIENCE_MS = 180_000;

const WINDOW_SEC = 10;
/** When the intervals are asked, in windows: after the pool has grown, and long after. */
const ASKED = [60, 80, 100, 120];

interface Plant {
  readonly mu: number;
  /** Workers that what arrives on average keeps busy. */
  readonly load: number;
  readonly seed: number;
}

const plants: fc.Arbitrary<Plant> = fc.record({
  mu: between(2, 8),
  load: between(6, 14),
  seed: fc.nat({ max: 2 ** 30 }),
});

/** What arrives in each window, as a share of the average. */
type Course = (random: Chance) => (window: number) => number;

const standing: Course = () => () => 1;

const walk: Course = (random) => {
  let share = 1;
  return () => {
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    share = Math.min(3, Math.max(1 / 3, share * Math.exp(0.06 * normal)));
    return share;
  };
};

/** 60% to either side. */
const waveOf =
  (periodSec: number): Course =>
  (random) => {
    const phase = random();
    return (window) => 1 + 0.6 * Math.sin(2 * Math.PI * ((window * WINDOW_SEC) / periodSec + phase));
  };

interface Asked {
  readonly mu: number;
  readonly lambda: number;
  readonly decision: ProgramDecision;
}

/** What the policy says of a pool that it moves itself, by nothing but what waits. */
function asked({ mu, load, seed }: Plant, course: Course): Asked[] {
  const random = chance(seed);
  const shareAt = course(random);
  const evenly = { burst: 1, serviceCv: 0.5, ackBatch: 1, prefetch: 1, statsSec: 0, noise: 0 };
  const plant = new RandomPlant({ mu, lambda: mu * load, backlog: Math.round(mu * load * 30), ...evenly }, random);
  const config = program({ maxWorkers: 40, sloDrainTime: 120 });
  let state = initialState(config);
  const said: Asked[] = [];
  for (let window = 0; window <= Math.max(...ASKED); window += 1) {
    const lambda = mu * load * shareAt(window);
    plant.lambda = lambda;
    plant.advance(WINDOW_SEC);
    const { serving, draining } = plant;
    const seen = observation({ serving, draining, queue: plant.reading({ rates: false }) });
    const { state: next, decision } = step(config, state, seen);
    state = next;
    plant.workers = decision.desired;
    if (ASKED.includes(window) && decision.mu !== null) said.push({ mu, lambda, decision });
  }
  return said;
}

const holds = (interval: Interval | null, truth: number): boolean =>
  interval !== null && interval.low <= truth && truth <= interval.high;

const share = (all: readonly Asked[], is: (each: Asked) => boolean): number => all.filter(is).length / all.length;

describe("DESIGN 2.23: the intervals of a pool that follows arrivals, only the backlog seen", {
  timeout: PATIENCE_MS,
}, () => {
  it.each<[string, Course, number]>([
    ["stand still", standing, 0.9],
    ["walk by 6% a window", walk, 0.85],
    ["rise and fall in an hour", waveOf(3600), 0.85],
    ["rise and fall in twenty minutes", waveOf(1200), 0.75],
  ])("hold mu and lambda where arrivals %s, from the tenth minute on", (_, course, least) => {
    const all = fc.sample(plants, { numRuns: PLANTS, seed: SEED }).flatMap((plant) => asked(plant, course));
    expect(all.length).toBeGreaterThan(0.9 * PLANTS * ASKED.length);
    expect(share(all, ({ mu, decision }) => holds(decision.muInterval, mu))).toBeGreaterThan(least);
    expect(share(all, ({ lambda, decision }) => holds(decision.lambdaInterval, lambda))).toBeGreaterThan(least);
  });
});

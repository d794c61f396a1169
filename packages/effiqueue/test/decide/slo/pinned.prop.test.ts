import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Interval, initialState, type ProgramDecision, step } from "../../../src/decide/index.ts";
import { RandomPlant } from "../../support/random-plant.ts";
import { between } from "../../support/spread.ts";
import { chance, observation, program } from "./drive.ts";

/** What is claimed of chance holds for nearly all plants: these are the same at every run. */
const PLANTS = 60;
const SEED = 20_261_130;
const PATIENCE_MS = 180_000;

/** Windows of ten seconds before the change: the pool has grown to its limit and stands there. */
const BEFORE = 60;

interface Pinned {
  readonly mu: number;
  readonly workers: number;
  /** What arrives, as a share of what the pool can do before the change. */
  readonly load: number;
  readonly seed: number;
}

const pinned: fc.Arbitrary<Pinned> = fc.record({
  mu: between(4, 16),
  workers: fc.integer({ min: 4, max: 14 }),
  load: between(1, 1.5),
  seed: fc.nat({ max: 2 ** 30 }),
});

interface Change {
  readonly mu?: number;
  readonly lambda?: number;
  readonly burst?: number;
}

interface Run {
  /** After the change. */
  readonly mu: number;
  readonly lambda: number;
  /** Window by window, the first one beginning with the change. */
  readonly decisions: readonly ProgramDecision[];
}

/** What the policy says of a queue of which nobody knows anything but how much waits. @param change factors */
function changed({ mu, workers, load, seed }: Pinned, change: Change, windows: number): Run {
  const lambda = mu * workers * load;
  const { mu: faster = 1, lambda: more = 1, burst = 1 } = change;
  const backlog = Math.round(mu * workers * (faster > 1 ? 1_500 : more < 1 ? 600 : 300));
  const evenly = { serviceCv: 0.5, ackBatch: 1, prefetch: 1, statsSec: 0, noise: 0 };
  const plant = new RandomPlant({ mu, lambda, burst, backlog, ...evenly }, chance(seed));
  const config = program({ maxWorkers: workers, sloDrainTime: 120 });
  let state = initialState(config);
  const decisions: ProgramDecision[] = [];
  for (let window = -BEFORE; window <= windows; window += 1) {
    if (window === 0) {
      plant.mu = mu * faster;
      plant.lambda = lambda * more;
    }
    plant.advance(10);
    const { serving, draining } = plant;
    const seen = observation({ serving, draining, queue: plant.reading({ rates: false }) });
    const { state: next, decision } = step(config, state, seen);
    state = next;
    plant.workers = decision.desired;
    if (window >= 0) decisions.push(decision);
  }
  return { mu: mu * faster, lambda: lambda * more, decisions };
}

const runs = (change: Change, windows: number): Run[] =>
  fc.sample(pinned, { numRuns: PLANTS, seed: SEED }).map((plant) => changed(plant, change, windows));

const holds = (interval: Interval | null, truth: number): boolean =>
  interval !== null && interval.low <= truth && truth <= interval.high;

const share = (all: readonly Run[], is: (run: Run) => boolean): number => all.filter(is).length / all.length;

const isNear = (value: number | null | undefined, truth: number, by: number): boolean =>
  Math.abs((value ?? Number.POSITIVE_INFINITY) / truth - 1) < by;

describe("DESIGN 2.22: a service rate that changes while the pool is pinned, only the backlog seen", {
  timeout: PATIENCE_MS,
}, () => {
  it.each([
    ["three times as fast", { mu: 3 }, 5, 0.9],
    ["a third as fast", { mu: 1 / 3 }, 5, 0.55],
    ["three times as fast, ten messages at a time", { mu: 3, burst: 10 }, 8, 0.5],
    ["a third as fast, ten messages at a time", { mu: 1 / 3, burst: 10 }, 12, 0],
  ])(
    "%s: a probe is asked for, the intervals hold what is true, and the rate is known again where noise allows",
    (_, change, from, known) => {
      const all = runs(change, 20);
      expect(share(all, ({ decisions }) => decisions.slice(0, from).some(({ probing }) => probing))).toBeGreaterThan(
        0.9,
      );
      for (const window of [from, 12, 16, 20]) {
        expect(share(all, ({ mu, decisions }) => holds(decisions[window]?.muInterval ?? null, mu))).toBeGreaterThan(
          0.9,
        );
        expect(
          share(all, ({ lambda, decisions }) => holds(decisions[window]?.lambdaInterval ?? null, lambda)),
        ).toBeGreaterThan(0.9);
      }
      expect(share(all, ({ mu, decisions }) => isNear(decisions[20]?.mu, mu, 0.25))).toBeGreaterThanOrEqual(known);
    },
  );

  it("is told from arrivals that change, which are known three windows later", () => {
    for (const lambda of [2, 0.5]) {
      const all = runs({ lambda }, 12);
      expect(share(all, (run) => isNear(run.decisions[12]?.mu, run.mu, 0.25))).toBeGreaterThan(0.9);
      expect(share(all, (run) => holds(run.decisions[3]?.lambdaInterval ?? null, run.lambda))).toBeGreaterThan(0.9);
      const errors = all.map((run) => Math.abs((run.decisions[3]?.lambda ?? 0) / run.lambda - 1)).sort((a, b) => a - b);
      expect(errors[PLANTS / 2]).toBeLessThan(0.15);
    }
  });

  it.each([1, 30])("is not suspected where nothing changes, with messages that arrive %i at a time", (burst) => {
    const widenings = runs({ burst }, 20).flatMap(({ decisions }) =>
      decisions
        .slice(1)
        .map(({ muInterval }, i) => (muInterval?.low ?? 0) < 0.5 * (decisions[i]?.muInterval?.low ?? 0)),
    );
    expect(widenings.filter(Boolean).length / widenings.length).toBeLessThan(0.005);
  });
});

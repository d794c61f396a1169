import { describe, expect, it } from "vitest";
import {
  HPA_DEFAULTS,
  type HpaConfig,
  hpaPolicy,
  initialHpaState,
  type Observation,
  stepHpa,
} from "../../src/decide/index.ts";

/** One tick: the present count, and the number the load asks for (`null`: the queue cannot be read). */
interface Tick {
  current: number;
  asks: number | null;
  dtSec?: number;
}

/** Every pending job asks for one worker, so a table can speak in workers. */
const PLAIN: HpaConfig = {
  ...HPA_DEFAULTS,
  minWorkers: 0,
  maxWorkers: 100,
  targetQueueDepthPerWorker: 1,
  scaleDownWindowSec: 0,
  tolerance: 0,
};

function observe({ current, asks, dtSec = 5 }: Tick): Observation {
  return {
    dtSec,
    queue: asks === null ? null : { ready: asks, unacked: 0 },
    workers: { starting: 0, serving: current, draining: 0 },
  };
}

function run(change: Partial<HpaConfig>, ticks: Tick[]) {
  const config = { ...PLAIN, ...change };
  let state = initialHpaState();
  return ticks.map((tick) => {
    const result = stepHpa(config, state, observe(tick));
    state = result.state;
    return result.decision;
  });
}

const desiredOf = (change: Partial<HpaConfig>, ticks: Tick[]): number[] =>
  run(change, ticks).map(({ desired }) => desired);

describe("DESIGN 8.5: stabilisation in the hpa policy", () => {
  it("with the seed's defaults grows at once and shrinks after five minutes", () => {
    const config = { ...HPA_DEFAULTS, targetQueueDepthPerWorker: 1, tolerance: 0 };
    let state = initialHpaState();
    const step = (current: number, asks: number, dtSec: number): number => {
      const result = stepHpa(config, state, observe({ current, asks, dtSec }));
      state = result.state;
      return result.decision.desired;
    };
    expect(step(1, 8, 0)).toBe(8);
    for (let sec = 5; sec < 300; sec += 5) expect(step(8, 2, 5)).toBe(8);
    expect(step(8, 2, 5)).toBe(2);
  });

  it("does not let a recent low take a growing pool down (10 asked 10, then 3, then 12: stays 10, naively 3)", () => {
    const ticks = [10, 3, 12].map((asks) => ({ current: 10, asks }));
    expect(desiredOf({ scaleUpWindowSec: 60, scaleDownWindowSec: 300 }, ticks)).toEqual([10, 10, 10]);
  });

  it("does not let a recent high grow a pool that asks for less (10 a minute ago, one crashed, asks 3: stays 9, naively 10)", () => {
    const ticks = [
      { current: 10, asks: 10 },
      { current: 9, asks: 3, dtSec: 60 },
    ];
    expect(desiredOf({ scaleDownWindowSec: 300, minWorkers: 1 }, ticks)).toEqual([10, 9]);
  });

  it("does not reverse a direction (current 5, recent 3, asks 8: stays 5, naively 3)", () => {
    const ticks = [
      { current: 5, asks: 3 },
      { current: 5, asks: 8 },
    ];
    expect(desiredOf({ scaleUpWindowSec: 60, scaleDownWindowSec: 60 }, ticks)).toEqual([5, 5]);
  });

  it("seeds the history with the pool it finds, so a restart tears nothing down and starts nothing in haste", () => {
    const both = { scaleUpWindowSec: 60, scaleDownWindowSec: 60 };
    expect(desiredOf(both, [{ current: 9, asks: 1, dtSec: 0 }])).toEqual([9]);
    expect(desiredOf(both, [{ current: 3, asks: 9, dtSec: 0 }])).toEqual([3]);
    expect(desiredOf({}, [{ current: 9, asks: 1, dtSec: 0 }])).toEqual([1]);
  });

  it("seeds at the first tick that could read the queue, not at a blind one", () => {
    const ticks = [
      { current: 9, asks: null },
      { current: 9, asks: 1, dtSec: 500 },
      { current: 9, asks: 1, dtSec: 59 },
      { current: 9, asks: 1, dtSec: 1 },
    ];
    expect(desiredOf({ scaleDownWindowSec: 60 }, ticks)).toEqual([9, 9, 9, 1]);
  });

  it("shrinks although every tick comes later than the window is wide", () => {
    const ticks = [
      { current: 9, asks: 1 },
      { current: 9, asks: 1, dtSec: 3600 },
    ];
    expect(desiredOf({ scaleDownWindowSec: 60 }, ticks)).toEqual([9, 1]);
  });

  it("takes a time that cannot be for no time", () => {
    for (const dtSec of [Number.NaN, -100, Infinity]) {
      const ticks = [
        { current: 9, asks: 9 },
        { current: 9, asks: 1, dtSec },
      ];
      expect(desiredOf({ scaleDownWindowSec: 60 }, ticks)).toEqual([9, 9]);
    }
  });

  it("says which window holds it, and what it replaced", () => {
    const [, held] = run({ scaleDownWindowSec: 300 }, [
      { current: 9, asks: 9 },
      { current: 9, asks: 3 },
    ]);
    expect(held).toMatchObject({ action: "hold", reason: "down-window", trail: ["depth"] });
    expect(held?.rationale).toBe("hold: 3 pending / 1 per worker asks for 3, down-window of 300 s holds 9");
    const [, grown] = run({ scaleUpWindowSec: 60 }, [
      { current: 5, asks: 6 },
      { current: 4, asks: 9 },
    ]);
    expect(grown?.rationale).toBe("scale-up: 9 pending / 1 per worker asks for 9, up-window of 60 s holds 5");
  });
});

describe("DESIGN 8.6: an unreadable queue", () => {
  it("holds the pool for ever, and has those replaced that die meanwhile (CASES B07)", () => {
    const blind = (current: number) => ({ current, asks: null, dtSec: 10 });
    const ticks = [
      { current: 6, asks: 6 },
      ...Array.from({ length: 40 }, () => blind(6)),
      blind(2),
      blind(0),
      blind(6),
    ];
    const decisions = run({ scaleDownWindowSec: 60 }, ticks);
    expect(new Set(decisions.map(({ desired }) => desired))).toEqual(new Set([6]));
    expect(decisions.at(-2)).toMatchObject({
      action: "grow",
      reason: "unreadable",
      rationale: "scale-up: queue unreadable, 6 were last decided",
    });
    // More than was decided: somebody asked for them by hand.
    expect(desiredOf({}, [{ current: 2, asks: 2 }, blind(5)])).toEqual([2, 5]);
    // Nothing was decided yet: an adopted pool stays as it was found.
    expect(desiredOf({}, [blind(6), blind(5)])).toEqual([6, 5]);
  });

  it("enforces floor and ceiling all the same", () => {
    expect(
      desiredOf({ minWorkers: 3, maxWorkers: 8 }, [
        { current: 1, asks: null },
        { current: 9, asks: null },
      ]),
    ).toEqual([3, 8]);
  });

  it("enters nothing into the history: neither a zero nor the pool that it held", () => {
    const ticks = [
      { current: 5, asks: 5 },
      { current: 9, asks: null },
      { current: 9, asks: 3 },
    ];
    expect(desiredOf({ scaleDownWindowSec: 60 }, ticks)).toEqual([5, 9, 5]);
  });

  it("lets time pass: recommendations grow old unseen", () => {
    const ticks = [
      { current: 5, asks: 5 },
      { current: 5, asks: null, dtSec: 59 },
      { current: 5, asks: 3, dtSec: 1 },
    ];
    expect(desiredOf({ scaleDownWindowSec: 60 }, ticks)).toEqual([5, 5, 3]);
  });
});

describe("DESIGN 8.7: order of rules", () => {
  it("holds floor and ceiling last, whatever the windows remember from before a change of them", () => {
    const before = stepHpa(
      { ...PLAIN, scaleDownWindowSec: 300 },
      initialHpaState(),
      observe({ current: 50, asks: 50 }),
    );
    const lowered = { ...PLAIN, scaleDownWindowSec: 300, maxWorkers: 10 };
    const after = stepHpa(lowered, before.state, observe({ current: 50, asks: 3 }));
    expect(after.decision).toMatchObject({ desired: 10, reason: "max-workers", trail: ["depth", "down-window"] });
  });

  it("remembers what the band made of the wish, not the wish", () => {
    const ticks = [
      { current: 10, asks: 11 },
      { current: 10, asks: 5 },
    ];
    expect(desiredOf({ tolerance: 0.1, scaleDownWindowSec: 60 }, ticks)).toEqual([10, 10]);
    const [, then] = run({ tolerance: 0.1, scaleDownWindowSec: 60 }, [
      { current: 10, asks: 11 },
      { current: 12, asks: 5 },
    ]);
    expect(then?.desired).toBe(10);
  });

  it("counts starting and serving workers, not draining ones", () => {
    const workers = { starting: 2, serving: 3, draining: 4 };
    const { decision } = hpaPolicy(PLAIN).step(initialHpaState(), {
      dtSec: 0,
      queue: { ready: 5, unacked: 0 },
      workers,
    });
    expect(decision).toMatchObject({ current: 5, desired: 5, action: "hold" });
  });
});

import { constant, drawLoad, PLANT, type ServiceLaw, simulateController } from "effiqueue/simulate";
import { describe, expect, it } from "vitest";
import { pool } from "./pools.ts";

/** The chance that an arrival has to wait, and the mean wait, of M/M/c. */
function erlangC(servers: number, offered: number, meanSec: number) {
  let inverse = 1;
  for (let i = 1; i <= servers; i++) inverse = 1 + (inverse * i) / offered;
  const blocked = 1 / inverse;
  const waits = blocked / (1 - (offered / servers) * (1 - blocked));
  return { waits, meanWaitSec: (waits * meanSec) / (servers - offered) };
}

function measured(servers: number, perSec: number, service: ServiceLaw, lengthSec: number, sloSec = 0) {
  const plant = { ...PLANT, service, initialWorkers: servers, quietSec: 600 };
  const runs = [1, 2, 3, 4].map((seed) => {
    const load = drawLoad(constant({ lengthSec }, { perSec }), service, seed);
    return simulateController({ controller: pool(servers), load, plant, sloSec, maxWorkers: servers, seed }).score;
  });
  const mean = (of: (score: (typeof runs)[number]) => number) => runs.reduce((sum, run) => sum + of(run), 0) / 4;
  return {
    late: mean(({ lateShare }) => lateShare),
    wait: mean(({ waitSec }) => waitSec.mean),
    use: mean((r) => r.utilisation),
  };
}

describe("DESIGN 13.4: the simulator against queueing theory", () => {
  it.each([
    { servers: 1, use: 0.5 },
    { servers: 1, use: 0.8 },
    { servers: 3, use: 0.7 },
    { servers: 8, use: 0.85 },
    { servers: 20, use: 0.9 },
  ])("M/M/$servers at $use: as many wait, and as long, as Erlang's formula says", ({ servers, use }) => {
    const meanSec = 0.5;
    const offered = servers * use;
    const { waits, meanWaitSec } = erlangC(servers, offered, meanSec);
    const found = measured(servers, offered / meanSec, { law: "exponential", meanSec }, 40_000 / offered / 2);
    // Successive waits resemble each other, so four runs of 40,000 messages know the mean to some percent.
    expect(found.late / waits).toBeCloseTo(1, 1);
    expect(found.wait / meanWaitSec).toBeGreaterThan(0.88);
    expect(found.wait / meanWaitSec).toBeLessThan(1.12);
  });

  it("M/M/c: the share that waits longer than t falls off as e^-(c mu - lambda)t", () => {
    const [servers, meanSec, offered, sloSec] = [4, 0.5, 3.2, 1];
    const { waits } = erlangC(servers, offered, meanSec);
    const found = measured(servers, offered / meanSec, { law: "exponential", meanSec }, 10_000, sloSec);
    const share = waits * Math.exp((-(servers - offered) / meanSec) * sloSec);
    expect(found.late / share).toBeGreaterThan(0.88);
    expect(found.late / share).toBeLessThan(1.12);
  });

  it.each([
    { name: "constant", service: { law: "constant", meanSec: 0.5 }, squares: 1 },
    { name: "lognormal", service: { law: "lognormal", meanSec: 0.5, cv: 0.8 }, squares: 1 + 0.8 ** 2 },
    {
      name: "bimodal",
      service: { law: "bimodal", meanSec: 0.5, slowShare: 0.1, slowTimes: 5 },
      squares: (0.9 + 0.1 * 25) / 1.4 ** 2,
    },
  ] as const)("M/G/1, $name: the wait of Pollaczek and Khinchine", ({ service, squares }) => {
    const use = 0.6;
    const expected = ((use / 0.5) * squares * 0.5 ** 2) / 2 / (1 - use);
    const found = measured(1, use / 0.5, service, 30_000);
    expect(found.use).toBeCloseTo(use, 1);
    expect(found.wait / expected).toBeGreaterThan(0.88);
    expect(found.wait / expected).toBeLessThan(1.12);
  });

  it("a Pareto law has the mean it was given, however long its tail", () => {
    const service = { law: "pareto", meanSec: 0.8, shape: 1.6, longestTimes: 200 } as const;
    const { work } = drawLoad(constant({ lengthSec: 100_000 }, { perSec: 4 }), service, 1);
    expect(work.reduce((a, b) => a + b, 0) / work.length).toBeCloseTo(0.8, 1);
  });
});

import { describe, expect, it } from "vitest";
import { programConfig, programPolicy, sharedBudget } from "../../src/decide/index.ts";
import { workerMark } from "../../src/decide/shared/worker-mark.ts";
import { systemClock } from "../../src/loop/clock.ts";
import { ControlLoop } from "../../src/loop/control-loop.ts";
import { hostMemoryProbe } from "../../src/observe/host/index.ts";
import { EventLog, FakeSource, Records, readable } from "../loop/fakes.ts";
import { openTestPool } from "../support/pool.ts";
import { readyCount } from "../support/processes.ts";
import { tempDir } from "../support/temp-dir.ts";
import { waitFor } from "../support/wait-for.ts";

const MB = 1024 ** 2;
const BUDGET = 1024 * MB;

/** A program without an end of work, whose workers hold so many MB each and announce that they do. */
function program(name: string, megabytes: number) {
  const ready = tempDir();
  const holds = `globalThis.held = Buffer.alloc(${megabytes * MB}, 1); require("fs").writeFileSync(process.env.READY + "/" + process.pid, ""); setInterval(() => {}, 1e6)`;
  const { pool, pids } = openTestPool({
    program: name,
    command: { file: process.execPath, args: ["-e", holds], env: { READY: ready, NODE_EXTRA_CA_CERTS: undefined } },
  });
  const config = programConfig({
    command: "worker",
    queueConnection: "amqp://localhost",
    queueName: name,
    sloDrainTime: 60,
    maxWorkers: 50,
    ramBudget: BUDGET,
    hysteresis: 0,
    cooldownTicks: 0,
  });
  const source = new FakeSource();
  let looks = 0;
  source.answer = () => {
    const { serving } = pool.counts();
    looks += 1;
    const totals = { ackedTotal: 1e6 + 100 * looks, publishedTotal: 2e6 + 100 * looks };
    return readable({ ready: 90_000, unacked: serving, ackRate: 2 * serving, publishRate: 10, ...totals });
  };
  /** Every worker holds by now what it is going to hold. */
  const settled = () => waitFor(() => readyCount(ready) >= pids().length);
  return { name, pool, pids, config, source, settled };
}

describe("DESIGN 7.8: two programs, 1 GB of shared budget, real workers of 100 and 150 MB, both hungry", () => {
  it("stay within it at every decision, counting what is reserved, and both get their part", async () => {
    const programs = [program("small", 93), program("large", 140)];
    const records = new Records();
    const loop = new ControlLoop({
      programs: programs.map(({ name, pool, config, source }) => ({
        program: name,
        pool,
        source,
        policy: programPolicy(config),
        limits: config,
      })),
      clock: systemClock,
      reporter: new EventLog(),
      // Nothing waits for it here: the test asks for the ticks.
      pollIntervalMs: 1,
      memory: hostMemoryProbe(),
      budget: sharedBudget({ ramBudgetBytes: BUDGET }),
      listener: records,
    });
    /** What a program reckons with for one worker: 0 while it has seen none. */
    const sizeOf = (name: string) =>
      records
        .of(name)
        .reduce<number | null>(
          (size, { observation }) => workerMark(observation.memory, size, { dtSec: observation.dtSec }),
          null,
        ) ?? 0;
    const reserved = () =>
      programs.reduce((sum, { name, pool }) => {
        const { starting, serving, draining } = pool.counts();
        return sum + (starting + serving + draining) * sizeOf(name);
      }, 0);
    const countsOf = () => programs.map(({ pool }) => pool.counts().serving);

    let same = 0;
    for (let polls = 0; same < 3 && polls < 30; polls++) {
      const before = JSON.stringify(countsOf());
      for (const { name, settled } of programs) {
        const { decision } = await loop.tick(name);
        if (decision.action === "grow") expect(reserved()).toBeLessThanOrEqual(BUDGET);
        await settled();
      }
      same = JSON.stringify(countsOf()) === before ? same + 1 : 0;
    }
    const [small = 0, large = 0] = countsOf();
    expect(small).toBeGreaterThanOrEqual(3);
    expect(large).toBeGreaterThanOrEqual(2);
    expect(small).toBeGreaterThan(large);
    // Neither could have another one.
    expect(reserved() + sizeOf("small")).toBeGreaterThan(BUDGET);
    expect(records.all.at(-1)?.decision).toMatchObject({ boundBy: "ram" });
    await Promise.all(programs.map(({ pool }) => pool.shutdown()));
  });
});

/** Workers that leak on a machine that would hold enough new ones. */
import { type ProgramConfig, programConfig } from "effiqueue/decide";
import { constant, PLANT_MEMORY, type Simulation, simulate } from "effiqueue/simulate";
import { describe, expect, it } from "vitest";

/** Nine to ten workers of fifteen that fit; each takes twice as much within the hour. */
const leaking = (options: object): Simulation => {
  const program: ProgramConfig = programConfig({
    command: "worker",
    queueConnection: "amqp://localhost",
    queueName: "q",
    maxWorkers: 40,
    sloDrainTime: 60,
    ...options,
  });
  const memory = { ...PLANT_MEMORY, totalBytes: 8e9, otherBytes: 2e9, leakBytesPerMessage: 160e3 };
  const service = { law: "lognormal", meanSec: 2, cv: 0.5 } as const;
  return simulate({ program, trace: constant({ lengthSec: 7_200 }, { perSec: 4.6 }), plant: { service, memory } });
};

describe("DESIGN 4.13: a program that leaks, as the simulator sees it", () => {
  it("keeps its promise, worker for worker, where it would fail if none were replaced", () => {
    const { score } = leaking({});
    expect(score.lateShare).toBeLessThan(0.01);
    expect(score.replaced).toBeGreaterThan(5);
    expect(score.overMemorySec).toBe(0);
    const without = leaking({ maxWorkerMemory: "100GB" }).score;
    expect(without.replaced).toBe(0);
    expect(without.lateShare).toBeGreaterThan(0.1);
  });
});

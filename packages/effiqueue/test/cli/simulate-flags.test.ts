import { describe, expect, it } from "vitest";
import { type PlantFlags, plantOf, traceOf } from "../../src/cli/simulate-flags.ts";
import { messagesOf } from "../../src/cli/simulate-limits.ts";
import type { Trace } from "../../src/simulate/index.ts";

const MB = 1024 ** 2;
const RECORDED: Trace = {
  intervalSec: 10,
  arrivals: [1],
  spread: "exact",
  facts: { service_sec: 2, slots: 3, startup_sec: 4, worker_bytes: 250 * MB, memory_bytes: 8192 * MB, other_bytes: MB },
};

describe("DESIGN 13.5: what a flag says of the world", () => {
  it("is what was recorded where there is none", () => {
    expect(plantOf({ length: "1h" }, RECORDED)).toMatchObject({
      service: { law: "lognormal", meanSec: 2 },
      slots: 3,
      startupSec: 4,
      knee: null,
      memory: { grownBytes: 250 * MB, totalBytes: 8192 * MB, otherBytes: MB },
    });
  });

  it.each<[Partial<PlantFlags>, object]>([
    [{ service: "500ms exponential" }, { service: { law: "exponential", meanSec: 0.5 } }],
    [{ slots: "8" }, { slots: 8 }],
    [{ startup: "3s" }, { startupSec: 3 }],
    [{ crashEvery: "10m" }, { crashEverySec: 600 }],
    [{ knee: "6" }, { knee: { slots: 6 } }],
    [{ workerMemory: "100MB" }, { memory: { grownBytes: 100 * MB } }],
    [{ memory: "2GB" }, { memory: { totalBytes: 2048 * MB } }],
    [{ otherMemory: "512MB" }, { memory: { otherBytes: 512 * MB } }],
  ])("%j comes before it", (flags, plant) => {
    expect(plantOf({ length: "1h", ...flags }, RECORDED)).toMatchObject(plant);
  });

  it.each<[Partial<PlantFlags>, string]>([
    [{ startup: "soon" }, "--startup"],
    [{ crashEvery: "0" }, "--crash-every"],
    [{ knee: "0" }, "--knee"],
    [{ otherMemory: "much" }, "--other-memory"],
  ])("%j is refused by its name", (flags, name) => {
    expect(() => plantOf({ length: "1h", ...flags }, RECORDED)).toThrow(`${name}: expected `);
  });

  it("is how long a load is made for", () => {
    const { arrivals, intervalSec } = traceOf({ load: "constant:rate=5", length: "10m" });
    expect(arrivals.length * intervalSec).toBe(600);
    expect(messagesOf(traceOf({ load: "constant:rate=5", length: "10m" }))).toBe(3000);
  });
});

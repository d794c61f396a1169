import { describe, expect, it } from "vitest";
import { Driver } from "./drive.ts";

/** Two workers of 2/s, a load of 3.6/s with chance in it, and messages that wait as they may: by plan a worker comes later. */
function shortOnPurpose(options: object = {}): Driver {
  const driver = new Driver({ sloDrainTime: 30, pollInterval: 2, hysteresis: 0, ...options });
  let acked = 1_000;
  driver.ticks(20, (tick) => {
    acked += 20;
    return {
      dtSec: 5,
      serving: 2,
      queue: {
        ready: 40,
        unacked: 2,
        ackRate: 4,
        publishRate: tick % 2 === 0 ? 3.2 : 4.8,
        ackedTotal: acked,
        publishedTotal: acked + 42,
      },
    };
  });
  return driver;
}

const blind = { dtSec: 5, queue: null, serving: 2 } as const;

describe("DESIGN 2.15: a queue that cannot be read", () => {
  it("gets the workers that were kept back on purpose, once it has not been read for a while", () => {
    const driver = shortOnPurpose();
    expect(driver.ticks(3, blind)).toMatchObject({ desired: 2, reason: "unreadable" });
    const grown = driver.tick(blind);
    expect(grown.desired).toBeGreaterThan(2);
    expect(grown.reason).toBe("unreadable");
    expect(grown.rationale).toContain(`${grown.desired} do for what was seen`);
    expect(driver.ticks(10, { ...blind, serving: grown.desired }).desired).toBe(grown.desired);
  });

  it.each([
    { note: "that is within the dead zone of enough", options: { hysteresis: 5 } },
    { note: "that is to move one at a time", options: { maxStep: 1 } },
    { note: "that is at its ceiling", options: { maxWorkers: 2 } },
  ])("holds a pool $note", ({ options }) => {
    expect(shortOnPurpose(options).ticks(20, blind)).toMatchObject({ desired: 2 });
  });

  it("does not grow the pool beyond what the machine can hold", () => {
    const driver = shortOnPurpose({ ramBudget: "1GB" });
    const memory = { largestWorkerBytes: 400 * 1024 ** 2, poolBytes: 800 * 1024 ** 2 };
    expect(driver.ticks(20, { ...blind, memory })).toMatchObject({ desired: 2 });
  });

  it("shrinks no pool, however little was to do", () => {
    expect(shortOnPurpose().ticks(20, { ...blind, serving: 9 })).toMatchObject({ desired: 9 });
  });
});

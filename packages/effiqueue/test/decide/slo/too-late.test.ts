import { describe, expect, it } from "vitest";
import { Driver } from "./drive.ts";

/** Two workers of 5/s with no arrivals, and 30 messages that nobody could begin within the second that is promised. */
function lateOnce(ready: number) {
  const driver = new Driver({ sloDrainTime: 1, pollInterval: 1, maxWorkers: 3, hysteresis: 0 });
  let acked = 0;
  return driver.ticks(4, (tick) => {
    acked += 10;
    const waiting = ready + 30 - 10 * tick;
    const rates = { ackRate: 10, publishRate: 0, ackedTotal: acked, publishedTotal: 500 };
    return { dtSec: 1, serving: 2, queue: { ready: waiting, unacked: 2, ...rates } };
  });
}

describe("DESIGN 2.13: what is late already", () => {
  it("is not helped by workers that come when it is done, and the sentence does not call it in time", () => {
    const { desired, reason, rationale } = lateOnce(20);
    expect({ desired, reason }).toEqual({ desired: 2, reason: "on-time" });
    expect(rationale).toContain("what is late is done before more than 2 could help");
  });

  it("has all workers that may be where they still help", () => {
    expect(lateOnce(300)).toMatchObject({ desired: 3, action: "grow" });
  });
});

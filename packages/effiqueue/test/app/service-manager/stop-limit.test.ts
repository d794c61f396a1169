import { describe, expect, it } from "vitest";
import { secondsIn, stopLimitWarning, type Unit, unitIn } from "../../../src/app/service-manager/stop-limit.ts";

describe("DESIGN 7.17: which unit we are", () => {
  it.each<[string, Unit | null]>([
    ["0::/system.slice/effiqueue.service\n", { name: "effiqueue.service", ofUser: false }],
    ["4:memory:/x\n1:name=systemd:/system.slice/q.service\n0::/\n", { name: "q.service", ofUser: false }],
    ["0::/user.slice/user-1000.slice/user@1000.service/app.slice/q.service", { name: "q.service", ofUser: true }],
    ["0::/user.slice/user-1000.slice/session-3.scope", null],
    ["0::/docker/0123", null],
    ["", null],
  ])("%j", (membership, unit) => {
    expect(unitIn(membership)).toEqual(unit);
  });
});

describe("DESIGN 7.17: a stop limit that is shorter than the drain (CASES S9)", () => {
  it.each([
    ["1min 30s\n", 90],
    ["500ms", 0.5],
    ["2h 1min", 7260],
    ["infinity", Number.POSITIVE_INFINITY],
    ["", null],
    ["soon", null],
    ["3 parsecs", null],
    ["3parsecs", null],
  ])("systemd says %j", (text, seconds) => {
    expect(secondsIn(text)).toBe(seconds);
  });

  const warning = (drainSec: number, answer: string) =>
    stopLimitWarning(drainSec, "0::/system.slice/q.service", () => Promise.resolve(answer));

  it("is said with what to write into the unit", async () => {
    expect(await warning(120, "1min 30s")).toBe(
      "systemd kills q.service 90 s after it was told to stop, and its workers may take 120 s to drain; in the unit: TimeoutStopSec=125",
    );
    expect(await warning(86, "1min 30s")).not.toBeNull();
  });

  it("is none where it is long enough, unknown, or not systemd's", async () => {
    expect(await warning(85, "1min 30s")).toBeNull();
    expect(await warning(1e6, "infinity")).toBeNull();
    expect(await warning(1e6, "")).toBeNull();
    expect(await stopLimitWarning(1e6, "0::/docker/x", () => Promise.reject(new Error("asked")))).toBeNull();
  });
});

import { describe, expect, it } from "vitest";
import { busy, Driver } from "./drive.ts";

const load = { n: 10, mu: 5, lambda: 12, ready: 900 };

describe("DESIGN 2.3: workers that are just starting", () => {
  it("may drain already unseen, so a window with them counts for less", () => {
    // The eleventh works, but the broker has not counted its consumer yet: 55/s by ten workers would be 5.5.
    const muWith = (starting: number): number => {
      const driver = new Driver();
      driver.ticks(3, (tick) => busy(load, tick));
      return driver.tick({ ...busy({ ...load, n: 11 }, 3), serving: 10, starting }).mu ?? 0;
    };
    expect(muWith(1)).toBeGreaterThan(5);
    expect(muWith(1)).toBeLessThan(muWith(0));
  });

  it("tell nothing while there are as many of them as of the others", () => {
    const driver = new Driver();
    driver.ticks(3, (tick) => busy({ ...load, n: 1 }, tick));
    expect(driver.tick({ ...busy({ ...load, n: 2 }, 3), serving: 1, starting: 1 }).mu).toBe(5);
  });
});

/** Schedules as users of the command line have them. */
import { describe, expect, it } from "vitest";
import { waitFor } from "../../../effiqueue/test/support/wait-for.ts";
import { autoscale, PATIENCE_MS, place, untilWorkers } from "./support.ts";

describe("DESIGN 11.8: an autoscaler with schedules", () => {
  it("keeps the floor of the span that holds, and lowers it again for one that stops all workers", async () => {
    const where = place();
    const flags = ["--min-workers", "0", "--scale-down-window", "0"];
    const rush = autoscale(where, ...flags, "--schedule", "* * * * * for 1h min 2");
    await untilWorkers(where, 2);
    await waitFor(() => rush.of("loop.tick.decided").length > 0, { what: "a decision", timeoutMs: PATIENCE_MS });
    expect(rush.of("loop.schedule.started")).toMatchObject([
      { schedule: "* * * * *", min_workers: 2, max_workers: null },
    ]);
    expect(rush.of("loop.tick.decided")[0]?.msg).toContain("floor is 2 by schedule * * * * *");
    rush.child.kill("SIGTERM");
    expect(await rush.ended).toBe(0);

    await where.hold(3);
    const closed = autoscale(
      where,
      "--min-workers",
      "1",
      "--schedule",
      "* * * * * for 1h max 0",
      "--schedule",
      "* * * * * for 2h max 5",
    );
    await waitFor(() => closed.of("loop.tick.decided").length > 2, { what: "decisions", timeoutMs: PATIENCE_MS });
    for (const { msg } of closed.of("loop.tick.decided")) expect(msg).toMatch(/^pending=3 running=0 workers=0 -> 0 /);
    closed.child.kill("SIGTERM");
    expect(await closed.ended).toBe(0);
  });
});

/** Mode slo as its users run it: a promise, real workers, a real file. */
import { describe, expect, it } from "vitest";
import { waitFor } from "../../../effiqueue/test/support/wait-for.ts";
import { autoscale, PATIENCE_MS, place, type Run, untilWorkers } from "./support.ts";

const NAP = `queue.task("nap", (ms) => sleep(ms));`;

/** Decisions in which the promise asked for workers, be it that a later rule had the last word. */
const byPromise = (scaler: Run) =>
  scaler.of("loop.tick.decided").filter(({ reason, trail }) => `${String(reason)},${String(trail)}`.includes("slo"));

describe("DESIGN 11.7: an autoscaler that keeps a promise", () => {
  it.each([
    ["--slo-drain-time", "2"],
    ["--slo-wait-time", "2"],
  ])("measures its workers, grows for %s %s, and lets everybody go when all is done", async (flag, sec) => {
    const where = place(NAP);
    const scaler = autoscale(where, "--mode", "slo", flag, sec, "--min-workers", "0", "--max-workers", "4");
    // Two minutes of work for one worker.
    const ids = await where.queue.enqueueMany(Array.from({ length: 240 }, () => ({ task: "nap", args: [50] })));
    await untilWorkers(where, 4);
    await waitFor(() => byPromise(scaler).length > 0, { what: "a measured rate", timeoutMs: PATIENCE_MS });
    await untilWorkers(where, 0);
    const jobs = await where.queue.jobs({ limit: 1000 });
    expect(jobs.map(({ id, state, attempts }) => ({ id, state, attempts }))).toEqual(
      ids.map((id) => ({ id, state: "completed", attempts: 1 })),
    );
    for (const { desired_workers: desired } of scaler.of("loop.tick.decided")) expect(desired).toBeLessThanOrEqual(4);
    scaler.child.kill("SIGTERM");
    expect(await scaler.ended).toBe(0);
    expect(scaler.text()).toBe("");
  });

  it("says that the promise cannot be kept with the workers it may have", async () => {
    const where = place(NAP);
    const scaler = autoscale(where, "--mode", "slo", "--slo-drain-time", "1", "--max-workers", "1");
    await where.queue.enqueueMany(Array.from({ length: 2000 }, () => ({ task: "nap", args: [20] })));
    const [gap] = await waitFor(
      () => {
        const opened = scaler.of("decide.gap.opened");
        return opened.length > 0 && opened;
      },
      { what: "the gap", timeoutMs: PATIENCE_MS },
    );
    expect(gap).toMatchObject({ workers_capacity: 1, bound_by: "max_workers", slo_sec: 1, slo_goal: "drain" });
    expect(gap?.msg).toMatch(/^this machine cannot drain the queue within 1 s: \d+ workers are needed, 1 fit/);
    scaler.child.kill("SIGTERM");
    expect(await scaler.ended).toBe(0);
  });
});

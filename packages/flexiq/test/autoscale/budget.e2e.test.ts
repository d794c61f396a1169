/** Mode hpa within a budget of memory: real workers, a real file. */
import { expect, it } from "vitest";
import { waitFor } from "../../../effiqueue/test/support/wait-for.ts";
import { autoscale, PATIENCE_MS, place } from "./support.ts";

it("DESIGN 2.19: mode hpa starts no more workers than fit into the budget that it is given, and says so", async () => {
  const where = place();
  await where.hold(90);
  // Less than two workers take, however young they are.
  const scaler = autoscale(where, "--ram-budget", "1KB", "--min-workers", "0", "--max-workers", "6");
  const decision = await waitFor(
    () => scaler.of("loop.tick.decided").find(({ rationale }) => String(rationale).includes("memory allows 1")),
    { what: "a decision that memory limits", timeoutMs: PATIENCE_MS },
  );
  expect(decision).toMatchObject({
    current_workers: 1,
    desired_workers: 1,
    reason: "ram",
    trail: expect.stringContaining("depth") as string,
  });
  expect(scaler.of("act.worker.spawned")).toHaveLength(1);
  where.open();
  scaler.child.kill("SIGTERM");
  expect(await scaler.ended).toBe(0);
});

/** Workers whose jobs ask a service that answers one at a time: the autoscaler finds out how many of them keep it busy. */
import { type AddressInfo, createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { waitFor } from "../../../effiqueue/test/support/wait-for.ts";
import { autoscale, PATIENCE_MS, place, untilWorkers } from "./support.ts";

const ASK = `
import { connect } from "node:net";
queue.task("ask", async (port) => {
  await sleep(10);
  await new Promise((resolve, reject) => connect(port, "127.0.0.1").resume().once("close", resolve).once("error", reject));
});`;

/** Answers fifty requests in a second, however many ask. */
async function service(): Promise<number> {
  let turn = Promise.resolve();
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    turn = turn.then(async () => {
      await sleep(20);
      socket.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

describe("DESIGN 2.16, 11.7: an autoscaler at the knee", () => {
  it("stops at the few workers that keep what they depend on busy, and says that more memory will not help", {
    timeout: 420_000,
  }, async () => {
    const where = place(ASK);
    const port = await service();
    const jobs = (count: number) =>
      where.queue.enqueueMany(Array.from({ length: count }, () => ({ task: "ask", args: [port] })));
    // Enough for a few workers, so that it is known what they do, and then more than all of them can do.
    await jobs(600);
    const limits = ["--min-workers", "2", "--max-workers", "8"];
    const scaler = autoscale(where, "--mode", "slo", "--slo-drain-time", "60", ...limits, "--poll-interval", "0.5");
    const known = () => scaler.of("loop.tick.decided").filter(({ reason }) => reason === "on-time");
    await waitFor(() => known().length >= 6, { what: "a few workers at work", timeoutMs: PATIENCE_MS });
    await jobs(30_000);
    await untilWorkers(where, 8);
    const isAtKnee = (bound: unknown) => bound === "downstream" || bound === "cpu";
    const found = await waitFor(() => scaler.of("loop.tick.decided").find(({ reason }) => isAtKnee(reason)), {
      what: "the knee",
      timeoutMs: 300_000,
    });
    const { desired_workers: enough, rationale } = found;
    expect(enough).toBeGreaterThanOrEqual(2);
    expect(enough).toBeLessThanOrEqual(6);
    expect(rationale).toContain(`more than ${String(enough)} finish no more`);
    expect(scaler.of("loop.tick.decided").some(({ reason }) => reason === "trial")).toBe(true);
    expect(scaler.of("decide.gap.opened")[0]).toMatchObject({ bound_by: "max_workers" });
    const words = () => [...scaler.of("decide.gap.opened"), ...scaler.of("decide.gap.persists")];
    const told = await waitFor(
      () => words().find(({ bound_by: bound, workers_capacity: fit }) => isAtKnee(bound) && fit === enough),
      { what: "a word of the gap", timeoutMs: 90_000 },
    );
    expect(told.msg).toContain(`more than ${String(enough)} get no more done`);
    expect(told.msg).toContain("more memory will not help");
    scaler.child.kill("SIGTERM");
    expect(await scaler.ended).toBe(0);
  });
});

/** The knee on a real broker: workers that have one place to share, and a daemon that finds out how many of them are of use. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, it } from "vitest";
import type { StatusReply } from "../../src/report/api-types.ts";
import { runHere } from "../cli/run-here.ts";
import { describeBroker, type TestVhost, testVhost } from "../support/broker.ts";
import { type DaemonProcess, type DaemonSetup, daemonOn } from "../support/daemon-process.ts";
import { tempDir } from "../support/temp-dir.ts";
import { until } from "../support/until.ts";

const WORKER = fileURLToPath(new URL("../fixtures/sharing.py", import.meta.url));
const MAX_WORKERS = 10;
/** Milliseconds that a worker takes for a message alone, and at the place that there is once: two or three workers keep it busy, and on a busy machine some more. */
const LOCKED = { alone: 10, shared: 20 };
/** At most what the first trial leaves. */
const ENOUGH = { atLeast: 2, atMost: 7 };
/** Half a minute on a machine that has time for it. */
const PATIENCE_MS = 300_000;

const statusOf = async (daemon: DaemonProcess) => {
  const [program] = ((await (await fetch(`${await daemon.url()}/api/status`)).json()) as StatusReply).programs;
  if (program === undefined) throw new Error("no program");
  return program;
};

const isAtKnee = (boundBy: string | undefined): boolean => boundBy === "downstream" || boundBy === "cpu";

describeBroker("DESIGN 2.16: the knee, end to end", () => {
  let vhost: TestVhost;
  beforeAll(async () => {
    vhost = await testVhost();
  });

  const setupOf = (queue: string, { alone, shared }: typeof LOCKED, place: string): DaemonSetup =>
    daemonOn(`
command = "/usr/bin/python3 ${WORKER} ${vhost.amqpUrl} ${queue} ${alone} ${shared} ${place}"
queue_connection = "${vhost.amqpUrl}"
management_url = "${vhost.managementUrl}"
queue_name = "${queue}"
min_workers = 2
max_workers = ${MAX_WORKERS}
slo_drain_time = "60s"
poll_interval = "1s"
metrics_addr = "127.0.0.1:0"
`);

  /** A little work for a few workers, so that it is known what they do, and then more than all of them can do. */
  async function flooded(daemon: DaemonProcess, queue: string): Promise<void> {
    const isKnown = ({ reason, pending, current_workers: n }: Record<string, unknown>) =>
      reason === "on-time" && Number(pending) > Number(n);
    await daemon.waitFor(() => daemon.lines("loop.tick.decided").filter(isKnown).length >= 3, "a few workers at work");
    await vhost.publish(queue, 30_000, { persistent: false });
  }

  /** Resolves with how busy the processors were at most on the way to the knee. */
  async function foundKnee(daemon: DaemonProcess): Promise<number> {
    let busiest = 0;
    await until(
      async () => {
        const { decision, cpus } = await statusOf(daemon);
        busiest = Math.max(busiest, cpus?.busyShare ?? 0);
        return isAtKnee(decision?.boundBy) && decision?.reason !== "trial";
      },
      PATIENCE_MS,
      200,
    );
    return busiest;
  }

  it("asks by a trial, stops at the few workers that keep a lock busy, and says that more memory will not help", {
    timeout: 420_000,
  }, async () => {
    const lock = join(tempDir(), "lock");
    writeFileSync(lock, "");
    await vhost.declare("locked");
    await vhost.publish("locked", 600, { persistent: false });
    const daemon = setupOf("locked", LOCKED, lock).run("--log-level", "debug");
    await flooded(daemon, "locked");
    await daemon.workersOf(MAX_WORKERS);
    const busiest = await foundKnee(daemon);

    const { decision, workers } = await statusOf(daemon);
    // Processors that are full of other work hide what binds.
    expect(busiest < 0.9 ? ["downstream"] : ["downstream", "cpu"]).toContain(decision?.boundBy);
    const boundBy = String(decision?.boundBy);
    const enough = decision?.capacityWorkers ?? 0;
    expect(enough).toBeGreaterThanOrEqual(ENOUGH.atLeast);
    expect(enough).toBeLessThanOrEqual(ENOUGH.atMost);
    expect(decision).toMatchObject({ desiredWorkers: enough, reason: boundBy, gap: { bytes: null } });
    await until(async () => (await statusOf(daemon)).workers?.current === enough);
    expect(workers?.current).toBeLessThan(MAX_WORKERS);
    expect(daemon.lines("loop.tick.decided").some(({ reason }) => reason === "trial")).toBe(true);
    expect(daemon.lines("act.worker.exited").filter(({ kind }) => kind !== "stopped")).toEqual([]);

    expect(daemon.lines("decide.gap.opened")[0]).toMatchObject({ bound_by: "max_workers" });
    const words = () => [...daemon.lines("decide.gap.opened"), ...daemon.lines("decide.gap.persists")];
    const told = await daemon.waitFor(
      () => words().find(({ bound_by: bound, workers_capacity: fit }) => bound === boundBy && fit === enough),
      "a word of the gap",
      90_000,
    );
    expect(told.msg).toContain(`more than ${enough} get no more done`);
    expect(told.msg).toContain("more memory will not help");

    const bound = (await daemon.metrics()).filter(({ name }) => name === "effiqueue_capacity_bound");
    expect(bound).toMatchObject([{ labels: { kind: boundBy }, value: 1 }]);
    expect(await daemon.metric("effiqueue_workers_capacity")).toBe(enough);
    expect(await daemon.metric("effiqueue_feasibility_gap")).toBeGreaterThan(0);

    const { code, stdout } = await runHere("explain", "--url", await daemon.url());
    expect(code).toBe(0);
    expect(stdout).toContain(`more than ${enough} get no more done (${boundBy})`);
    expect(stdout).toMatch(/To close the gap: .*more memory will not help/);
    expect(await daemon.stop()).toBe(0);
  });
});

/** Mode hpa of the daemon on a real broker: by what waits and what is in work, no rates and no promise; within the memory all the same. */
import { beforeAll, expect, it } from "vitest";
import { runHere } from "../cli/run-here.ts";
import { describeBroker, type TestVhost, testVhost } from "../support/broker.ts";
import { consumerCommand } from "../support/consumers.ts";
import { daemonOn } from "../support/daemon-process.ts";
import { told } from "../support/quiet-daemon.ts";
import { until } from "../support/until.ts";

const PATIENCE = { timeout: 120_000 };

describeBroker("DESIGN 8.1: mode hpa on RabbitMQ", () => {
  let vhost: TestVhost;
  beforeAll(async () => {
    vhost = await testVhost();
  });

  function config(queue: string, ms: number, more: string): string {
    const { file, args } = consumerCommand({ url: vhost.amqpUrl, queue, ms });
    return `
command = "${[file, ...args].join(" ")}"
queue_connection = "${vhost.amqpUrl}"
management_url = "${vhost.managementUrl}"
queue_name = "${queue}"
mode = "hpa"
max_workers = 4
poll_interval = "500ms"
metrics_addr = "127.0.0.1:0"
${more}`;
  }

  it(
    "follows a backlog by messages per worker, and lets the pool go when its window has passed",
    PATIENCE,
    async () => {
      const queue = "hpa-depth";
      await vhost.declare(queue);
      await vhost.publish(queue, 60);
      const more = 'target_queue_depth_per_worker = 20\nthreads_per_worker = 1\nscale_down_window = "1s"\n';
      const daemon = daemonOn(config(queue, 100, more)).run();
      await daemon.workersOf(3);
      expect(await daemon.logged("loop.tick.decided")).toMatchObject({
        pending: 60,
        desired_workers: 3,
        reason: "depth",
      });
      await until(async () => (await vhost.depth(queue)) === 0, 45_000);
      await until(async () => (await daemon.metric("effiqueue_workers")) === 0, 45_000);
      expect(await daemon.metric("effiqueue_mu")).toBeUndefined();
      expect(await daemon.metric("effiqueue_workers_needed")).toBeUndefined();
      expect(daemon.lines("act.worker.exited").filter(({ kind }) => kind !== "stopped")).toEqual([]);
      expect(await daemon.stop()).toBe(0);
    },
  );

  it("adds workers for busy slots though nothing waits, by what the broker says is handed out", PATIENCE, async () => {
    const queue = "hpa-busy";
    await vhost.declare(queue);
    await vhost.publish(queue, 2);
    const more = "min_workers = 2\ntarget_utilisation = 0.5\nthreads_per_worker = 1\ndrain_timeout = '1s'\n";
    // Longer than the test: both workers stay busy.
    const daemon = daemonOn(config(queue, 600_000, more)).run();
    await daemon.workersOf(4);
    await until(async () => (await daemon.metric("effiqueue_workers_desired")) === 4);
    const decided = daemon.lines("loop.tick.decided").find(({ desired_workers: desired }) => desired === 4);
    expect(decided).toMatchObject({ pending: 0, running: 2, reason: "utilisation" });
    const { code, stdout } = await runHere("explain", "--url", await daemon.url(), "--limit", "50");
    expect(code).toBe(0);
    expect(stdout).toContain("(mode hpa): 2 to 4 workers");
    expect(stdout).toContain("2 messages are in work; at target_utilisation that asks for 4 workers.");
    await daemon.stop();
  });

  it("stays within the memory that it is given, also when a person asks for more, and says so", PATIENCE, async () => {
    const queue = "hpa-memory";
    await vhost.declare(queue);
    await vhost.publish(queue, 400);
    // Less than two workers take, however young they are.
    const setup = daemonOn(config(queue, 600_000, 'ram_budget = "1KB"\ndrain_timeout = "1s"\n'));
    const daemon = setup.run("--log-level", "debug");
    await until(async () => ((await daemon.metric("effiqueue_worker_reserved_bytes")) ?? 0) > 1024);
    const asked = await told(setup, "scale", queue, "4");
    expect(asked).toMatchObject({ code: 0 });
    await daemon.waitFor(() => {
      const last = daemon.lines("loop.tick.decided").at(-1);
      return last?.["reason"] === "ram" && String(last["trail"]).includes("scaled");
    }, "a decision that memory had the last word on");
    expect(await daemon.metric("effiqueue_workers_capacity")).toBe(1);
    const bound = (await daemon.metrics()).find(
      ({ name, labels }) => name === "effiqueue_capacity_bound" && labels["kind"] === "ram",
    );
    expect(bound?.value).toBe(1);
    const { stdout } = await runHere("explain", "--url", await daemon.url());
    expect(stdout).toContain("Memory allows 1 worker: ");
    expect(daemon.workers()).toHaveLength(1);
    expect(await daemon.stop()).toBe(0);
  });

  it("raises its floor while a schedule holds, and names it", PATIENCE, async () => {
    const queue = "hpa-scheduled";
    await vhost.declare(queue);
    const always = '[[schedule]]\nname = "always"\ncron = "* * * * *"\nfor = "1h"\nmin_workers = 2\n';
    const daemon = daemonOn(config(queue, 10, always)).run();
    await daemon.workersOf(2);
    expect(daemon.lines("loop.schedule.started")).toMatchObject([
      { schedule: "always", min_workers: 2, max_workers: null },
    ]);
    expect((await daemon.logged("loop.tick.decided"))["rationale"]).toContain("floor is 2 by schedule always");
    await until(async () => (await daemon.metric("effiqueue_schedules_active")) === 1);
    expect(await daemon.metric("effiqueue_workers_min")).toBe(2);
    const { stdout } = await runHere("explain", "--url", await daemon.url());
    expect(stdout).toMatch(/By schedule always, at least 2 workers until \d{4}-\d\d-\d\d \d\d:\d\d:\d\d \(UTC\)\./);
    expect(await daemon.stop()).toBe(0);
  });
});

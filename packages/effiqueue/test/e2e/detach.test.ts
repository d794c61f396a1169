/** A daemon that ends and leaves its workers to the next one: an upgrade under load, on a real broker. */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { describeBroker, type TestVhost, testVhost } from "../support/broker.ts";
import { consumerCommand } from "../support/consumers.ts";
import { type DaemonProcess, type DaemonSetup, daemonOn } from "../support/daemon-process.ts";
import { effiqueue } from "../support/effiqueue-process.ts";
import { isAlive } from "../support/processes.ts";
import { Tally } from "../support/tally.ts";
import { until } from "../support/until.ts";

const detached = async (setup: DaemonSetup, daemon: DaemonProcess): Promise<string> => {
  const { code, stdout, stderr } = await effiqueue(["detach", "--state-dir", join(setup.dir, "state")], {
    cwd: setup.dir,
  });
  expect([code, stderr]).toEqual([0, ""]);
  expect((await daemon.ended).code).toBe(0);
  return stdout;
};

describe("DESIGN 7.16: detaching", () => {
  it("leaves those that drain draining, told once, and those that work at work", async () => {
    const stubborn = `sh -c 'trap : TERM; while :; do sleep 0.1; done'`;
    const setup = daemonOn(`
poll_interval = "200ms"
queue_connection = "amqp://127.0.0.1:1"
management = false
mode = "threshold"
command = ${JSON.stringify(stubborn)}
drain_timeout = "10m"
[[program]]
queue_name = "orders"
min_workers = 2
max_workers = 3
max_worker_age = "1s"
min_uptime = "500ms"
`);
    const first = setup.run();
    const { pid: drains } = await first.logged("act.worker.stop_signalled");
    await first.waitFor(() => first.workers().length === 3, "one in its place");
    expect(await detached(setup, first)).toContain("3 workers work on");
    const workers = first.workers();
    expect(workers.every(isAlive)).toBe(true);
    expect(first.lines("app.daemon.detached")).toMatchObject([{ workers: 3 }]);

    const second = setup.run();
    expect((await second.workersOf(3, "act.worker.adopted")).toSorted()).toEqual(workers.toSorted());
    await second.logged("loop.tick.decided");
    expect(second.lines("act.worker.stop_signalled").map(({ pid }) => pid)).not.toContain(drains);
    expect(second.workers()).toEqual([]);
  });
});

describe("DESIGN 7.18: what a daemon cannot believe of an earlier one", () => {
  it("is said, and everything is learned anew", async () => {
    const setup = daemonOn(`
queue_connection = "amqp://127.0.0.1:1"
management = false
queue_name = "orders"
command = "sleep 1000"
min_workers = 1
max_workers = 2
slo_drain_time = "30s"
`);
    const file = join(setup.dir, "state", "orders", "learned.json");
    const first = setup.run();
    await first.workersOf(1);
    expect(await first.stop()).toBe(0);
    expect(first.lines("app.learned.discarded"), "there was nothing").toEqual([]);
    expect(existsSync(file), "and it has learned nothing").toBe(false);
    writeFileSync(file, '{"format": 1, "of": "');
    const second = setup.run();
    expect((await second.logged("app.learned.discarded"))["why"]).toBe("it is not a JSON object");
    await second.workersOf(1);
    expect(await second.stop()).toBe(0);
  });
});

describeBroker("DESIGN 7.16: an upgrade under load", () => {
  let vhost: TestVhost;
  beforeAll(async () => {
    vhost = await testVhost();
  });

  it("stops no worker, doubles none, and loses no message", { timeout: 120_000 }, async () => {
    const queue = "upgrade";
    const [MESSAGES, MORE] = [400, 30];
    await vhost.declare(queue);
    const tally = new Tally();
    const { file, args } = consumerCommand({ url: vhost.amqpUrl, queue, ms: 100 });
    const setup = daemonOn(
      `metrics_addr = "127.0.0.1:0"
command = ${JSON.stringify([file, ...args].join(" "))}
env = { TALLY = "${tally.folder}", NODE_EXTRA_CA_CERTS = "" }
queue_connection = "${vhost.amqpUrl}"
management_url = "${vhost.managementUrl}"
queue_name = "${queue}"
min_workers = 3
max_workers = 3
slo_drain_time = "10m"
poll_interval = "1s"
`,
    );
    const first = setup.run();
    const workers = await first.workersOf(3);
    await vhost.publish(queue, MESSAGES);
    await until(async () => (await first.metric("effiqueue_mu_source")) === 1);
    const mu = (await first.metric("effiqueue_mu")) ?? Number.NaN;
    await detached(setup, first);
    const [working, before] = [tally.total(), workers.filter(isAlive)];
    expect(before).toEqual(workers);
    // However long it took to detach.
    await vhost.publish(queue, MORE);
    await until(() => Promise.resolve(tally.total() > working));

    const second = setup.run();
    expect((await second.workersOf(3, "act.worker.adopted")).toSorted()).toEqual(workers.toSorted());
    const learned = await second.logged("app.learned.restored");
    expect(Math.abs(Number(learned["mu"]) - mu), "nothing is forgotten").toBeLessThan(mu / 3);
    await until(() => Promise.resolve(tally.total() >= MESSAGES + MORE), 60_000);
    await until(async () => (await vhost.depth(queue)) === 0);
    expect(second.workers(), "none was started").toEqual([]);
    expect(workers.every(isAlive)).toBe(true);
    expect(await second.stop()).toBe(0);
    expect(tally.total(), "and none was done twice").toBe(MESSAGES + MORE);
  });
});

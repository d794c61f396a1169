/** A promised wait on a real broker: with stamps the age of the oldest message is known, without them that is said. */
import { beforeAll, expect, it } from "vitest";
import { describeBroker, type TestVhost, testVhost } from "../support/broker.ts";
import { daemonOn } from "../support/daemon-process.ts";
import { until } from "../support/until.ts";

describeBroker("DESIGN 2.12: slo_wait_time on RabbitMQ", () => {
  let vhost: TestVhost;
  beforeAll(async () => {
    vhost = await testVhost();
  });

  it("goes by the age of stamped messages, and names the queue whose messages have none", {
    timeout: 120_000,
  }, async () => {
    const aMinuteAgo = Math.floor(Date.now() / 1000) - 60;
    for (const queue of ["stamped", "plain"]) await vhost.declare(queue);
    await vhost.publish("stamped", 30, { timestamp: aMinuteAgo });
    await vhost.publish("plain", 30);
    // Workers that take nothing, so that all of it waits.
    const program = (queue: string) => `[[program]]\nqueue_name = "${queue}"\n`;
    const daemon = daemonOn(`
command = "sleep 600"
queue_connection = "${vhost.amqpUrl}"
management_url = "${vhost.managementUrl}"
max_workers = 1
slo_wait_time = "20s"
poll_interval = "1s"
metrics_addr = "127.0.0.1:0"
${program("stamped")}${program("plain")}`).run();
    const of = async (name: string): Promise<Record<string, number>> => {
      const samples = (await daemon.metrics()).filter((sample) => sample.name === name);
      return Object.fromEntries(samples.map(({ labels, value }): [string, number] => [labels["program"] ?? "", value]));
    };
    await until(async () => "stamped" in (await of("effiqueue_oldest_age_seconds")), 45_000, 300);
    const { stamped, plain } = await of("effiqueue_oldest_age_seconds");
    expect(stamped).toBeGreaterThanOrEqual(60);
    expect(plain).toBeUndefined();
    expect(await of("effiqueue_slo_wait_seconds")).toEqual({ stamped: 20, plain: 20 });
    expect(await of("effiqueue_slo_drain_seconds")).toEqual({});
    await daemon.logged("observe.queue.age_invisible", 45_000);
    expect(daemon.lines("observe.queue.age_invisible")).toMatchObject([{ program: "plain", slo_sec: 20 }]);
    expect(await daemon.stop()).toBe(0);
  });
});

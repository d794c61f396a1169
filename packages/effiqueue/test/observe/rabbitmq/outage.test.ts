import { afterAll, beforeAll, expect, it } from "vitest";
import { describeBroker, type OwnBroker, startBroker, type TestVhost, vhostOn } from "../../support/broker.ts";
import { startConsumer } from "../../support/consumers.ts";
import { until } from "../../support/until.ts";
import { openQueue } from "./open-queue.ts";

describeBroker("DESIGN 7.1, 7.2: a broker with its default statistics, short of memory, killed and back", () => {
  let broker: OwnBroker;
  let vhost: TestVhost;

  beforeAll(async () => {
    broker = await startBroker({ statsMs: 5_000, sampleSec: 5 });
    vhost = await vhostOn(broker);
    await vhost.declare("work");
  });
  afterAll(() => broker.stop());

  const open = () => openQueue({ connection: vhost.amqpUrl, managementUrl: vhost.managementUrl });

  it("counts live where the broker's statistics are seconds behind", async () => {
    const { value } = open();
    for (let published = 40; published <= 120; published += 40) {
      await vhost.publish("work", 40);
      expect(await value()).toMatchObject({ ready: published });
    }
    startConsumer({ url: vhost.amqpUrl, queue: "work", ms: 60_000, prefetch: 3 });
    await until(async () => (await value()).consumers === 1);
    await until(async () => (await value()).unacked === 3);
  });

  it("says that the broker takes no messages, and when it does again", async () => {
    const { value, events } = open();
    await value();
    await broker.ctl("set_vm_memory_high_watermark", "absolute", "1MB");
    await until(async () => {
      await value();
      return events.of("observe.broker.alarmed").length > 0;
    });
    expect(events.of("observe.broker.alarmed")[0]?.alarms).toMatch(/^memory on /);
    await broker.ctl("set_vm_memory_high_watermark", "absolute", "1GB");
    await until(async () => {
      await value();
      return events.of("observe.broker.alarm_cleared").length > 0;
    });
    expect(events.of("observe.broker.alarmed")).toHaveLength(1);
  });

  it("is unreachable while it is dead, and read again without a word of ours when it is back, with other settings", async () => {
    const { value, trouble, events } = open();
    await value();
    await broker.kill();
    expect(await trouble()).toMatchObject({ code: "unreachable" });
    expect(await trouble()).toMatchObject({ code: "unreachable" });
    await broker.restart({ ratesMode: "none" });
    await until(async () => (await value()).unacked === 0);
    expect(await value()).toMatchObject({
      ready: 120,
      ackedTotal: null,
      ackRate: null,
      publishedTotal: null,
      publishRate: null,
    });
    await until(async () => {
      await value();
      return events.of("observe.broker.noted").length > 0;
    });
    expect(events.of("observe.broker.noted")).toMatchObject([
      { note: expect.stringContaining("rates_mode") as string },
    ]);
  });
});

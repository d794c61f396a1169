import { expect, it } from "vitest";
import { describeBroker, testVhost } from "../../support/broker.ts";
import { type ConsumerOptions, startConsumer } from "../../support/consumers.ts";
import { until } from "../../support/until.ts";

/** What the tests of the daemon rest on: that their own workers do what they are said to do. */
describeBroker("the consumers of the tests", () => {
  const languages = ["node", "python"] as const;
  const modes = ["ack", "auto", "get", "reject"] as const;
  const kinds = languages.flatMap((language) =>
    modes.map((mode): Pick<ConsumerOptions, "language" | "mode"> => ({ language, mode })),
  );

  it.each(kinds)("$language, $mode: empties the queue and exits 0 on SIGTERM", async (kind) => {
    const vhost = await testVhost();
    await vhost.declare("work");
    await vhost.publish("work", 20);
    const consumer = startConsumer({ ...kind, url: vhost.amqpUrl, queue: "work", ms: 5 });
    await until(async () => (await vhost.depth("work")) === 0);
    expect(await consumer.stop()).toBe(0);
  });
});

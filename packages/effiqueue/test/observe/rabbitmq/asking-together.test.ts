import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadConfig, startDaemon } from "effiqueue/daemon";
import { beforeAll, expect, it, onTestFinished } from "vitest";
import { QueueLists } from "../../../src/observe/rabbitmq/index.ts";
import { describeBroker, type TestVhost, testVhost } from "../../support/broker.ts";
import { type ManagementProxy, managementProxy } from "../../support/management-proxy.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { openQueue } from "./open-queue.ts";

/** By depth: signs that mean something in a pattern or in an address, and names that differ in case alone. */
const QUEUES = [
  "plain",
  "Plain",
  "a|b",
  "a",
  "b",
  "dots.and+signs(1)",
  "^x$",
  "[1-9]*",
  "käse/100%2F",
  "with # blank \\d",
];

let vhost: TestVhost;

/** Programs of one daemon, and the API that they ask. */
async function programs(names: readonly string[]) {
  const proxy = await managementProxy(vhost.managementUrl);
  const lists = new QueueLists();
  const open = names.map((queueName) =>
    openQueue({ connection: vhost.amqpUrl, managementUrl: proxy.url, queueName, lists }),
  );
  return { proxy, open };
}

const listsAskedOf = ({ paths }: ManagementProxy): number =>
  paths.filter((path) => path.includes("enable_queue_totals")).length;

describeBroker("DESIGN 7.19: programs of one vhost ask a real broker together", () => {
  beforeAll(async () => {
    vhost = await testVhost();
    for (const [i, queue] of QUEUES.entries()) {
      await vhost.declare(queue);
      await vhost.publish(queue, i);
    }
  });

  it("one request finds all queues, whatever they are called", async () => {
    const { proxy, open } = await programs(QUEUES);
    const readings = await Promise.all(open.map(({ value }) => value()));
    expect(readings.map(({ ready }) => ready)).toEqual(QUEUES.map((_, i) => i));
    expect(listsAskedOf(proxy)).toBe(1);
    await Promise.all(open.map(({ value }) => value()));
    expect(listsAskedOf(proxy)).toBe(2);
  });

  it("a queue that is missing, or a stream, is its own program's trouble", async () => {
    await vhost.declare("log", { arguments: { "x-queue-type": "stream" } });
    const { proxy, open } = await programs(["a|b", "nowhere", "log", "b"]);
    const [first, second, third, fourth] = open;
    const [or, missing, stream, b] = await Promise.all([
      first?.value(),
      second?.trouble(),
      third?.trouble(),
      fourth?.value(),
    ]);
    expect([or?.ready, b?.ready]).toEqual([2, 4]);
    expect([missing?.code, stream?.code]).toEqual(["missing-queue", "stream"]);
    expect(listsAskedOf(proxy)).toBe(1);
  });

  it("an API that is out of order is everybody's trouble, and each reads by AMQP", async () => {
    const { proxy, open } = await programs(["a|b", "b"]);
    proxy.answerWith(500, { error: "internal", reason: "out of order" });
    const readings = await Promise.all(open.map(({ value }) => value()));
    expect(readings).toMatchObject([
      { ready: 2, unacked: null },
      { ready: 4, unacked: null },
    ]);
    for (const { events } of open) {
      expect(events.of("observe.source.switched")).toMatchObject([
        { source: "AMQP", why: expect.stringContaining("out of order") as string },
      ]);
    }
    expect(listsAskedOf(proxy)).toBe(1);
  });

  it("one that leaves takes nobody's connection with it", async () => {
    const { open } = await programs(["a|b", "b"]);
    const [first, second] = open;
    await Promise.all(open.map(({ value }) => value()));
    const reading = second?.value();
    await first?.queue.close();
    expect(await reading).toMatchObject({ ready: 4, unacked: 0 });
    expect(await first?.value()).toMatchObject({ ready: 2, unacked: 0 });
  });

  it("the programs of a daemon do", async () => {
    const proxy = await managementProxy(vhost.managementUrl);
    const dir = tempDir();
    const file = join(dir, "effiqueue.toml");
    const sections = QUEUES.map((queue, i) => `[[program]]\nname = "p${i}"\nqueue_name = '${queue}'\n`);
    const config = `queue_connection = "${vhost.amqpUrl}"
management_url = "${proxy.url}"
poll_interval = "1h"
mode = "threshold"
command = "sleep 600"
min_workers = 0
max_workers = 1
stdout = "null"
stderr = "null"
${sections.join("")}`;
    writeFileSync(file, config);
    const log = (): void => undefined;
    const logger = { debug: log, info: log, warn: log, error: log };
    const daemon = await startDaemon(loadConfig(file), { logger, stateDir: join(dir, "state") });
    onTestFinished(() => daemon.kill());
    await daemon.stop("enough");
    // The look before the loop is its first reading, too.
    expect(listsAskedOf(proxy)).toBe(1);
  });
});

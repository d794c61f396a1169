import { beforeAll, expect, it } from "vitest";
import { describeBroker, type TestVhost, testVhost } from "../../support/broker.ts";
import { type ConsumerOptions, startConsumer } from "../../support/consumers.ts";
import { until } from "../../support/until.ts";
import { openQueue } from "./open-queue.ts";

let vhost: TestVhost;
let queues = 0;

/** A queue of one's own, declared. */
async function newQueue(type: "classic" | "quorum" | "stream" = "classic"): Promise<string> {
  queues += 1;
  const queueName = `work.${queues}`;
  await vhost.declare(queueName, { arguments: { "x-queue-type": type } });
  return queueName;
}

const open = (queueName: string, options: Partial<Parameters<typeof openQueue>[0]> = {}) =>
  openQueue({ connection: vhost.amqpUrl, managementUrl: vhost.managementUrl, queueName, ...options });

describeBroker("DESIGN 7.2: a queue is read by the management API", () => {
  beforeAll(async () => {
    vhost = await testVhost();
  });

  const languages = ["node", "python"] as const;
  const modes = ["ack", "auto", "get", "reject"] as const;
  const kinds: (Pick<ConsumerOptions, "language" | "mode"> & { readonly type: "classic" | "quorum" })[] = [
    ...languages.flatMap((language) => modes.map((mode) => ({ language, mode, type: "classic" as const }))),
    { language: "node", mode: "ack", type: "quorum" },
    { language: "python", mode: "reject", type: "quorum" },
  ];

  it("sees every message finished that a consumer takes, however it takes it", async () => {
    // All at once, and without haste: each waits for the broker's statistics.
    await Promise.all(
      kinds.map(async ({ type, ...kind }) => {
        const queueName = await newQueue(type);
        await vhost.publish(queueName, 60);
        const { value } = open(queueName);
        await value();
        startConsumer({ ...kind, url: vhost.amqpUrl, queue: queueName, ms: 5 });
        const subscribed = kind.mode === "get" ? 0 : 1;
        const isDone = async () => {
          const { ready, unacked, ackedTotal, consumers } = await value();
          return ready === 0 && unacked === 0 && ackedTotal === 60 && consumers === subscribed;
        };
        await until(isDone, 50_000, 300).catch((cause: unknown) => {
          throw new Error(`${JSON.stringify(kind)} of a ${type} queue`, { cause });
        });
        const { ackRate } = await value();
        expect(ackRate).toBeTypeOf("number");
      }),
    );
  });

  it("knows counts before the broker's statistics do", async () => {
    const queueName = await newQueue();
    const { value } = open(queueName);
    await vhost.publish(queueName, 25);
    expect(await value()).toMatchObject({ ready: 25, unacked: 0 });
  });

  it("tells how old the oldest message is that its publisher has stamped", async () => {
    const [stamped, plain] = [await newQueue(), await newQueue()];
    const aMinuteAgo = Math.floor(Date.now() / 1000) - 60;
    await vhost.publish(stamped, 3, { timestamp: aMinuteAgo });
    await vhost.publish(plain, 3);
    const [ofStamped, ofPlain] = [open(stamped), open(plain)];
    await until(async () => (await ofStamped.value()).oldestAgeSec !== undefined, 30_000, 300);
    const { oldestAgeSec } = await ofStamped.value();
    expect(oldestAgeSec).toBeGreaterThanOrEqual(60);
    expect(oldestAgeSec).toBeLessThanOrEqual(Date.now() / 1000 - aMinuteAgo);
    await until(async () => (await ofPlain.value()).publishedTotal === 3, 30_000, 300);
    expect((await ofPlain.value()).oldestAgeSec).toBeUndefined();
  });

  it("does not take silence for zeros: a queue without statistics has unknown rates", async () => {
    const { ackedTotal, ackRate, publishedTotal, publishRate } = await open(await newQueue()).value();
    expect([ackedTotal, ackRate, publishedTotal, publishRate]).toEqual([null, null, null, null]);
  });

  it("refuses a stream, whose messages stay", async () => {
    const { trouble, events } = open(await newQueue("stream"));
    expect(await trouble()).toMatchObject({
      code: "stream",
      message: expect.stringContaining("is a stream") as string,
    });
    expect(events.names("observe.source")).toEqual([]);
  });

  it.each(["a/b c", "dots.and+signs(1)", "käse", "100%", "%2F"])("finds a queue called %s", async (queueName) => {
    await vhost.declare(queueName);
    await vhost.publish(queueName, 2);
    expect(await open(queueName).value()).toMatchObject({ ready: 2 });
    expect(await open(queueName, { management: false }).value()).toMatchObject({ ready: 2 });
  });

  it("reads the counters of a queue whose name is a way through folders", async () => {
    for (const [i, queueName] of [".", ".."].entries()) {
      await vhost.declare(queueName);
      await vhost.publish(queueName, 2 + i);
    }
    const [one, two] = [open("."), open("..")];
    await until(async () => (await one.value()).publishedTotal === 2 && (await two.value()).publishedTotal === 3);
    expect(await two.value()).toMatchObject({ ready: 3 });
  });

  it("reads a queue again that was deleted and declared anew, and whose counters began anew", async () => {
    const queueName = await newQueue();
    const { value, trouble } = open(queueName);
    await vhost.publish(queueName, 30);
    await until(async () => (await value()).publishedTotal === 30);
    await vhost.api("DELETE", `/api/queues/${vhost.vhost}/${queueName}`);
    expect(await trouble()).toMatchObject({ code: "missing-queue" });
    await vhost.declare(queueName);
    await vhost.publish(queueName, 3);
    expect(await value()).toMatchObject({ ready: 3 });
  });
});

describeBroker("DESIGN 7.3: a queue is read by AMQP alone", () => {
  it("sees ready messages and consumers, and says once that it does not see what is handed out", async () => {
    const queueName = await newQueue();
    await vhost.publish(queueName, 3);
    const { value, events } = open(queueName, { management: false });
    expect(await value()).toEqual({ ready: 3, unacked: null, consumers: 0 });
    startConsumer({ url: vhost.amqpUrl, queue: queueName, ms: 60_000 });
    await until(async () => (await value()).consumers === 1);
    expect(await value()).toMatchObject({ ready: 2, unacked: null });
    expect(events.names("observe.")).toEqual(["observe.queue.unacked_invisible"]);
  });

  it("goes on with the same connection when the queue is missing for a while", async () => {
    const queueName = await newQueue();
    const { value, trouble } = open(queueName, { management: false });
    await value();
    await vhost.api("DELETE", `/api/queues/${vhost.vhost}/${queueName}`);
    for (let i = 0; i < 3; i += 1) expect(await trouble()).toMatchObject({ code: "missing-queue" });
    await vhost.declare(queueName);
    expect(await value()).toMatchObject({ ready: 0 });
  });

  it("reads again after the broker has closed the connection", async () => {
    const queueName = await newQueue();
    const { value, queue } = open(queueName, { management: false });
    await value();
    await queue.close();
    expect(await value()).toMatchObject({ ready: 0 });
  });

  it("opens a vhost whose name is full of signs, as the management API does", async () => {
    const root = vhost.amqpUrl.slice(0, vhost.amqpUrl.lastIndexOf("/"));
    const name = encodeURIComponent(`50%/ä b%2F-${process.pid}`);
    await vhost.api("PUT", `/api/vhosts/${name}`);
    await vhost.api("PUT", `/api/queues/${name}/work`, { durable: true });
    for (const management of [true, false]) {
      const { value } = open("work", { connection: `${root}/${name}`, management });
      expect(await value()).toMatchObject({ ready: 0, unacked: management ? 0 : null });
    }
  });

  it("opens the vhost / for a URL without a path, with a bare slash, and with an encoded one", async () => {
    const root = vhost.amqpUrl.slice(0, vhost.amqpUrl.lastIndexOf("/"));
    const queueName = `root-${process.pid}`;
    await vhost.api("PUT", `/api/queues/%2F/${queueName}`, { durable: true });
    for (const path of ["", "/", "/%2f", "/%2F"]) {
      expect(await open(queueName, { connection: `${root}${path}`, management: false }).value()).toMatchObject({
        ready: 0,
      });
    }
    await vhost.api("DELETE", `/api/queues/%2F/${queueName}`);
  });
});

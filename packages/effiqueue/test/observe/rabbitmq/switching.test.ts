import { createServer } from "node:http";
import { beforeAll, expect, it, onTestFinished } from "vitest";
import { describeBroker, type TestVhost, testVhost } from "../../support/broker.ts";
import { managementProxy } from "../../support/management-proxy.ts";
import { CREDENTIALS } from "../../support/password.ts";
import { tcpProxy } from "../../support/tcp-proxy.ts";
import { until } from "../../support/until.ts";
import { openQueue } from "./open-queue.ts";

let vhost: TestVhost;

beforeAll(async () => {
  vhost = await testVhost();
  await vhost.declare("work");
  await vhost.publish("work", 7);
});

const portOf = (url: string): number => Number(new URL(url).port);
const open = (options: Partial<Parameters<typeof openQueue>[0]>) =>
  openQueue({ connection: vhost.amqpUrl, managementUrl: vhost.managementUrl, ...options });

/** A user of the broker with a permission on the vhost unless `permitted` is false. */
async function user(
  name: string,
  { tags = "", permitted = true } = {},
): Promise<{ connection: string; permissions: string }> {
  await vhost.api("PUT", `/api/users/${name}`, { password: "top/secret", tags });
  const permissions = `/api/permissions/${vhost.vhost}/${name}`;
  if (permitted) await vhost.api("PUT", permissions, READ_ONLY);
  return { connection: vhost.amqpUrl.replace(CREDENTIALS, `${name}:top%2Fsecret`), permissions };
}

const READ_ONLY = { configure: "", write: "", read: ".*" };

/** A web server on 127.0.0.1 for the duration of a test. */
async function webServer(listener: Parameters<typeof createServer>[1]): Promise<string> {
  const server = createServer(listener as never);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
}

describeBroker("DESIGN 7.1: reading switches both ways without a gap", () => {
  it("reads by AMQP in the moment in which the management API is gone, and by it again when it is back", async () => {
    const proxy = await tcpProxy(portOf(vhost.managementUrl));
    const { value, events } = open({ managementUrl: `http://127.0.0.1:${proxy.port}` });
    expect(await value()).toMatchObject({ ready: 7, unacked: 0 });

    await proxy.cut();
    for (let i = 0; i < 5; i += 1) expect(await value()).toEqual({ ready: 7, unacked: null, consumers: 0 });
    expect(events.of("observe.source.switched")).toMatchObject([
      { source: "AMQP", preferred: false, why: expect.stringContaining("cannot reach the management API") as string },
    ]);

    await proxy.mend();
    await until(async () => (await value()).unacked === 0);
    expect(events.of("observe.source.switched")).toMatchObject([
      { source: "AMQP" },
      { source: "the management API", preferred: true },
    ]);
    expect(events.of("observe.queue.unacked_invisible")).toHaveLength(1);
  });

  it("knows by AMQP what the management API has told of the queue: that it serves one consumer at a time", async () => {
    await vhost.declare("in order", { arguments: { "x-single-active-consumer": true } });
    const proxy = await tcpProxy(portOf(vhost.managementUrl));
    const { value } = open({ managementUrl: `http://127.0.0.1:${proxy.port}`, queueName: "in order" });
    expect(await value()).toMatchObject({ unacked: 0, singleConsumer: true });
    await proxy.cut();
    expect(await value()).toEqual({ ready: 0, unacked: null, consumers: 0, singleConsumer: true });
  });

  it("loses no reading to a management API that hangs", async () => {
    const proxy = await tcpProxy(portOf(vhost.managementUrl));
    const { value, events } = open({ managementUrl: `http://127.0.0.1:${proxy.port}`, timeoutMs: 5_000 });
    await value();
    proxy.swallow();
    for (let i = 0; i < 4; i += 1) expect(await value()).toMatchObject({ ready: 7, unacked: null });
    expect(events.of("observe.source.switched")).toMatchObject([
      { why: expect.stringContaining("not answer in time") as string },
    ]);
  });

  it("says what is wrong with both when both are away, in the same words each time, and recovers", async () => {
    const [management, amqp] = [await tcpProxy(portOf(vhost.managementUrl)), await tcpProxy(portOf(vhost.amqpUrl))];
    const connection = vhost.amqpUrl.replace(/:\d+\//, `:${amqp.port}/`);
    const { value, trouble } = open({ connection, managementUrl: `http://127.0.0.1:${management.port}` });
    await value();
    await Promise.all([management.cut(), amqp.cut()]);
    await trouble();
    const first = await trouble();
    expect(first).toMatchObject({ code: "unreachable" });
    expect((await trouble()).message).toBe(first.message);
    await management.mend();
    expect(await value()).toMatchObject({ ready: 7, unacked: 0 });
  });

  it("gives up in time when both hang", async () => {
    const [management, amqp] = [await tcpProxy(portOf(vhost.managementUrl)), await tcpProxy(portOf(vhost.amqpUrl))];
    management.swallow();
    amqp.swallow();
    const connection = vhost.amqpUrl.replace(/:\d+\//, `:${amqp.port}/`);
    const { trouble } = open({ connection, managementUrl: `http://127.0.0.1:${management.port}`, timeoutMs: 300 });
    for (let i = 0; i < 3; i += 1) expect(await trouble()).toMatchObject({ code: "timeout" });
  });

  it("falls back from a server that is no broker, and from one behind another path", async () => {
    const html = await webServer((_, response) => void response.setHeader("content-type", "text/html").end("<html>"));
    const wrongPath = `${vhost.managementUrl}/rabbit`;
    for (const [managementUrl, word] of [
      [html, "text/html"],
      [wrongPath, "path prefix"],
    ] as const) {
      const { value, events } = open({ managementUrl });
      expect(await value()).toMatchObject({ ready: 7, unacked: null });
      expect(events.of("observe.source.switched")).toMatchObject([{ why: expect.stringContaining(word) as string }]);
    }
  });

  it("reads through a proxy with a path prefix", async () => {
    const proxy = await managementProxy(vhost.managementUrl, "/rabbit");
    const { value, events } = open({ managementUrl: `${proxy.url}/` });
    expect(await value()).toMatchObject({ ready: 7, unacked: 0 });
    expect(proxy.paths.every((path) => path.startsWith("/rabbit/api/"))).toBe(true);
    expect(events.names("observe.source")).toEqual([]);
  });
});

describeBroker("DESIGN 7.4: a broker's refusals are told apart", () => {
  it("a wrong password: refused by both, and never printed", async () => {
    const { trouble, queue } = open({ connection: vhost.amqpUrl.replace(CREDENTIALS, "guest:hunter2") });
    const refusal = await trouble();
    expect(refusal).toMatchObject({ code: "unauthorised" });
    expect(refusal.message).toContain("tag management");
    expect(JSON.stringify([refusal.message, await queue.diagnose()])).not.toContain("hunter2");
  });

  it("a user without a tag: by AMQP, with the tag named", async () => {
    const { connection } = await user("plain");
    const { value, events } = open({ connection });
    expect(await value()).toMatchObject({ ready: 7, unacked: null });
    expect(events.of("observe.source.switched")).toMatchObject([
      { why: expect.stringContaining("tag management") as string },
    ]);
  });

  it("a permission taken away while reading, and given back", async () => {
    const { connection, permissions } = await user("tagged", { tags: "management" });
    const { value, trouble, events, queue } = open({ connection });
    expect(await value()).toMatchObject({ ready: 7, unacked: 0 });
    await vhost.api("DELETE", permissions);
    expect(await trouble()).toMatchObject({ code: "forbidden" });
    await vhost.api("PUT", permissions, READ_ONLY);
    expect(await value()).toMatchObject({ ready: 7, unacked: 0 });
    expect(events.all.map(({ name }) => name)).toEqual([]);
    expect((await queue.diagnose()).filter(({ status }) => status === "failed")).toEqual([]);
  });

  it("a vhost that is not there", async () => {
    const { trouble } = open({ connection: `${vhost.amqpUrl}-not` });
    expect(await trouble()).toMatchObject({ code: "missing-vhost" });
  });

  it("a diagnosis of a queue in order names its type, and has nothing to mend", async () => {
    const findings = await open({}).queue.diagnose();
    expect(findings.map(({ subject, status }) => `${subject}: ${status}`)).toEqual([
      "AMQP: ok",
      "queue: ok",
      "management API: ok",
      "statistics: ok",
      "alarms: ok",
    ]);
    expect(findings[1]?.found).toContain("classic");
  });

  it("a diagnosis names what is missing or of no use, with a remedy", async () => {
    await vhost.declare("log", { arguments: { "x-queue-type": "stream" } });
    const { connection } = await user("untagged");
    const cases = [
      [{ queueName: "nothing" }, "queue", "failed", "declare it"],
      [{ queueName: "nothing", management: false }, "queue", "failed", "declare it"],
      [{ queueName: "log" }, "queue", "failed", "classic or quorum"],
      [{ connection }, "management API", "warning", "tag management"],
      [{ connection: "amqp://guest:guest@127.0.0.1:1", management: false }, "AMQP", "failed", "queue_connection"],
    ] as const;
    for (const [options, subject, status, remedy] of cases) {
      const finding = (await open(options).queue.diagnose()).find((each) => each.subject === subject);
      expect(finding).toMatchObject({ status, remedy: expect.stringContaining(remedy) as string });
    }
  });
});

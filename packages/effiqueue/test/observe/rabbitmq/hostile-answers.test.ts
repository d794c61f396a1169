import { createServer, type Socket } from "node:net";
import { beforeAll, expect, it, onTestFinished } from "vitest";
import { describeBroker, type TestVhost, testVhost } from "../../support/broker.ts";
import { openQueue } from "./open-queue.ts";

let vhost: TestVhost;

beforeAll(async () => {
  vhost = await testVhost();
  await vhost.declare("work");
  await vhost.publish("work", 7);
});

interface Answering {
  readonly url: string;
  /** What clients have sent. */
  readonly heard: string[];
}

/** A server on 127.0.0.1 that answers each request on the bare connection; goes with the test. */
async function answering(answer: (socket: Socket) => void): Promise<Answering> {
  const heard: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined).once("close", () => sockets.delete(socket));
    socket.once("data", (text) => {
      heard.push(text.toString());
      answer(socket);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  return { url: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`, heard };
}

const HEAD = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";

/** One byte a second, of an answer that never becomes whole. */
function trickle(socket: Socket): void {
  let sent = 0;
  const timer = setInterval(() => socket.write(HEAD[sent++ % HEAD.length] ?? ""), 1_000);
  socket.once("close", () => clearInterval(timer));
}

/** As fast as it is taken. */
function flood(socket: Socket): void {
  const part = `${"9".repeat(65_536)},`;
  const more = (): void => {
    while (!socket.destroyed && socket.write(part));
  };
  socket.write(`${HEAD}\r\n[`);
  socket.on("drain", more);
  more();
}

describeBroker("DESIGN 7.1, 7.4: a management API that answers nonsense costs no reading and no memory", () => {
  it.each<[string, (socket: Socket) => void, string]>([
    [
      "bytes that are no HTTP",
      (socket) => socket.end(Buffer.from("\x16\x03\x01\x02\xff\x00garbage\r\n\r\n", "latin1")),
      "no HTTP",
    ],
    ["one byte a second", trickle, "not answer in time"],
    ["a header without end", (socket) => socket.write(`${HEAD}X: ${"x".repeat(1 << 20)}`), "no HTTP"],
    ["a body without end", flood, "more than it was asked for"],
    ["a body that is cut off", (socket) => socket.end(`${HEAD}Content-Length: 100\r\n\r\n{"items":[`), "cannot reach"],
    ["brackets, a million deep", (socket) => socket.end(`${HEAD}\r\n${"[".repeat(1_000_000)}`), "broken"],
    ["JSON that is no list of queues", (socket) => socket.end(`${HEAD}\r\n{"items":{"name":7}}`), "management API"],
  ])("%s", async (_, answer, why) => {
    const server = await answering(answer);
    const { value, events } = openQueue({ connection: vhost.amqpUrl, managementUrl: server.url, timeoutMs: 10_000 });
    expect(await value()).toEqual({ ready: 7, unacked: null, consumers: 0 });
    expect(server.heard.length).toBeGreaterThan(0);
    expect(events.of("observe.source.switched")).toMatchObject([
      { source: "AMQP", why: expect.stringContaining(why) as string },
    ]);
  });

  it("a redirect, which nobody follows: the password goes nowhere else", async () => {
    const elsewhere = await answering((socket) => socket.end(`${HEAD}\r\n{}`));
    const server = await answering((socket) =>
      socket.end(`HTTP/1.1 302 Found\r\nLocation: ${elsewhere.url}/\r\nContent-Length: 0\r\n\r\n`),
    );
    const { value, events } = openQueue({ connection: vhost.amqpUrl, managementUrl: server.url });
    for (let i = 0; i < 4; i += 1) expect(await value()).toMatchObject({ ready: 7, unacked: null });
    expect(events.of("observe.source.switched")).toMatchObject([{ why: expect.stringContaining("302") as string }]);
    expect(elsewhere.heard).toEqual([]);
  });
});

import { createServer } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { systemClock } from "../../../src/loop/clock.ts";
import type { Clock } from "../../../src/model/ports.ts";
import { brokerAddress } from "../../../src/observe/rabbitmq/address.ts";
import { AmqpReader } from "../../../src/observe/rabbitmq/amqp.ts";

/** As in a process that has nothing else to do: it ends before a timer that does not keep it alive. */
const lastThingClock: Clock = {
  ...systemClock,
  after: (delayMs, callback, options) =>
    options?.background === true ? () => undefined : systemClock.after(delayMs, callback),
};

it("DESIGN 7.3: a broker that does not answer a goodbye holds up the end for a moment, and does not cut it off", {
  timeout: 20_000,
}, async () => {
  const silent = createServer((socket) => void socket.on("error", () => undefined).resume());
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void silent.close());
  const address = silent.address();
  const port = typeof address === "object" ? (address?.port ?? 0) : 0;
  const asked = { whom: "the broker", isManagement: false, vhost: "/", queue: "work" };
  const reader = new AmqpReader(brokerAddress(`amqp://127.0.0.1:${port}`), asked, {}, lastThingClock);
  const reading = reader.read(600_000);
  const failed = expect(reading).rejects.toThrow();
  await reader.close();
  await failed;
});

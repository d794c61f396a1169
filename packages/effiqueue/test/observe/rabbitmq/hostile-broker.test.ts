import { describe, expect, it } from "vitest";
import { frame, goodbye, HANDSHAKE, type Line, scriptedBroker } from "../../support/scripted-broker.ts";
import { waitFor } from "../../support/wait-for.ts";
import { openQueue } from "./open-queue.ts";

/** Announces more than it sends, for ever. */
const endless = Buffer.from([1, 0, 0, 0x03, 0xff, 0xff, 0xff, 0, 10]);

const odd: readonly [string, (line: Buffer) => Buffer | null][] = [
  ["hangs up", () => null],
  ["says what is no AMQP", () => Buffer.from("HTTP/1.1 400 Bad Request\r\n\r\n")],
  ["says the first half", (line) => line.subarray(0, line.length - 3)],
  ["says a frame of 64 MB", () => endless],
  ["says goodbye", () => goodbye(541, "INTERNAL_ERROR")],
  ["says goodbye in the same breath", (line) => Buffer.concat([line, goodbye(541, "INTERNAL_ERROR")])],
  ["goes on with a method that nobody knows", (line) => Buffer.concat([line, frame(0, 99, 99)])],
  ["goes on about a channel that nobody opened", (line) => Buffer.concat([line, frame(7, 60, 60)])],
  ["says it twice", (line) => Buffer.concat([line, line])],
];

describe("DESIGN 7.3: a broker that speaks nonsense costs readings, never the process", () => {
  it.each(odd)(
    "one that %s, at each step of the handshake, is read again when it has come to its senses",
    async (_, say) => {
      await Promise.all(HANDSHAKE.map((line) => survives(line, say)));
    },
  );

  it("one that goes on in the same breath is heard at once, not when the time is over", async () => {
    const broker = await scriptedBroker();
    broker.misbehave("opened", (line) => Buffer.concat([line, goodbye(541, "INTERNAL_ERROR - vhost is down")]));
    const { trouble } = openQueue({ connection: broker.url, management: false });
    expect((await trouble()).code).toBe("unreachable");
  });
});

async function survives(line: Line, say: (line: Buffer) => Buffer | null): Promise<void> {
  const broker = await scriptedBroker();
  broker.misbehave(line, say);
  const { queue } = openQueue({ connection: broker.url, management: false, timeoutMs: 300 });
  await queue.read();
  broker.misbehave();
  const isRead = async (): Promise<boolean> => (await queue.read()).kind === "ok";
  await waitFor(isRead, { what: `a reading after nonsense in place of "${line}"` });
}

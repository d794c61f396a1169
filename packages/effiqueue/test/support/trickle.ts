/** Messages that arrive steadily, whatever happens to those that arrived before. */
import { connect } from "amqplib";
import { onTestFinished } from "vitest";

/**
 * One message for each of the queues every `everyMs`, on average: a late timer is made up for.
 *
 * @returns ends it, as the end of the test does at the latest
 */
export async function trickle(
  { amqpUrl }: { readonly amqpUrl: string },
  queues: readonly string[],
  everyMs: number,
): Promise<() => Promise<void>> {
  const connection = await connect(amqpUrl);
  connection.on("error", () => undefined);
  const channel = await connection.createChannel();
  const from = performance.now();
  let sent = 0;
  const timer = setInterval(() => {
    for (; sent < (performance.now() - from) / everyMs; sent += 1) {
      for (const queue of queues) channel.sendToQueue(queue, Buffer.from("x"));
    }
  }, everyMs);
  let ended: Promise<void> | undefined;
  const end = (): Promise<void> => {
    clearInterval(timer);
    ended ??= connection.close();
    return ended;
  };
  onTestFinished(end);
  return end;
}

/** A queue of the real broker as the daemon opens it, with what it says on record, closed when the test ends. */
import { onTestFinished } from "vitest";
import { systemClock } from "../../../src/loop/clock.ts";
import type { QueueReading } from "../../../src/model/observation.ts";
import {
  openRabbitQueue,
  RabbitError,
  type RabbitOptions,
  type RabbitQueue,
} from "../../../src/observe/rabbitmq/index.ts";
import { showsNoPassword } from "../../support/password.ts";
import { Recorder } from "../../support/recorder.ts";

export interface OpenQueue {
  readonly queue: RabbitQueue;
  readonly events: Recorder;
  /** Fails when the queue cannot be read. */
  readonly value: () => Promise<QueueReading>;
  /** Fails when it can. */
  readonly trouble: () => Promise<RabbitError>;
}

export function openQueue(options: Partial<RabbitOptions> & Pick<RabbitOptions, "connection">): OpenQueue {
  const events = new Recorder();
  const queue = openRabbitQueue({
    program: "test",
    queueName: "work",
    management: true,
    clock: systemClock,
    reporter: events,
    // A busy machine is no trouble of the broker.
    timeoutMs: 20_000,
    ...options,
  });
  onTestFinished(() => queue.close());
  showsNoPassword(() => JSON.stringify(events.all));
  return {
    queue,
    events,
    value: async () => {
      const reading = await queue.read();
      if (reading.kind !== "ok") throw reading.cause;
      return reading.value;
    },
    trouble: async () => {
      const reading = await queue.read();
      if (reading.kind === "ok") throw new Error(`it could be read: ${JSON.stringify(reading.value)}`);
      if (!(reading.cause instanceof RabbitError)) throw reading.cause;
      return reading.cause;
    },
  };
}

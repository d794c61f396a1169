/**
 * What a RabbitMQ queue is opened with, and what it then offers beyond being read. DESIGN 7.1. Types only.
 */
import type { Diagnosis } from "../../model/diagnosis.ts";
import type { Clock, QueueSource, Reporter } from "../../model/ports.ts";
import type { QueueLists } from "./queue-lists.ts";
import type { TlsFiles } from "./tls-files.ts";

export interface RabbitOptions extends TlsFiles {
  readonly program: string;
  /** `amqp://` or `amqps://`, with credentials and vhost. */
  readonly connection: string;
  readonly queueName: string;
  /** False: the management API is never asked. */
  readonly management: boolean;
  /** Default: the host of `connection` at port 15672, or by HTTPS at 15671 for `amqps`. Without credentials those of `connection` hold. */
  readonly managementUrl?: string | undefined;
  readonly clock: Clock;
  readonly reporter: Reporter;
  /** What one reading may take, both ways of reading together. Default 5,000. */
  readonly timeoutMs?: number;
  /** Queues that were given the same are asked for together where that is possible. Default: one of its own. */
  readonly lists?: QueueLists;
}

export interface RabbitQueue extends QueueSource {
  /** Everything that could keep the queue from being read, asked once, in the order in which it matters. Never rejects. */
  diagnose(): Promise<readonly Diagnosis[]>;
  /** Ends the connections. The queue can still be read, and then connects anew. */
  close(): Promise<void>;
}

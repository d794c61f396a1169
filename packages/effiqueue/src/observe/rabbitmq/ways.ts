/**
 * How one queue can be reached, put together once. DESIGN 7.1. Types only.
 */
import type { Clock, Reporter } from "../../model/ports.ts";
import type { AmqpReader } from "./amqp.ts";
import type { BrokerWatch } from "./broker-watch.ts";
import type { ManagementClient } from "./http.ts";
import type { QueueList } from "./queue-list.ts";

export interface Ways {
  readonly program: string;
  readonly amqp: AmqpReader;
  /** `null`: not to be asked. */
  readonly management: {
    readonly client: ManagementClient;
    readonly list: QueueList;
    readonly watch: BrokerWatch;
  } | null;
  readonly clock: Clock;
  readonly reporter: Reporter;
  readonly timeoutMs: number;
}

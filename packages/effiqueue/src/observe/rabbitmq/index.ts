/**
 * The RabbitMQ backend. DESIGN 7.1.
 */
import { brokerAddress, brokerName, managementAddress, managementName } from "./address.ts";
import { AmqpReader } from "./amqp.ts";
import { BrokerWatch } from "./broker-watch.ts";
import { ManagementClient } from "./http.ts";
import type { RabbitOptions, RabbitQueue } from "./options.ts";
import { QueueLists } from "./queue-lists.ts";
import { RabbitSource } from "./source.ts";
import type { Ways } from "./ways.ts";

export { RabbitError, type RabbitErrorCode } from "./errors.ts";
export type { RabbitOptions, RabbitQueue } from "./options.ts";
export { QueueLists } from "./queue-lists.ts";

const DEFAULT_TIMEOUT_MS = 5_000;

/**
 * Connects to nothing before the first reading.
 *
 * @throws RabbitError when an address is no URL of its kind
 */
export function openRabbitQueue(options: RabbitOptions): RabbitQueue {
  const {
    program,
    clock,
    reporter,
    queueName: queue,
    timeoutMs = DEFAULT_TIMEOUT_MS,
    lists = new QueueLists(),
  } = options;
  const broker = brokerAddress(options.connection);
  const { vhost } = broker;
  const amqp = new AmqpReader(broker, { whom: brokerName(broker), isManagement: false, vhost, queue }, options, clock);
  return new RabbitSource({ program, amqp, management: managementOf(), clock, reporter, timeoutMs });

  function managementOf(): Ways["management"] {
    if (!options.management) return null;
    const address = managementAddress(broker, options.managementUrl);
    const whom = `the management API at ${managementName(address)}`;
    const asked = { whom, isManagement: true, vhost };
    const client = new ManagementClient(address, asked, options, clock);
    const list = lists.of(address, asked, options, clock);
    return { client, list, watch: new BrokerWatch(client, program, clock, reporter) };
  }
}

/**
 * The RabbitMQ backend. DESIGN 7.1.
 */
import { brokerAddress, brokerName, managementAddress, managementName } from "./address.ts";
import { AmqpReader } from "./amqp.ts";
import { BrokerWatch } from "./broker-watch.ts";
import { ManagementClient } from "./http.ts";
import type { RabbitOptions, RabbitQueue } from "./options.ts";
import { RabbitSource } from "./source.ts";
import type { Ways } from "./ways.ts";

export { RabbitError, type RabbitErrorCode } from "./errors.ts";
export type { RabbitOptions, RabbitQueue } from "./options.ts";

const DEFAULT_TIMEOUT_MS = 5_000;

/**
 * Connects to nothing before the first reading.
 *
 * @throws RabbitError when an address is no URL of its kind
 */
export function openRabbitQueue(options: RabbitOptions): RabbitQueue {
  const { program, clock, reporter, queueName: queue, timeoutMs = DEFAULT_TIMEOUT_MS } = options;
  const broker = brokerAddress(options.connection);
  const asked = { vhost: broker.vhost, queue };
  const amqp = new AmqpReader(broker, { ...asked, whom: brokerName(broker), isManagement: false }, options, clock);
  return new RabbitSource({ program, amqp, management: managementOf(), clock, reporter, timeoutMs });

  function managementOf(): Ways["management"] {
    if (!options.management) return null;
    const address = managementAddress(broker, options.managementUrl);
    const whom = `the management API at ${managementName(address)}`;
    const client = new ManagementClient(address, { ...asked, whom, isManagement: true }, options, clock);
    return { client, watch: new BrokerWatch(client, program, clock, reporter) };
  }
}

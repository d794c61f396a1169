/**
 * A queue by the management API: counts from the totals of the list, which are live, rates and counters from the answer about
 * the queue, which is as old as the broker's statistics. DESIGN 7.2.
 */
import type { QueueReading } from "../../model/observation.ts";
import type { Clock } from "../../model/ports.ts";
import { msToSec } from "../../units.ts";
import { RabbitError } from "./errors.ts";
import type { ManagementClient } from "./http.ts";
import { type QueueStats, queueIn, queueStats } from "./parse.ts";
import { patternOf, type QueueList } from "./queue-list.ts";
import { type RejectWatch, withRejects } from "./rejects.ts";
import { type AskedQueue, isStream, missingQueue } from "./troubles.ts";

interface ManagementParts {
  readonly client: ManagementClient;
  readonly list: QueueList;
}

export class ManagementReader {
  readonly #client: ManagementClient;
  readonly #list: QueueList;
  readonly #asked: AskedQueue;
  readonly #queuePath: string;
  readonly #clock: Clock;
  #rejects: RejectWatch | null = null;
  #servesOne: Pick<QueueReading, "singleConsumer"> = {};

  constructor({ client, list }: ManagementParts, queue: string, clock: Clock) {
    this.#client = client;
    this.#list = list;
    this.#asked = { ...client.asked, queue };
    this.#queuePath = queuePath(client.asked.vhost, queue);
    this.#clock = clock;
  }

  /** @throws RabbitError */
  async read(timeoutMs: number): Promise<QueueReading> {
    const [totals, stats] = await Promise.all([
      this.#list.totals(this, this.#asked.queue, timeoutMs),
      this.#stats(timeoutMs),
    ]);
    if (totals === undefined && stats === undefined) throw missingQueue(this.#asked);
    if ((totals?.type ?? stats?.totals.type) === "stream") throw isStream(this.#asked);
    if (stats !== undefined) this.#servesOne = stats.singleConsumer ? { singleConsumer: true } : {};
    const ready = totals?.ready ?? stats?.totals.ready ?? null;
    const unacked = totals?.unacked ?? stats?.totals.unacked ?? null;
    if (ready === null) throw uncounted(this.#asked);
    return { ready, unacked, ...this.#rates(stats, unacked), ...this.#age(stats, ready), ...this.#servesOne };
  }

  /** What AMQP cannot tell of the queue, and what stays as it was declared. */
  get servesOne(): Pick<QueueReading, "singleConsumer"> {
    return this.#servesOne;
  }

  close(): void {
    this.#client.close();
    this.#list.leave(this);
  }

  /** The stamp is as old as the statistics, and may be of a message that is gone: where nothing waits there is no age. */
  #age(stats: QueueStats | undefined, ready: number): Partial<QueueReading> {
    const stampSec = stats?.headStampSec ?? null;
    if (stampSec === null || ready === 0) return {};
    return { oldestAgeSec: Math.max(0, msToSec(this.#clock.wallMs()) - stampSec) };
  }

  /** The list has just said that the vhost is there, so a 404 here is of the queue. */
  async #stats(timeoutMs: number): Promise<QueueStats | undefined> {
    try {
      const queue = queueIn(await this.#client.get(this.#queuePath, timeoutMs));
      return queue === undefined ? undefined : queueStats(queue);
    } catch (error) {
      if (error instanceof RabbitError && error.code === "missing-vhost") return undefined;
      throw error;
    }
  }

  #rates(stats: QueueStats | undefined, unacked: number | null): Partial<QueueReading> {
    if (stats === undefined) return {};
    const { watch, finished } = withRejects(this.#rejects, stats, unacked);
    this.#rejects = watch;
    return {
      ackedTotal: finished.total,
      ackRate: finished.rate,
      publishedTotal: stats.arrived.total,
      publishRate: stats.arrived.rate,
      consumers: stats.consumers,
    };
  }
}

const uncounted = ({ whom, queue }: AskedQueue): RabbitError =>
  new RabbitError(
    "other",
    `${whom} has no counts of queue "${queue}" yet`,
    "it has them a few seconds after the broker started",
  );

/** Only what is needed: a queue with hundreds of consumers would answer with a page about each. */
const COLUMNS =
  "name,type,messages,messages_ready,messages_unacknowledged,consumers,message_stats,head_message_timestamp,consumer_details.consumer_tag,arguments.x-single-active-consumer";

/** Dots alone are a way through folders to a server, however they are encoded: such a queue only the list has. */
export function queuePath(vhost: string, queue: string): string {
  const list = `/api/queues/${encodeURIComponent(vhost)}`;
  return /^\.{1,2}$/.test(queue)
    ? `${list}?page=1&page_size=1&use_regex=true&name=${patternOf(queue)}&columns=${COLUMNS}`
    : `${list}/${encodeURIComponent(queue)}?columns=${COLUMNS}`;
}

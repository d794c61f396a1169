/**
 * A queue by the management API: counts from the totals of the list, which are live, rates and counters from the answer about
 * the queue, which is as old as the broker's statistics. DESIGN 7.2.
 */
import type { QueueReading } from "../../model/observation.ts";
import type { Clock } from "../../model/ports.ts";
import { msToSec } from "../../units.ts";
import { RabbitError } from "./errors.ts";
import type { ManagementClient } from "./http.ts";
import { type QueueStats, queueStats, type Totals, totalsIn } from "./parse.ts";
import { type RejectWatch, withRejects } from "./rejects.ts";
import { isStream, missingQueue } from "./troubles.ts";

export class ManagementReader {
  readonly #client: ManagementClient;
  readonly #listPath: string;
  readonly #queuePath: string;
  readonly #clock: Clock;
  #rejects: RejectWatch | null = null;

  constructor(client: ManagementClient, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
    const { vhost, queue } = client.asked;
    this.#listPath = listPath(vhost, queue);
    this.#queuePath = queuePath(vhost, queue);
  }

  /** @throws RabbitError */
  async read(timeoutMs: number): Promise<QueueReading> {
    const [totals, stats] = await Promise.all([this.#totals(timeoutMs), this.#stats(timeoutMs)]);
    if (totals === undefined && stats === undefined) throw missingQueue(this.#client.asked);
    if ((totals?.type ?? stats?.totals.type) === "stream") throw isStream(this.#client.asked);
    const ready = totals?.ready ?? stats?.totals.ready ?? null;
    const unacked = totals?.unacked ?? stats?.totals.unacked ?? null;
    if (ready === null) throw uncounted(this.#client);
    return { ready, unacked, ...this.#rates(stats, unacked), ...this.#age(stats, ready) };
  }

  /** The stamp is as old as the statistics, and may be of a message that is gone: where nothing waits there is no age. */
  #age(stats: QueueStats | undefined, ready: number): Partial<QueueReading> {
    const stampSec = stats?.headStampSec ?? null;
    if (stampSec === null || ready === 0) return {};
    return { oldestAgeSec: Math.max(0, msToSec(this.#clock.wallMs()) - stampSec) };
  }

  async #totals(timeoutMs: number): Promise<Totals | undefined> {
    const list = await this.#client.get(this.#listPath, timeoutMs);
    return totalsIn(list, this.#client.asked.queue);
  }

  /** The list has just said that the vhost is there, so a 404 here is of the queue. */
  async #stats(timeoutMs: number): Promise<QueueStats | undefined> {
    try {
      return queueStats(await this.#client.get(this.#queuePath, timeoutMs));
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

const uncounted = ({ asked }: ManagementClient): RabbitError =>
  new RabbitError(
    "other",
    `${asked.whom} has no counts of queue "${asked.queue}" yet`,
    "it has them a few seconds after the broker started",
  );

/** Only what is needed: a queue with hundreds of consumers would answer with a page about each. */
const COLUMNS =
  "name,type,messages,messages_ready,messages_unacknowledged,consumers,message_stats,head_message_timestamp,consumer_details.consumer_tag";

export const queuePath = (vhost: string, queue: string): string =>
  `/api/queues/${encodeURIComponent(vhost)}/${encodeURIComponent(queue)}?columns=${COLUMNS}`;

/** The list alone has live totals; a broker too old for them ignores the parameters and answers with what its statistics have. */
export function listPath(vhost: string, queue: string): string {
  const name = encodeURIComponent(`^${queue.replaceAll(/[\\^$.*+?()[\]{}|#]/g, "\\$&")}$`);
  const narrowed = `page=1&page_size=100&use_regex=true&name=${name}`;
  return `/api/queues/${encodeURIComponent(vhost)}?disable_stats=true&enable_queue_totals=true&${narrowed}`;
}

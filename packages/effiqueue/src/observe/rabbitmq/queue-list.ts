/**
 * The live totals of queues, which only the list tells. For each answer the broker goes through all queues of the vhost, so whoever
 * asks at about the same moment asks together. DESIGN 7.19.
 */
import type { Clock } from "../../model/ports.ts";
import type { ManagementClient } from "./http.ts";
import { type Totals, totalsIn } from "./parse.ts";

/** Programs of one grid ask within a millisecond or two, and nobody misses so short a while. */
const GATHERED_FOR_MS = 5;

/** Half of what an answer holds: the filter of the broker ignores case, so names that nobody asked for may be in it. */
const MOST_QUEUES = 50;
const PAGE_SIZE = 2 * MOST_QUEUES;

/** Servers take a path of 8,000 characters, some proxies of half of it. With one name it is below 2,500, whatever the name. */
const LONGEST_PATH = 3_000;

/** Those who ask together. */
interface Round {
  readonly queues: Set<string>;
  readonly timeoutMs: number;
  readonly answer: Promise<unknown>;
}

type Client = Pick<ManagementClient, "asked" | "get" | "close">;

export class QueueList {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #askers = new Set<object>();
  /** Not sent yet; `null`: nobody waits. */
  #round: Round | null = null;

  constructor(client: Client, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  /**
   * @param asker holds the connection until it leaves
   * @returns `undefined`: there is no such queue
   * @throws RabbitError, the same for all who asked together
   */
  async totals(asker: object, queue: string, timeoutMs: number): Promise<Totals | undefined> {
    this.#askers.add(asker);
    const round = this.#roundFor(queue, timeoutMs);
    round.queues.add(queue);
    return totalsIn(await round.answer, queue);
  }

  /** It may come again. */
  leave(asker: object): void {
    this.#askers.delete(asker);
    if (this.#askers.size === 0) this.#client.close();
  }

  #roundFor(queue: string, timeoutMs: number): Round {
    const { vhost } = this.#client.asked;
    if (this.#round === null || !fits(this.#round, vhost, queue, timeoutMs)) this.#round = this.#begun(timeoutMs);
    return this.#round;
  }

  #begun(timeoutMs: number): Round {
    const queues = new Set<string>();
    const since = this.#clock.monotonicMs();
    const answer = new Promise((resolve, reject) => {
      this.#clock.after(GATHERED_FOR_MS, () => {
        if (this.#round?.queues === queues) this.#round = null;
        const leftMs = timeoutMs - (this.#clock.monotonicMs() - since);
        this.#client.get(listPath(this.#client.asked.vhost, [...queues]), leftMs).then(resolve, reject);
      });
    });
    return { queues, timeoutMs, answer };
  }
}

/** Who has more or less time is asked for apart, so that everybody has the time that was given. */
function fits({ queues, timeoutMs }: Round, vhost: string, queue: string, askersTimeoutMs: number): boolean {
  if (timeoutMs !== askersTimeoutMs) return false;
  return queues.has(queue) || (queues.size < MOST_QUEUES && listPath(vhost, [...queues, queue]).length <= LONGEST_PATH);
}

/** A broker too old for live totals ignores the parameters and answers with what its statistics have. */
export function listPath(vhost: string, queues: readonly string[]): string {
  const pattern = queues.map((queue) => `^${queue.replaceAll(/[\\^$.*+?()[\]{}|#]/g, "\\$&")}$`).join("|");
  const narrowed = `page=1&page_size=${PAGE_SIZE}&use_regex=true&name=${encodeURIComponent(pattern)}`;
  return `/api/queues/${encodeURIComponent(vhost)}?disable_stats=true&enable_queue_totals=true&${narrowed}`;
}

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

/** Servers take an address of 8,000 characters, some proxies of half of it. One name has at most 1,600. */
const LONGEST_PATTERN = 2_000;

/** Those who ask together. */
interface Round {
  readonly patterns: Set<string>;
  readonly timeoutMs: number;
  readonly answer: Promise<ReturnType<typeof totalsIn>>;
}

type Client = Pick<ManagementClient, "asked" | "get" | "close">;

export class QueueList {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #onUnused: () => void;
  readonly #askers = new Set<object>();
  /** Not sent yet; `null`: nobody waits. */
  #round: Round | null = null;

  /** @param onUnused the last asker has left */
  constructor(client: Client, clock: Clock, onUnused: () => void = () => undefined) {
    this.#client = client;
    this.#clock = clock;
    this.#onUnused = onUnused;
  }

  /**
   * @param asker holds the connection until it leaves
   * @returns `undefined`: there is no such queue
   * @throws RabbitError, the same for all who asked together
   */
  async totals(asker: object, queue: string, timeoutMs: number): Promise<Totals | undefined> {
    this.#askers.add(asker);
    const pattern = patternOf(queue);
    if (this.#round === null || !fits(this.#round, pattern, timeoutMs)) this.#round = this.#begun(timeoutMs);
    this.#round.patterns.add(pattern);
    return (await this.#round.answer).get(queue);
  }

  /** It may come again. */
  leave(asker: object): void {
    this.#askers.delete(asker);
    if (this.#askers.size > 0) return;
    this.#client.close();
    this.#onUnused();
  }

  #begun(timeoutMs: number): Round {
    const patterns = new Set<string>();
    const since = this.#clock.monotonicMs();
    const send = (): Promise<unknown> => {
      if (this.#round?.patterns === patterns) this.#round = null;
      const leftMs = timeoutMs - (this.#clock.monotonicMs() - since);
      return this.#client.get(listPath(this.#client.asked.vhost, [...patterns]), leftMs);
    };
    const gathered = new Promise<void>((resolve) => void this.#clock.after(GATHERED_FOR_MS, resolve));
    return { patterns, timeoutMs, answer: gathered.then(send).then(totalsIn) };
  }
}

/** Who has more or less time is asked for apart, so that everybody has the time that was given. */
const fits = ({ patterns, timeoutMs }: Round, pattern: string, askersTimeoutMs: number): boolean =>
  timeoutMs === askersTimeoutMs &&
  (patterns.has(pattern) || (patterns.size < MOST_QUEUES && joined([...patterns, pattern]).length <= LONGEST_PATTERN));

/** Of a broker, for a name and nothing else, encoded. */
export const patternOf = (queue: string): string =>
  encodeURIComponent(`^${queue.replaceAll(/[\\^$.*+?()[\]{}|#]/g, "\\$&")}$`);

const joined = (patterns: readonly string[]): string => patterns.join(encodeURIComponent("|"));

/** A broker too old for live totals ignores the parameters and answers with what its statistics have. */
export function listPath(vhost: string, patterns: readonly string[]): string {
  const narrowed = `page=1&page_size=${PAGE_SIZE}&use_regex=true&name=${joined(patterns)}`;
  return `/api/queues/${encodeURIComponent(vhost)}?disable_stats=true&enable_queue_totals=true&${narrowed}`;
}

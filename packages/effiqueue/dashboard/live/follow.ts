/**
 * The connection to the daemon: follows its events, polls where there are too many followers, and tries again, ever more slowly, when
 * it is gone. It says which of these it does; a page that has stopped must not look like a queue that stands still.
 */
import type { StatusReply } from "../../src/report/api-types.ts";
import { askStatus, request, TokenWanted } from "./daemon.ts";
import { readEvents } from "./stream.ts";

export type Connection = "connecting" | "live" | "polling" | "away";

export interface Follower {
  status(reply: StatusReply): void;
  connection(state: Connection): void;
  tokenWanted(): void;
}

/** The daemon breaks its silence every five seconds. */
const SILENCE_MS = 15_000;
const POLL_MS = 5_000;
const FIRST_RETRY_MS = 500;
const LAST_RETRY_MS = 10_000;

/** Until a token is wanted, which ends it. */
export async function follow(follower: Follower): Promise<void> {
  let retryMs = FIRST_RETRY_MS;
  for (;;) {
    const watch = new Watch(SILENCE_MS);
    try {
      const response = await request("api/events", watch.signal);
      await readEvents(response.body ?? new ReadableStream(), (event) => {
        watch.heard();
        if (event?.name !== "status") return;
        retryMs = FIRST_RETRY_MS;
        follower.connection("live");
        follower.status(JSON.parse(event.data) as StatusReply);
      });
      throw new Error("the daemon has ended the connection");
    } catch (error) {
      if (error instanceof TokenWanted) {
        follower.tokenWanted();
        return;
      }
    } finally {
      watch.end();
    }
    const isThere = await poll(follower);
    follower.connection(isThere ? "polling" : "away");
    await after(isThere ? POLL_MS : retryMs);
    if (!isThere) retryMs = Math.min(LAST_RETRY_MS, 2 * retryMs);
  }
}

/** Whether the daemon answers at all. */
async function poll(follower: Follower): Promise<boolean> {
  try {
    follower.status(await askStatus(AbortSignal.timeout(POLL_MS)));
    return true;
  } catch {
    return false;
  }
}

/** Gives up a request that has said nothing for too long. */
class Watch {
  readonly #controller = new AbortController();
  readonly #silenceMs: number;
  #timer: number;

  constructor(silenceMs: number) {
    this.#silenceMs = silenceMs;
    this.#timer = this.#set();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  heard(): void {
    clearTimeout(this.#timer);
    this.#timer = this.#set();
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#controller.abort();
  }

  #set(): number {
    return setTimeout(() => this.#controller.abort(), this.#silenceMs);
  }
}

const after = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

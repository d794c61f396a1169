/**
 * The worker's row in the store: who it is, and the lease that covers all its jobs. DESIGN 9.6, 10.3.
 */
import { setTimeout as pause } from "node:timers/promises";
import { type Logger, ownIdentity } from "effiqueue";
import { FlexiqError } from "../errors.ts";
import type { Store } from "../store/store.ts";
import { jittered, nextRetryMs, RETRY_FROM_MS } from "./pacing.ts";
import { TroubleLog } from "./trouble.ts";

export interface LeaseOptions {
  readonly slots: number;
  readonly queues: readonly string[] | null;
  readonly log: Logger;
  /** Runs that have ended. */
  readonly finished: () => number;
  /** Its jobs were given to others, because it was silent for longer than the lease. */
  readonly onLost: () => void;
}

export class Lease {
  /** Opens the file at first use, which may fail, so it is called late. */
  readonly #store: () => Store;
  readonly #options: LeaseOptions;
  #workerId = 0;
  #renewedAtMs = 0;
  #registering: Promise<void> | undefined;

  constructor(store: () => Store, options: LeaseOptions) {
    this.#store = store;
    this.#options = options;
  }

  /** 0: not taken yet. */
  get workerId(): number {
    return this.#workerId;
  }

  /**
   * Registers; a locked file is waited for until `givesUp`.
   *
   * @throws FlexiqError when the file cannot be used at all
   */
  async take(givesUp: () => boolean): Promise<void> {
    const trouble = new TroubleLog(this.#options.log, "open the queue");
    for (let retryMs = RETRY_FROM_MS; !givesUp(); retryMs = nextRetryMs(retryMs)) {
      try {
        await this.#register();
        trouble.worked();
        return;
      } catch (error) {
        if (!(error instanceof FlexiqError) || error.code !== "busy") throw error;
        trouble.failed(error);
        await pause(jittered(retryMs));
      }
    }
  }

  async renew(): Promise<void> {
    const id = this.#workerId;
    const sentAtMs = performance.now();
    if (await this.#store().heartbeat(id, this.#options.finished())) this.#renewedAtMs = sentAtMs;
    else await this.lost(id);
  }

  /** How long the store has not heard of this worker, in ms. */
  get silentForMs(): number {
    return performance.now() - this.#renewedAtMs;
  }

  /** The store does not know `id`: registers again, once, whoever noticed it first. */
  async lost(id: number): Promise<void> {
    if (id !== this.#workerId) return;
    this.#registering ??= this.#registerAgain().finally(() => {
      this.#registering = undefined;
    });
    await this.#registering;
  }

  async release(): Promise<void> {
    await this.#store().removeWorker(this.#workerId);
  }

  async #registerAgain(): Promise<void> {
    this.#options.onLost();
    await this.#register();
  }

  async #register(): Promise<void> {
    const { slots, queues } = this.#options;
    this.#renewedAtMs = performance.now();
    this.#workerId = await this.#store().registerWorker({ identity: ownIdentity(), slots, queues });
  }
}

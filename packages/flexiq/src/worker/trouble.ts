/**
 * Says that something cannot be done when that begins, when the cause changes, as a slow reminder, and when it is over: a
 * database that stays locked for a minute must not fill the log. DESIGN 6.1.
 */
import type { Logger } from "effiqueue";
import { FlexiqError } from "../errors.ts";

const REMIND_MS = 60_000;

export class TroubleLog {
  readonly #log: Logger;
  readonly #doing: string;
  #code: string | undefined;
  #sinceMs = 0;
  #saidMs = 0;

  /** @param doing completes "cannot ...", e.g. `renew the lease` */
  constructor(log: Logger, doing: string) {
    this.#log = log;
    this.#doing = doing;
  }

  failed(error: unknown): void {
    const code = error instanceof FlexiqError ? error.code : String(error);
    const now = performance.now();
    if (this.#code === undefined) this.#sinceMs = now;
    if (code === this.#code && now - this.#saidMs < REMIND_MS) return;
    this.#code = code;
    this.#saidMs = now;
    const message = error instanceof Error ? error.message : String(error);
    this.#log.error(
      { code, for_ms: Math.round(now - this.#sinceMs) },
      `cannot ${this.#doing}, goes on trying: ${message}`,
    );
  }

  worked(): void {
    if (this.#code === undefined) return;
    this.#code = undefined;
    const afterMs = Math.round(performance.now() - this.#sinceMs);
    this.#log.info({ after_ms: afterMs }, `can ${this.#doing} again after ${afterMs} ms`);
  }

  /** Runs `action`; what it throws is told and swallowed. */
  async guard(action: () => Promise<void>): Promise<void> {
    try {
      await action();
      this.worked();
    } catch (error) {
      this.failed(error);
    }
  }
}

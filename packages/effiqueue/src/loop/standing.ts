/**
 * What is to be said of a trouble that may stand for long: its beginning, every change of its cause, a slow reminder, and
 * its end; nothing else, so that a broker that is down for a night does not write a line a tick. DESIGN 6.1.
 */
import { type MonotonicMs, msToSec } from "../units.ts";

const REMINDER_MS = 60_000;

export type Said =
  /** It began, changed its cause, or still stands: `forSec` seconds since it began. */
  { readonly kind: "stands"; readonly forSec: number } | { readonly kind: "ended"; readonly afterSec: number };

export class Standing {
  readonly #reminderMs: number;
  #trouble: { readonly cause: string; readonly since: MonotonicMs; readonly saidAt: MonotonicMs } | null = null;

  /** `Infinity`: no reminders. */
  constructor(reminderMs: number = REMINDER_MS) {
    this.#reminderMs = reminderMs;
  }

  /** @param cause `null`: there is no trouble. @returns what is to be said now; `null`: nothing. */
  observe(cause: string | null, now: MonotonicMs): Said | null {
    const before = this.#trouble;
    if (cause === null) {
      this.#trouble = null;
      return before === null ? null : { kind: "ended", afterSec: tenthsOfSec(now - before.since) };
    }
    if (before?.cause === cause && now - before.saidAt < this.#reminderMs) return null;
    const since = before?.since ?? now;
    this.#trouble = { cause, since, saidAt: now };
    return { kind: "stands", forSec: tenthsOfSec(now - since) };
  }
}

const tenthsOfSec = (ms: number): number => Math.round(msToSec(ms) * 10) / 10;

/**
 * Which ticks are news: those that decide something else than the one before, and one an hour as a sign of life. A daemon that
 * says the same every ten seconds for days buries what matters. DESIGN 6.2.
 */
import type { EventFields } from "../model/events.ts";

type Tick = EventFields["loop.tick.decided"];

const REMINDER_SEC = 3_600;

export class QuietTicks {
  readonly #said = new Map<string, { readonly size: string; readonly reason: string; silentSec: number }>();

  /** @returns whether this tick is to be said aloud; remembers that it was */
  isNews(tick: Tick): boolean {
    const { reason } = tick;
    const size = `${tick.current_workers} -> ${tick.desired_workers}`;
    const before = this.#said.get(tick.program);
    // A cooldown holds what was said; in a crash loop it would come and go at every other tick.
    if (before?.size === size && (before.reason === reason || reason === "cooldown")) {
      before.silentSec += tick.dt_sec;
      if (before.silentSec < REMINDER_SEC) return false;
    }
    this.#said.set(tick.program, { size, reason, silentSec: 0 });
    return true;
  }
}

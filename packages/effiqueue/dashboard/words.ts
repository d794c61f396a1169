/** Figures as this page shows them. What is unknown is a dash, and says so to those who listen. */
import { bytesText } from "../src/report/explain-words.ts";

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const some = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });

export const UNKNOWN = "–";

export const countText = (value: number | null): string => (value === null ? UNKNOWN : whole.format(value));

export function rateText(perSec: number | null): string {
  if (perSec === null) return UNKNOWN;
  return Math.abs(perSec) >= 1000 ? whole.format(perSec) : some.format(perSec);
}

export const sizeText = (bytes: number | null): string => (bytes === null ? UNKNOWN : bytesText(bytes));

const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });

/** In the time zone of whoever looks; the log of the daemon is in UTC, and so is the title of what shows this. */
export const timeText = (ms: number): string => clock.format(ms);

export function agoText(seconds: number): string {
  if (seconds < 60) return `${Math.max(0, Math.round(seconds))} s ago`;
  if (seconds < 3600) return `${Math.round(seconds / 60)} min ago`;
  return `${Math.round(seconds / 3600)} h ago`;
}

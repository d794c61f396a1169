/**
 * Durations and sizes as operators write them. What is too large is no quantity at all: it must never wrap round to a
 * plausible small one. DESIGN 5.1. Pure.
 */
import { MAX_TIMER_MS } from "../units.ts";

/** Seconds. A longer duration would end up in a timer that Node turns into 1 ms. */
export const MAX_DURATION_SEC = Math.floor(MAX_TIMER_MS / 1000);

const MS_PER: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** Base 1024, whether it is spelled KB or KiB: what `free -h` and every container runtime call a GB. */
const POWER_OF: Readonly<Record<string, number>> = { "": 0, k: 1, m: 2, g: 3, t: 4, p: 5 };

/**
 * Seconds of `10s`, `250ms`, `2m`, `1h`, or of a bare number of seconds.
 *
 * @returns seconds in [0, MAX_DURATION_SEC]; `undefined` for anything else
 */
export function parseDuration(value: unknown): number | undefined {
  const sec = typeof value === "string" ? secondsOf(value) : value;
  return typeof sec === "number" && sec >= 0 && sec <= MAX_DURATION_SEC ? sec : undefined;
}

/**
 * Bytes of `512MB`, `12GB`, `1.5GiB`, or of a bare whole number of bytes.
 *
 * @returns whole bytes, exactly representable; a fraction of a byte is dropped; `undefined` for anything else
 */
export function parseSize(value: unknown): number | undefined {
  const bytes = typeof value === "string" ? bytesOf(value) : value;
  return typeof bytes === "number" && Number.isSafeInteger(bytes) && bytes >= 0 ? bytes : undefined;
}

function secondsOf(text: string): number | undefined {
  const [, digits, unit] = /^(\d+(?:\.\d+)?) ?(ms|s|m|h)?$/.exec(text.trim()) ?? [];
  // Divided, not multiplied by 0.001: 250ms has to be 0.25 exactly.
  return digits === undefined ? undefined : (Number(digits) * (MS_PER[unit ?? "s"] ?? Number.NaN)) / 1000;
}

function bytesOf(text: string): number | undefined {
  const [, digits, prefix, iec, unit] = /^(\d+(?:\.\d+)?) ?([kmgtp]?)(i?)(b?)$/.exec(text.trim().toLowerCase()) ?? [];
  if (digits === undefined || (iec === "i" && (prefix === "" || unit === ""))) return undefined;
  const bytes = Number(digits) * 1024 ** (POWER_OF[prefix ?? ""] ?? Number.NaN);
  const hasFraction = digits.includes(".");
  return hasFraction && prefix !== "" ? Math.floor(bytes) : bytes;
}

/** Values of flags, in the notation of the file: each refusal names the flag, and what it takes. DESIGN 7.9. */
import { KEYS } from "../model/keys.ts";
import { parseDuration, parseSize } from "../model/quantities.ts";
import { UsageError } from "./errors.ts";

/** In seconds, > 0. */
export function duration(flag: string, text: string): number {
  const sec = parseDuration(text);
  if (!sec) throw new UsageError(`${flag}: expected ${KEYS.poll_interval.kind.expected}, got ${text}`);
  return sec;
}

/** In bytes. */
export function size(flag: string, text: string): number {
  const bytes = parseSize(text);
  if (bytes === undefined) throw new UsageError(`${flag}: expected ${KEYS.ram_headroom.kind.expected}, got ${text}`);
  return bytes;
}

export function whole(flag: string, text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1)
    throw new UsageError(`${flag}: expected a whole number >= 1, got ${text}`);
  return value;
}

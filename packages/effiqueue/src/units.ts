/**
 * Branded numbers, so that a wall-clock stamp can never be subtracted from a monotonic one, nor seconds
 * passed for milliseconds. Brands are made here and at the edges only. DESIGN 1.2. Pure.
 */

declare const unit: unique symbol;
type Branded<Unit extends string> = number & { readonly [unit]: Unit };

/** Milliseconds on a clock that never jumps; comparable between processes of one boot of one machine. */
export type MonotonicMs = Branded<"monotonic ms">;

/** Milliseconds since the epoch; may jump. For stamps that people read, never for measuring. */
export type WallMs = Branded<"wall ms">;

export const monotonicMs = (value: number): MonotonicMs => value as MonotonicMs;
export const wallMs = (value: number): WallMs => value as WallMs;

/** Node turns a longer delay into 1 ms without a word, so no timer may be set above it. */
export const MAX_TIMER_MS = 2_147_483_647;

/** A delay that a timer can hold: whole milliseconds in [0, MAX_TIMER_MS]; rounds up, so that it never fires early. */
export function timerMs(delayMs: number): number {
  return Math.min(MAX_TIMER_MS, Math.max(0, Math.ceil(delayMs)));
}

export const secToMs = (sec: number): number => sec * 1000;
export const msToSec = (ms: number): number => ms / 1000;

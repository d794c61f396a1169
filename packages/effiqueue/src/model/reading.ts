/**
 * What a read of the outside world can be. "Could not be read" is a state of its own and never a zero:
 * a pool must not shrink because its broker was away. DESIGN 1.3.
 */
import type { MonotonicMs } from "../units.ts";

export type Reading<T> =
  | { readonly kind: "ok"; readonly value: T; readonly at: MonotonicMs }
  | { readonly kind: "unreadable"; readonly cause: Error; readonly at: MonotonicMs };

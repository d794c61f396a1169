/** Waiting for a state instead of sleeping: fails with what was awaited, never by the speed of the machine. */
import { setTimeout as sleep } from "node:timers/promises";

/** Resolves with the first value that is neither `false`, `null` nor `undefined`, and rejects with what the predicate throws. */
export async function waitFor<T>(
  predicate: () => T | false | null | undefined | Promise<T | false | null | undefined>,
  options: { readonly timeoutMs?: number; readonly what?: string } = {},
): Promise<T> {
  const { timeoutMs = 20_000, what = predicate.toString() } = options;
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const value = await predicate();
    if (value !== false && value !== null && value !== undefined) return value;
    if (performance.now() > deadline) throw new Error(`not within ${timeoutMs} ms: ${what}`);
    await sleep(5);
  }
}

/**
 * How a process is asked to end: by a supervisor, by Ctrl-C, by a terminal that goes away. DESIGN 11.4.
 */
import type { Clock } from "effiqueue";

/** SIGHUP too: a closed terminal must not leave workers behind that nobody manages. */
const STOP_SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

/**
 * A terminal sends Ctrl-C to everything in front of it, and npm, when it stands in between, passes on what it got as well: one
 * key press arrives twice. Who means it twice waits longer, or presses once more.
 */
const SAME_REQUEST_MS = 250;

/**
 * Calls back at every request to stop, with 1 at the first. Signals within a quarter of a second of the last request are that request.
 *
 * @returns ends the listening
 */
export function onStopRequest(clock: Clock, callback: (count: number) => void): () => void {
  let count = 0;
  let lastAt = Number.NEGATIVE_INFINITY;
  const onSignal = (): void => {
    const now = clock.monotonicMs();
    if (now - lastAt < SAME_REQUEST_MS) return;
    lastAt = now;
    count += 1;
    callback(count);
  };
  for (const signal of STOP_SIGNALS) process.on(signal, onSignal);
  return () => {
    for (const signal of STOP_SIGNALS) process.off(signal, onSignal);
  };
}

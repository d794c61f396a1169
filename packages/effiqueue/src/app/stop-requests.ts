/**
 * How the daemon, and the autoscaler of flexiq, are asked to end: by a service manager, by `docker stop`, by Ctrl-C, by a terminal
 * that goes away. DESIGN 7.9, 11.4.
 */
import type { Clock } from "../model/ports.ts";
import type { MonotonicMs } from "../units.ts";

/** SIGHUP too: a closed terminal must not leave workers behind that nobody manages. */
const STOP_SIGNALS: readonly NodeJS.Signals[] = ["SIGTERM", "SIGINT", "SIGHUP"];

/**
 * A terminal sends Ctrl-C to everything in front of it, and npm, when it stands in between, passes on what it got as well: one
 * key press arrives twice. Who means it twice waits longer, or presses once more.
 */
const SAME_REQUEST_MS = 250;

/**
 * Calls back at every request to stop, with 1 at the first. Signals within a quarter of a second of the last request are that
 * request. A process 1 gets only the signals that it listens to, so this comes before everything else.
 *
 * @returns ends the listening
 */
export function onStopRequest(
  clock: Clock,
  callback: (count: number, signal: NodeJS.Signals) => void,
  signals = STOP_SIGNALS,
): () => void {
  let count = 0;
  let last: MonotonicMs | undefined;
  const onSignal = (signal: NodeJS.Signals): void => {
    const now = clock.monotonicMs();
    if (last !== undefined && now - last < SAME_REQUEST_MS) return;
    last = now;
    count += 1;
    callback(count, signal);
  };
  for (const signal of signals) process.on(signal, onSignal);
  return () => {
    for (const signal of signals) process.off(signal, onSignal);
  };
}

/**
 * What a worker does from time to time beside its jobs. DESIGN 10.3.
 */
import { timerMs } from "effiqueue";
import { jittered } from "./pacing.ts";

/**
 * Calls `task` about every `ms`, the first time after one pause; never again before the last call has settled. `task` must not reject.
 *
 * @returns stops it; resolves when a call in flight has settled
 */
export function every(ms: number, task: () => Promise<void>): () => Promise<void> {
  let stopped = false;
  let inFlight: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout;
  const pause = (): void => {
    timer = setTimeout(
      () => {
        inFlight = task().finally(() => {
          if (!stopped) pause();
        });
      },
      timerMs(jittered(ms)),
    );
  };
  pause();
  return () => {
    stopped = true;
    clearTimeout(timer);
    return inFlight;
  };
}

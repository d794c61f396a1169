/**
 * Metrics that are opened when the first tick is over: loading what they need takes 50 ms, by which the first worker would start later.
 * DESIGN 7.9.
 */
import type { Board } from "../report/board.ts";
import type { MoreMetrics } from "../report/metrics/families.ts";
import { type Metrics, openMetrics } from "../report/metrics/metrics.ts";

export function lateMetrics(board: Board, more?: MoreMetrics): Metrics {
  const { open, metrics } = unopened(board, more);
  /** What cannot be loaded now, for no more files can be opened, is tried again at the next tick; who asks for it hears why. */
  const tryToOpen = (): void => {
    try {
      open();
    } catch {}
  };
  board.onDuration({ tickTook: tryToOpen, drainTook: tryToOpen });
  return metrics;
}

/** Opened when somebody asks, which hardly anybody does who has no endpoint. The histograms begin then. */
export const metricsOnDemand = (board: Board): Metrics => unopened(board).metrics;

function unopened(board: Board, more?: MoreMetrics): { readonly open: () => Metrics; readonly metrics: Metrics } {
  let opened: Metrics | undefined;
  const open = (): Metrics => (opened ??= openMetrics(board, more));
  return {
    open,
    metrics: {
      get contentType() {
        return open().contentType;
      },
      expose: () => open().expose(),
    },
  };
}

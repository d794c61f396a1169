/**
 * Metrics that are opened when the first tick is over: loading what they need takes 50 ms, by which the first worker would start later.
 * DESIGN 7.9.
 */
import type { Board } from "../report/board.ts";
import type { MoreMetrics } from "../report/metrics/families.ts";
import { type Metrics, openMetrics } from "../report/metrics/metrics.ts";

export function lateMetrics(board: Board, more?: MoreMetrics): Metrics {
  let opened: Metrics | undefined;
  const open = (): Metrics => (opened ??= openMetrics(board, more));
  board.onDuration({ tickTook: open, drainTook: open });
  return {
    get contentType() {
      return open().contentType;
    },
    expose: () => open().expose(),
  };
}

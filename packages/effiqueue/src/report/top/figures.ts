/**
 * The numbers of a program as `/metrics` says them. The names are tied to the exporter by a test: a series that is renamed on one side
 * must not blank a panel. DESIGN 6.8, 6.4. Pure.
 */
import type { Sample } from "../metrics/parse.ts";

/** Each figure and its series. */
export const SERIES = {
  workers: "effiqueue_workers",
  starting: "effiqueue_workers_starting",
  draining: "effiqueue_workers_draining",
  desired: "effiqueue_workers_desired",
  needed: "effiqueue_workers_needed",
  capacity: "effiqueue_workers_capacity",
  gapWorkers: "effiqueue_feasibility_gap",
  bestDrainSec: "effiqueue_best_drain_seconds",
  sloDrainSec: "effiqueue_slo_drain_seconds",
  sloWaitSec: "effiqueue_slo_wait_seconds",
  oldestAgeSec: "effiqueue_oldest_age_seconds",
  backlog: "effiqueue_backlog",
  ready: "effiqueue_backlog_ready",
  unacked: "effiqueue_backlog_unacked",
  muPerSec: "effiqueue_mu",
  lambdaPerSec: "effiqueue_lambda",
  muLowPerSec: "effiqueue_mu_low",
  muHighPerSec: "effiqueue_mu_high",
  lambdaLowPerSec: "effiqueue_lambda_low",
  lambdaHighPerSec: "effiqueue_lambda_high",
  muSource: "effiqueue_mu_source",
  probing: "effiqueue_probing",
  workerBytes: "effiqueue_worker_memory_bytes",
  poolBytes: "effiqueue_pool_memory_bytes",
  budgetBytes: "effiqueue_ram_budget_bytes",
  spawnBackoffSec: "effiqueue_spawn_backoff_seconds",
  crashes: "effiqueue_crashes_total",
} as const;

/** `null`: the daemon does not know it, or the mode has no such thing. `bestDrainSec` may be `Infinity`. */
export type Figures = Readonly<Record<Figure, number | null>>;

type Figure = keyof typeof SERIES;

const FIGURES = Object.keys(SERIES) as Figure[];

const FIGURE_OF = new Map<string, Figure>(FIGURES.map((figure) => [SERIES[figure], figure]));

/** By the label `program`. */
export function figuresOf(samples: readonly Sample[]): ReadonlyMap<string, Figures> {
  const found = new Map<string, Record<Figure, number | null>>();
  for (const { name, labels, value } of samples) {
    const { program } = labels;
    const figure = FIGURE_OF.get(name);
    if (program === undefined || figure === undefined) continue;
    const figures = found.get(program) ?? { ...NO_FIGURES };
    // The only series that says -1 for unknown.
    figures[figure] = figure === "needed" && value < 0 ? null : value;
    found.set(program, figures);
  }
  return found;
}

export const NO_FIGURES = Object.fromEntries(FIGURES.map((figure) => [figure, null])) as Figures;

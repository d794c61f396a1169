/** The pace law as a chain of rules, for a pool whose broker measures. DESIGN 2.13. Pure. */
import type { Observation } from "../../model/observation.ts";
import { sloOf } from "../../model/slo.ts";
import type { ProgramConfig } from "../program.ts";
import type { Link } from "../shared/rationale.ts";
import type { Estimates } from "./estimates.ts";
import { type Pace, paceOf } from "./pace/law.ts";
import { startupSec } from "./pace/startup.ts";
import { outlookOf, type Watch } from "./pace/watch.ts";
import { hasRates, type Tick } from "./reading.ts";
import { asMany, type Wish } from "./wish.ts";

/** Estimates that carry several steps at once: measured, and still being measured. */
export interface Measured extends Estimates {
  readonly mu: number;
  readonly lambda: number;
}

/** Whether the pace law decides. `max_step` as a number is the operator's wish to go slowly. */
export function isPaced(program: ProgramConfig, tick: Tick, estimates: Estimates): estimates is Measured {
  const { mu, lambda, source } = estimates;
  return program.maxStep === "auto" && source === 1 && mu !== null && mu > 0 && lambda !== null && hasRates(tick.rates);
}

export interface Pool {
  readonly watch: Watch;
  readonly tickSec: number;
  readonly grewTwiceSec: number;
  readonly isRestless: boolean;
  /** What the machine can hold, between floor and ceiling. */
  readonly capacity: number;
  /** Workers that were lost count as there: they are replaced. */
  readonly from: number;
}

export function paceLink(
  program: ProgramConfig,
  { workers }: Observation,
  estimates: Measured,
  { watch, tickSec, grewTwiceSec, isRestless, capacity, from }: Pool,
  { backlog }: Wish,
): Link {
  const sloSec = sloOf(program)?.sec ?? Number.NaN;
  const outlook = outlookOf(watch, workers, estimates, sloSec);
  const current = workers.starting + workers.serving;
  const times = { sloSec, tickSec, gapSec: watch.gapSec, startupSec: startupSec(watch.startup) };
  const pace = paceOf({ outlook, ...times, grewTwiceSec, isRestless, current, capacity });
  const kept = pace.reason === "spare" ? pace.workers : Math.max(pace.workers, from);
  const number = Math.min(kept, Math.max(from, asMany(backlog, outlook.lambda, sloSec)));
  return {
    workers: number,
    reason: pace.reason,
    phrase: phraseOf(pace, number, watch.counts?.ages[0]?.oldestSec ?? 0, sloSec),
  };
}

function phraseOf({ reason }: Pace, workers: number, oldestSec: number, sloSec: number): string {
  switch (reason) {
    case "late":
      return `what has waited ${Math.round(oldestSec)} s is late without ${workers}`;
    case "surge":
      return `arrivals jump, the full pool may be needed, ${workers} at once`;
    case "spare":
      return `the queue runs empty, nobody is late with ${workers}`;
    case "on-time":
      return oldestSec > sloSec
        ? `what is late is done before more than ${workers} could help`
        : `nobody is late with ${workers}`;
  }
}

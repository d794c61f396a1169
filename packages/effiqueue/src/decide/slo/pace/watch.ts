/**
 * What the pace law remembers of the queue. There are two clocks: counts of messages may be live, while totals and rates move only
 * when the broker has counted. DESIGN 2.14. Pure.
 */
import type { WorkersReading } from "../../../model/observation.ts";
import { isOfPart } from "../broker-window.ts";
import type { Rate } from "../rate.ts";
import type { Rates, Tick } from "../reading.ts";
import { type Ages, aged } from "./ages.ts";
import {
  type Arrivals,
  type Arrived,
  expectedRate,
  isLike,
  learnArrivals,
  learnSurge,
  NO_ARRIVALS,
} from "./arrivals.ts";
import type { Outlook } from "./outlook.ts";
import { comingSec, learnStartup, NO_STARTUP, type Startup } from "./startup.ts";
import { learnSteady, NEVER_STEADY, type Steady, steadyLoad } from "./steady.ts";

/** Plain JSON. */
export interface Watch {
  readonly arrivals: Arrivals;
  readonly steady: Steady;
  readonly startup: Startup;
  readonly counts: Counts | null;
  readonly counters: Counters | null;
  /** Usual seconds between two countings of the broker. */
  readonly gapSec: number;
}

/** The queue when it last looked different. */
interface Counts {
  readonly ready: number;
  readonly unacked: number | null;
  readonly ages: Ages;
  readonly sinceSec: number;
  /** Service since then. */
  readonly workerSec: number;
}

/** What the broker had counted when it last counted. */
interface Counters extends Rates {
  readonly backlog: number;
  readonly sinceSec: number;
  /** Messages that `ages` has taken for arrived since then. */
  readonly credited: number;
}

export const NO_WATCH: Watch = {
  arrivals: NO_ARRIVALS,
  steady: NEVER_STEADY,
  startup: NO_STARTUP,
  counts: null,
  counters: null,
  gapSec: 0,
};

export interface Sight {
  /** `null`: the queue could not be read. */
  readonly tick: Tick | null;
  readonly workers: WorkersReading;
  /** Messages that one worker works on at a time. What is handed out beyond that waits. */
  readonly slotsPerWorker: number;
  readonly mu: Rate;
  /** Seconds over which the broker takes its rates; `null`: unknown. */
  readonly rateSec: number | null;
  readonly dtSec: number;
}

export function watched(watch: Watch, sight: Sight): Watch {
  const passed = later(watch, sight);
  if (sight.tick === null) return passed;
  const counted = withCounters(passed, sight.tick, sight);
  const hasCounted = counted.counters !== passed.counters;
  const arrived = hasCounted ? arrivedSince(passed.counters, counted.counters) : null;
  const uncredited = arrived === null ? null : arrived - (passed.counters?.credited ?? 0);
  return withCounts(counted, sight, sight.tick, uncredited);
}

export const isSteady = ({ steady }: Watch): boolean => steadyLoad(steady) !== null;

/** What is expected within the SLO below which nothing is: an average approaches zero and never gets there. */
const NO_MESSAGES = 0.5;

/** What is expected within the SLO below which a worker that waits for the next is not worth it, however surely that comes. */
const SINGLE_MESSAGES = 4;

/** @param estimates lambda until the watch has its own */
export function outlookOf(
  watch: Watch,
  workers: WorkersReading,
  estimates: { readonly mu: number; readonly lambda: number },
  sloSec: number,
): Outlook {
  const { counts, startup, arrivals } = watch;
  const still = steadyLoad(watch.steady);
  const steady = still !== null && still.lambda * sloSec >= SINGLE_MESSAGES ? still : null;
  const lambda = expectedRate(arrivals) ?? estimates.lambda;
  const isUsual = steady !== null && isLike(steady.lambda, arrivals);
  const usual = isUsual ? steady.lambda : lambda;
  return {
    ages: counts?.ages ?? [],
    sinceSec: counts?.sinceSec ?? 0,
    workerSec: counts?.workerSec ?? 0,
    lambda: usual * sloSec < NO_MESSAGES ? 0 : usual,
    rise: arrivals.rise,
    steady,
    mu: estimates.mu,
    serving: workers.serving,
    comingSec: comingSec(startup),
  };
}

function later(watch: Watch, { workers, dtSec }: Sight): Watch {
  const { counts, counters, startup } = watch;
  const service = (dtSec * (startup.serving + workers.serving)) / 2;
  return {
    ...watch,
    startup: learnStartup(startup, workers, dtSec),
    counts: counts && { ...counts, sinceSec: counts.sinceSec + dtSec, workerSec: counts.workerSec + service },
    counters: counters && { ...counters, sinceSec: counters.sinceSec + dtSec },
  };
}

const backlogOf = ({ ready, unacked }: Pick<Counts, "ready" | "unacked">): number => ready + (unacked ?? 0);

const RATES = ["acked", "published", "ackRate", "publishRate"] as const;

/** A counting out of turn, as when a channel closes, does not make the usual gap shorter for long. */
const KEPT_GAP = 0.9;

function withCounters(watch: Watch, tick: Tick, { mu, rateSec }: Sight): Watch {
  const { counters, arrivals, gapSec } = watch;
  const { rates } = tick;
  const now: Counters = { ...rates, backlog: backlogOf(tick), sinceSec: 0, credited: 0 };
  if (counters === null) return { ...watch, counters: now };
  const isChanged = RATES.some((name) => rates[name] !== counters[name]);
  // Where nothing happens the numbers stay, and that nothing happens is news whenever news was due.
  const isQuiet = (rates.publishRate ?? 0) === 0 && (rates.ackRate ?? 0) === 0;
  const isSilence = isQuiet && gapSec > 0 && counters.sinceSec >= gapSec;
  if (!isChanged && !isSilence) {
    const grown = { messages: now.backlog - counters.backlog, sec: counters.sinceSec, vagueSec: 0 };
    return { ...watch, arrivals: learnSurge(arrivals, grown, steadyLoad(watch.steady)?.lambda ?? null) };
  }
  const counted = arrivedSince(counters, now);
  return {
    ...watch,
    ...(counted === null ? {} : withArrived(watch, counted, windowOf(counters, now, rateSec), mu)),
    counters: now,
    gapSec: isChanged ? Math.max(counters.sinceSec, gapSec * KEPT_GAP) : gapSec,
  };
}

/** @param window as long as the broker's own was, where that can be told */
function withArrived(
  { arrivals, steady, counters, gapSec }: Watch,
  messages: number,
  window: Pick<Arrived, "sec" | "vagueSec">,
  mu: Rate,
): Pick<Watch, "arrivals" | "steady"> {
  const sec = counters?.sinceSec ?? 0;
  return {
    arrivals: learnArrivals(arrivals, { messages, ...window }, steadyLoad(steady)?.lambda ?? null),
    // Windows that are a tick too long or too short make up for one another, those that a rate tells do not. The last one has none yet.
    steady: learnSteady(steady, { messages, sec, vagueSec: Math.max(sec, gapSec) }, mu),
  };
}

/** Messages between two countings; `null`: cannot be told. */
function arrivedSince(then: Counters | null, now: Counters | null): number | null {
  if (then === null || now === null) return null;
  // A total that fell was reset.
  if (then.published !== null && now.published !== null) return Math.max(0, now.published - then.published);
  if (now.publishRate !== null) return now.publishRate * then.sinceSec;
  if (then.acked === null || now.acked === null) return null;
  return Math.max(0, now.backlog - then.backlog + now.acked - then.acked);
}

/** The broker's own window where it can be told, for ours ends at ticks only; of a broker that counts more often than we look ours is as good. */
function windowOf(
  { published: then, sinceSec }: Counters,
  { published, publishRate }: Counters,
  rateSec: number | null,
): Pick<Arrived, "sec" | "vagueSec"> {
  if (isOfPart(rateSec, sinceSec)) return { sec: sinceSec, vagueSec: rateSec };
  const isTold = then !== null && published !== null && published > then && publishRate;
  return { sec: isTold ? (published - then) / publishRate : sinceSec, vagueSec: 0 };
}

/** Counts that stay the same for longer than that are still true; before, nobody may have counted. */
const OLD_COUNTS = 1.5;

/** @param counted messages that arrived beyond those that were taken for arrived, where the broker has just counted them */
function withCounts(watch: Watch, sight: Sight, tick: Tick, counted: number | null): Watch {
  const { counts, counters, gapSec } = watch;
  const { ready, unacked } = tick;
  const isNews = counts?.ready !== ready || counts.unacked !== unacked || counted !== null;
  if (!isNews && counts.sinceSec < gapSec * OLD_COUNTS) return watch;
  const { workers, slotsPerWorker, mu } = sight;
  const inWork = Math.min(unacked ?? 0, slotsPerWorker * (workers.serving + workers.draining));
  const waiting = ready + (unacked ?? 0) - inWork;
  const balance = counts === null ? 0 : backlogOf(tick) - backlogOf(counts) + (mu.value ?? 0) * counts.workerSec;
  const arrived = Math.max(0, counted ?? balance);
  return {
    ...watch,
    counts: {
      ready,
      unacked,
      ages: aged(counts?.ages ?? [], counts?.sinceSec ?? 0, arrived, waiting),
      sinceSec: 0,
      workerSec: 0,
    },
    counters: counters && { ...counters, credited: counted === null ? counters.credited + arrived : 0 },
  };
}

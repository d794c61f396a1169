/** How many workers the queue asks for, before the machine and the past are asked. DESIGN 2.6. Pure. */
import type { ProgramConfig } from "../program.ts";
import type { Link } from "../shared/rationale.ts";
import type { Estimates } from "./estimates.ts";
import { workersNeeded } from "./littles-law.ts";
import type { Tick } from "./reading.ts";

export interface Wish {
  readonly link: Link;
  /** `null`: the rates it takes are not known. */
  readonly needed: number | null;
  /** Messages that are, or will be, work for the workers of this pool. */
  readonly backlog: number;
}

/**
 * @param from      workers to start from
 * @param idleTicks ticks in a row, this one included, with idle workers (`isIdle`)
 * @param others    whole workers' worth of consumers that are not ours
 */
export function wishOf(
  program: ProgramConfig,
  tick: Tick,
  estimates: Estimates,
  from: number,
  idleTicks: number,
  others = 0,
): Wish {
  // What a draining worker still has in hand is no work for another.
  const backlog = tick.ready + (tick.unacked ?? 0) - tick.unackedByDraining;
  const { mu, lambda } = estimates;
  const slo = program.sloDrainTime ?? Number.NaN;
  const all = workersNeeded(backlog, lambda, mu, slo);
  const needed = all === null ? null : Math.max(0, all - others);
  if (needed !== null) {
    const lessOthers = others === 0 ? "" : ` beside ${others} of others`;
    const pace = `${short(lambda)}/s in ${slo} s at ${short(mu)}/s a worker`;
    const phrase = `${backlog} messages and ${pace} ask for ${needed}${lessOthers}`;
    return { link: { workers: needed, reason: "slo", phrase }, needed, backlog };
  }
  // Without arrivals the backlog alone is a reason to grow, and none to shrink.
  const atLeast = workersNeeded(backlog, 0, mu, slo);
  if (atLeast !== null) {
    const phrase = `${backlog} messages at ${short(mu)}/s a worker ask for ${atLeast} or more, arrivals unknown`;
    return { link: { workers: Math.max(atLeast, from), reason: "unknown-rate", phrase }, needed, backlog };
  }
  return { link: { ...bootstrap(tick, { backlog, from, idleTicks, slo }), reason: "bootstrap" }, needed, backlog };
}

/** What to do while nobody knows how fast a worker is: one more while work waits, one less while workers are idle. */
function bootstrap(
  { ready, rates }: Tick,
  { backlog, from, idleTicks, slo }: { backlog: number; from: number; idleTicks: number; slo: number },
): Omit<Link, "reason"> {
  const isSoonGone = rates.ackRate !== null && ready <= rates.ackRate * slo * SOON;
  const isWaiting = from === 0 ? backlog > 0 : ready > 0 && !isSoonGone;
  if (isWaiting && backlog > from) return { workers: from + 1, phrase: `${ready} wait, service rate unknown` };
  if (idleTicks >= SURE_TICKS && from > 0) return { workers: from - 1, phrase: "workers idle, service rate unknown" };
  return { workers: from, phrase: "service rate unknown" };
}

/** Share of the SLO in which waiting work that is cleared at the present pace is no reason to grow: it is about to be measured. */
const SOON = 0.25;

/** Readings in a row that are believed where one alone may have fallen between two messages. */
export const SURE_TICKS = 5;

/** Nothing waits, and more than one worker beyond those that have work has none; where that cannot be seen, nothing waits. */
export function isIdle({ ready, unacked, unackedByDraining }: Tick, current: number): boolean {
  const busy = (unacked ?? 0) - unackedByDraining;
  return ready === 0 && (busy === 0 || busy + 1 < current);
}

/** As many digits as anybody reads. */
const short = (value: number | null): string => (value === null ? "?" : String(Number(value.toPrecision(3))));

/** Never more workers than there are messages, one each: those that are there, and those that arrive within the SLO. */
export const asMany = (backlog: number, lambda: number, sloSec: number): number => Math.ceil(backlog + lambda * sloSec);

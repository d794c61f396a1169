/**
 * Workers that grow for ever, told from those that are large: each is compared with what workers of this program took when they had grown.
 * DESIGN 4.13. Pure.
 */
import { MEMORY_BOUNDS, type ProgramDecision } from "../../model/decision.ts";
import type { MeasuredWorker, Observation } from "../../model/observation.ts";
import type { Growth } from "../../model/recycling.ts";
import type { ProgramConfig } from "../program.ts";
import { elapsedSec } from "./known.ts";

/** A worker loads what it needs in the first period of its life, and shows in the second what it takes. */
const PERIOD_SEC = 300;

/** Ten minutes and what has passed of five more: a message that takes a lot is done by then, or is what this worker is for. */
const PERIODS = 3;

/** So much more than a grown worker: a pool that is replaced at that has four fifths of its workers, and each lives long enough to be worth its start. */
const MORE = 1.25;

/** It takes that much more and grows on, in each period by at least this share of what a grown one takes; or it takes twice as much. */
const RISES = 0.02;
const TWICE = 2;

/** Workers that show less are believed bit by bit: too much only means that a leak is seen later, too little that a worker goes for nothing. */
const FADING = 0.9;

/** A night without work in which nobody grows is no reason to believe that nobody does. */
const KNOWN_FOR_SEC = 86_400;

/** Plain JSON. */
export interface GrowthState {
  /** The most that a worker took throughout its second period; `null`: nobody has shown it. */
  readonly grownBytes: number | null;
  /** By pid. */
  readonly workers: Readonly<Record<string, Life>>;
  /** Seconds since a worker was last seen to grow for ever; `null`: none was, or long ago. */
  readonly seenSec: number | null;
}

interface Life {
  readonly ageSec: number;
  /** The least that it took in this period of its life and in those before, the latest first. */
  readonly leastBytes: readonly number[];
}

export const initialGrowth = (grownBytes: number | null = null): GrowthState => ({
  grownBytes,
  workers: {},
  seenSec: null,
});

const periodOf = ({ ageSec }: { readonly ageSec: number }): number => Math.floor(ageSec / PERIOD_SEC);

export function learnGrowth(before: GrowthState, { dtSec, memory }: Observation): GrowthState {
  if (memory?.workers === undefined) return before;
  const workers: Record<string, Life> = {};
  let { grownBytes } = before;
  for (const worker of memory.workers) {
    const known = before.workers[worker.pid];
    const past = known !== undefined && known.ageSec <= worker.ageSec ? known : undefined;
    const life = worker.bytes > 0 ? lived(past, worker) : past;
    if (life !== undefined) workers[worker.pid] = life;
    const shown = past !== undefined && periodOf(past) === 1 && periodOf(worker) > 1 ? past.leastBytes[0] : undefined;
    if (shown !== undefined) grownBytes = Math.max(shown, (grownBytes ?? 0) * FADING);
  }
  const sec = before.seenSec === null ? Number.POSITIVE_INFINITY : before.seenSec + elapsedSec(dtSec);
  const next = { grownBytes, workers, seenSec: sec < KNOWN_FOR_SEC ? sec : null };
  return growsForEver(next) ? { ...next, seenSec: 0 } : next;
}

function lived(past: Life | undefined, { ageSec, bytes }: MeasuredWorker): Life {
  const [latest = bytes, ...earlier] = past?.leastBytes ?? [];
  if (past === undefined || periodOf(past) === periodOf({ ageSec })) {
    return { ageSec, leastBytes: [Math.min(latest, bytes), ...earlier] };
  }
  return { ageSec, leastBytes: [bytes, ...past.leastBytes].slice(0, PERIODS) };
}

/** Those that are about to show it are heard already: they are of this hour and this load. */
function grownOf({ grownBytes, workers }: GrowthState): number | null {
  let most = grownBytes ?? 0;
  for (const life of Object.values(workers)) {
    if (periodOf(life) === 1) most = Math.max(most, life.leastBytes[0] ?? 0);
  }
  return most > 0 ? most : null;
}

/** The least that it took in each of its last periods; `null`: it has not lived long enough to be judged. */
const throughout = ({ leastBytes }: Life): number | null =>
  leastBytes.length < PERIODS ? null : Math.min(...leastBytes);

function growsForEver(state: GrowthState): boolean {
  const grown = grownOf(state);
  if (grown === null) return false;
  return Object.values(state.workers).some((life) => {
    const least = throughout(life) ?? 0;
    return least >= TWICE * grown || (least >= MORE * grown && isRising(life, RISES * grown));
  });
}

const isRising = ({ leastBytes }: Life, byBytes: number): boolean =>
  leastBytes.every((bytes, i) => i === 0 || (leastBytes[i - 1] ?? 0) >= bytes + byBytes);

/** Of those that have taken at least so much throughout, who has taken most. */
function worstOf({ workers }: GrowthState, limitBytes: number): Growth["worst"] {
  let worst: Growth["worst"] = null;
  for (const [pid, life] of Object.entries(workers)) {
    const bytes = throughout(life) ?? 0;
    if (bytes >= limitBytes && bytes > (worst?.bytes ?? 0)) worst = { pid: Number(pid), bytes };
  }
  return worst;
}

/** Of a program whose workers grow for ever; `null`: they do not, as far as anybody knows, or somebody has said how large they may be. */
function knownGrowth({ maxWorkerMemory }: ProgramConfig, state: GrowthState): Omit<Growth, "worst"> | null {
  const grownBytes = state.seenSec === null || maxWorkerMemory !== undefined ? null : grownOf(state);
  return grownBytes === null ? null : { grownBytes, limitBytes: MORE * grownBytes };
}

/** The size above which nothing is reserved for a worker, since it will be replaced; `undefined`: there is none. */
export const outgrownAt = (program: ProgramConfig, state: GrowthState): number | undefined =>
  program.maxWorkerMemory ?? knownGrowth(program, state)?.limitBytes;

/** What a decision says of growth. */
export function growthOf(program: ProgramConfig, state: GrowthState, decision: Shortage): Growth | undefined {
  const growth = knownGrowth(program, state);
  return growth === null
    ? undefined
    : { ...growth, worst: isShort(decision) ? worstOf(state, growth.limitBytes) : null };
}

type Shortage = Pick<ProgramDecision, "boundBy" | "gap" | "reason" | "trail">;

/** Fewer workers than there should be, for want of memory: else a worker may be as large as it likes. */
function isShort({ boundBy, gap, reason, trail }: Shortage): boolean {
  const isMemory = (each: string): boolean => MEMORY_BOUNDS.has(each);
  return isMemory(boundBy) && (gap !== null || isMemory(reason) || trail.some(isMemory));
}

/**
 * From where the pool is towards where it should be: not for noise, not before the last change has settled, and not too far at
 * once. DESIGN 2.6. Pure.
 */
import type { MuSource } from "../../model/decision.ts";
import type { ProgramConfig } from "../program.ts";
import { clamp } from "../shared/clamp.ts";
import { type Chain, lastOf } from "../shared/rationale.ts";

export interface Motion {
  /** Workers to start from, between floor and ceiling. */
  readonly from: number;
  /** Workers that the queue asks for, before any limit: a pool one below its limit that needs many more is not near enough. */
  readonly wished: number;
  readonly ticksSinceChange: number;
  /** What the last change asked for. The pool may not have come to it yet. */
  readonly ordered: number;
  /** The last change gave up a worker to learn from it. */
  readonly isProbing: boolean;
  readonly backlog: number;
  readonly muSource: MuSource;
  /** What the machine can hold is below `from`. */
  readonly isTooLarge: boolean;
  /** Ticks in a row, this one included, in which fewer workers would have done. */
  readonly surplusTicks: number;
  /** The wish is a step that was already chosen to be small, or goes to nothing because there is nothing to do. */
  readonly isNoNoise: boolean;
}

/** The chain with what the pool does now; unchanged when it goes all the way. */
export function damped(chain: Chain, motion: Motion, program: ProgramConfig): Chain {
  const { from, ticksSinceChange, backlog } = motion;
  const target = lastOf(chain).workers;
  if (target === from) return chain;
  const isGrowth = target > from;

  const most = stepLimit(motion, program, isGrowth);
  const stepped = clamp(target, from - most, from + most);

  // A machine that is too small for the pool cannot wait, and neither can work without any worker.
  const isUrgent = (motion.isTooLarge && !isGrowth) || from === 0;
  if (!isUrgent) {
    const isNear = Math.abs(motion.wished - from) <= program.hysteresis;
    const isNoise = !motion.isNoNoise && (isGrowth || motion.surplusTicks < STANDING_TICKS);
    if (isNear && isNoise) {
      return [...chain, { workers: from, reason: "hysteresis", phrase: `within ${program.hysteresis} of ${from}` }];
    }
    // A probe that is ended at once has cost a worker and taught nothing.
    const cooldownTicks = Math.max(program.cooldownTicks, motion.isProbing ? 1 : 0);
    const isSpike = isGrowth && backlog > program.spikeBacklog && !motion.isProbing;
    if (ticksSinceChange < cooldownTicks && !isSpike) {
      const phrase = `change ${ticksSinceChange} of ${cooldownTicks} ticks ago`;
      return [...chain, { workers: clamp(motion.ordered, ...between(from, stepped)), reason: "cooldown", phrase }];
    }
  }
  if (stepped === target) return chain;
  return [...chain, { workers: stepped, reason: "max-step", phrase: `${most} at a time` }];
}

const between = (a: number, b: number): [number, number] => [Math.min(a, b), Math.max(a, b)];

/** Noise changes its sign before. Without this the dead zone would keep a worker too many for as long as the load is steady. */
export const STANDING_TICKS = 12;

/** Growth that one measurement may cause at once from nearly nothing; a larger pool may double. */
const FIRST_STEPS = 4;

/** Most workers to add or remove at this tick. */
function stepLimit({ from, muSource }: Motion, { maxStep }: ProgramConfig, isGrowth: boolean): number {
  if (maxStep !== "auto") return maxStep;
  // A rate that was inferred from small steps is only as good as those were.
  if (muSource !== 1) return 1;
  return isGrowth ? Math.max(FIRST_STEPS, from) : Math.max(1, Math.ceil(from / 4));
}

/**
 * Whoever decides how many workers there should be: the policy of a program, or anything else that is to be compared with it.
 * DESIGN 13.3. Pure.
 */

import type { ProgramConfig } from "../decide/program.ts";
import { initialState, step } from "../decide/step.ts";
import type { BoundBy } from "../model/decision.ts";
import type { Observation } from "../model/observation.ts";
import type { Sight } from "./broker.ts";
import type { StopOrder } from "./plant.ts";

/** What it is told at a look. */
export interface View {
  readonly atSec: number;
  /** Exactly what the daemon hands to `step`. */
  readonly observation: Observation;
  /** What a queue that keeps its finished jobs can tell as well. */
  readonly jobs: () => JobFigures;
}

export interface JobFigures {
  /** Finished in the last minute, per second. */
  readonly finishedPerSec: number;
  /** Mean seconds of work of those; `null`: none. */
  readonly meanSec: number | null;
  readonly oldestAgeSec: number;
}

export interface Answer {
  /** Workers that should start or serve. */
  readonly desired: number;
  /** For tables and pictures, where it knows them. */
  readonly needed?: number | null;
  readonly capacity?: number | null;
  readonly boundBy?: BoundBy;
  readonly gapWorkers?: number;
  readonly mu?: number | null;
  readonly lambda?: number | null;
  /** The worker that has to be replaced, by the pid of its reading, as soon as the pool is whole. */
  readonly outgrown?: number | undefined;
}

export interface Controller {
  readonly name: string;
  /** Seconds from look to look. */
  readonly pollSec: number;
  readonly sight: Sight;
  readonly stops: StopOrder;
  /** A worker that is lost brings the next look forward to that moment (DESIGN 2.7). */
  readonly wakes: boolean;
  readonly decide: (view: View) => Answer;
}

/** The policy of a program, run as the daemon runs it: `step` of `effiqueue/decide`, the state carried from tick to tick. */
export function programController(program: ProgramConfig, name = "effiqueue"): Controller {
  let state = initialState(program);
  return {
    name,
    pollSec: program.pollInterval,
    sight: "full",
    stops: "oldest",
    wakes: true,
    decide: ({ observation }) => {
      const { state: next, decision } = step(program, state, observation);
      state = next;
      const { desired, needed, capacity, boundBy, gap, mu, lambda, growth } = decision;
      const outgrown = growth?.worst?.pid;
      return { desired, needed, capacity, boundBy, gapWorkers: gap?.workers ?? 0, mu, lambda, outgrown };
    },
  };
}

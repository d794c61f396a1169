/**
 * What was learned of the queue and its workers, from one life of the autoscaler to the next; kept as the daemon keeps it.
 * DESIGN 11.2, 7.18.
 */
import { type Clock, type Learner, learnedBefore, learnedKeeper, type ProgramOptions, type Reporter } from "effiqueue";

/** @param isOurs whether the folder is: what another autoscaler has learned meanwhile is not written over */
export function learningOf(
  learner: Learner,
  parts: { readonly clock: Clock; readonly reporter: Reporter },
  isOurs: () => boolean,
): Required<Pick<ProgramOptions, "learned" | "keep">> {
  const keep = learnedKeeper(learner, parts);
  return {
    learned: learnedBefore(learner, parts),
    keep: (learned) => {
      if (isOurs()) keep(learned);
    },
  };
}

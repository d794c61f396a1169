/** What a program has learned, from one life of the daemon to the next. DESIGN 7.18. */
import { createHash } from "node:crypto";
import { readLearned, writeLearned } from "../act/learned-file.ts";
import { errorText } from "../model/errors.ts";
import type { Learned, LearnedBefore } from "../model/learned.ts";
import type { Clock, Reporter } from "../model/ports.ts";
import { msToSec } from "../units.ts";

/** Who learns, of what, and where that is kept. */
export interface Learner {
  readonly program: string;
  /** The caller holds its lock. */
  readonly folder: string;
  /** What mu and lambda are of, as JSON. Only a digest of it is written down, since addresses and environments hold passwords. */
  readonly of: readonly unknown[];
}

interface Parts {
  readonly clock: Clock;
  readonly reporter: Reporter;
}

/** `undefined`: there is nothing that could be believed, which is said where there was something. */
export function learnedBefore(learner: Learner, { clock, reporter }: Parts): LearnedBefore | undefined {
  const { program, folder } = learner;
  const found = readLearned(folder, digestOf(learner));
  if (found.kind === "none") return undefined;
  const ageSec = found.kind === "read" ? msToSec(clock.wallMs() - found.savedAtMs) : 0;
  const why = found.kind === "unusable" ? found.why : ageSec < 0 ? "it is of the future: the clock was set back" : null;
  if (found.kind === "unusable" || why !== null) {
    reporter.emit("app.learned.discarded", { program, why: why ?? "" });
    return undefined;
  }
  const { mu, lambda, workerBytes } = found.learned;
  const [muPerSec, lambdaPerSec] = [mu?.value ?? null, lambda?.value ?? null];
  reporter.emit("app.learned.restored", {
    program,
    mu: muPerSec,
    lambda: lambdaPerSec,
    worker_bytes: workerBytes,
    age_sec: Math.round(ageSec),
  });
  return { ...found.learned, ageSec };
}

/** Writes down what it gets; what cannot be written is said once. */
export function learnedKeeper(learner: Learner, { clock, reporter }: Parts): (learned: Learned) => void {
  const { program, folder } = learner;
  const digest = digestOf(learner);
  let trouble: string | undefined;
  return (learned) => {
    try {
      writeLearned(folder, digest, clock.wallMs(), learned);
      trouble = undefined;
    } catch (error) {
      const line = errorText(error);
      if (line !== trouble) reporter.emit("app.learned.unwritable", { program, error: line });
      trouble = line;
    }
  };
}

const digestOf = ({ of }: Learner): string =>
  createHash("sha256").update(JSON.stringify(of)).digest("hex").slice(0, 16);

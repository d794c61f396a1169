/** What a program has learned, from one life of the daemon to the next. DESIGN 7.18. */
import { createHash } from "node:crypto";
import { readLearned, writeLearned } from "../act/learned-file.ts";
import { errorLine } from "../act/tell.ts";
import type { Program } from "../config/validate.ts";
import type { Learned, LearnedBefore } from "../model/learned.ts";
import type { Clock, Reporter } from "../model/ports.ts";
import { msToSec } from "../units.ts";

interface Parts {
  readonly clock: Clock;
  readonly reporter: Reporter;
}

/** `undefined`: there is nothing that could be believed, which is said where there was something. The caller holds the lock of the folder. */
export function learnedBefore(program: Program, folder: string, { clock, reporter }: Parts): LearnedBefore | undefined {
  const found = readLearned(folder, subjectOf(program));
  if (found.kind === "none") return undefined;
  const ageSec = found.kind === "read" ? msToSec(clock.wallMs() - found.savedAtMs) : 0;
  const why = found.kind === "unusable" ? found.why : ageSec < 0 ? "it is of the future: the clock was set back" : null;
  if (found.kind === "unusable" || why !== null) {
    reporter.emit("app.learned.discarded", { program: program.name, why: why ?? "" });
    return undefined;
  }
  const { mu, lambda, workerBytes } = found.learned;
  const [muPerSec, lambdaPerSec] = [mu?.value ?? null, lambda?.value ?? null];
  reporter.emit("app.learned.restored", {
    program: program.name,
    mu: muPerSec,
    lambda: lambdaPerSec,
    worker_bytes: workerBytes,
    age_sec: Math.round(ageSec),
  });
  return { ...found.learned, ageSec };
}

/** Writes down what it gets; what cannot be written is said once. */
export function keeper(program: Program, folder: string, { clock, reporter }: Parts): (learned: Learned) => void {
  let trouble: string | undefined;
  return (learned) => {
    try {
      writeLearned(folder, subjectOf(program), clock.wallMs(), learned);
      trouble = undefined;
    } catch (error) {
      const line = errorLine(error);
      if (line !== trouble) reporter.emit("app.learned.unwritable", { program: program.name, error: line });
      trouble = line;
    }
  };
}

/** What mu and lambda are of. A digest, since addresses and environments hold passwords. */
function subjectOf({ options, worker }: Program): string {
  const { file, args, env } = worker(0).command;
  const { queueConnection, queueName } = options;
  const parts = [file, args, env, queueConnection, queueName];
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 16);
}

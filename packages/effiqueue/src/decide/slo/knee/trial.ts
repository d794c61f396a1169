/**
 * The tests, each of which asks for other workers and compares what they finish. DESIGN 2.16. Pure.
 *
 * `doubt`: a quarter less, whether as much is finished. `confirm`: all of them again, whether really no more is: rates that happened
 * to rise when workers went would have to fall when they come. `search`: for the fewest that finish as much, by halves. `again`: with
 * a quarter more, whether a knee that was found still stands. `fewer`: with a quarter less, whether it has moved down.
 */
import { answerOf, type Level, pooled, type Question, tells } from "./level.ts";

export interface Trial {
  readonly kind: "doubt" | "confirm" | "search" | "again" | "fewer";
  /** Workers that are tried. */
  readonly workers: number;
  /** What they are compared with. */
  readonly held: Level;
  /** The most workers that finish less, as far as is known. */
  readonly failed: number;
  /** The most workers that are compared: who finds no fewer that finish as much has found no knee. */
  readonly most: number;
  /** What all workers had finished before some of them went, while it is confirmed. */
  readonly before?: Level;
}

export type Outcome =
  | { readonly kind: "open"; readonly trial: Trial }
  /** More workers than those finish no more. */
  | { readonly kind: "knee"; readonly held: Level }
  /** Each worker counts. */
  | { readonly kind: "none"; readonly level: Level };

/** Where there is no knee it costs work; a smaller step would take longer to tell. */
const STEP = 0.25;
/** Half of the difference may be lost: a twentieth. */
const AS_MUCH: Question = { low: 0.91, high: 1 };
/** So much more is worth looking for another knee, or for none. */
const MORE = 1.1;
/** Counts so near to one another are not told apart: it would take long and save little. */
const NEAR = 0.05;

/**
 * @param fewest workers that may do, and are allowed
 * @returns `null`: there is nothing to try
 */
export function doubtOf(held: Level, fewest: number): Trial | null {
  const workers = Math.max(fewest, Math.floor(held.workers * (1 - STEP)));
  return workers < held.workers ? { kind: "doubt", workers, held, failed: fewest - 1, most: held.workers } : null;
}

/** @param most workers that are wanted, and fit */
export function againOf(held: Level, fewest: number, most: number): Trial | null {
  const workers = Math.min(most, held.workers + Math.ceil(held.workers * STEP));
  return workers > held.workers ? { kind: "again", workers, held, failed: fewest - 1, most: workers } : null;
}

/** As much, or as the workers are more or fewer. */
export function questionOf({ kind, workers, held }: Trial): Question {
  const share = workers / held.workers;
  if (kind === "search") return AS_MUCH;
  if (kind === "again") return { low: 1, high: Math.min(MORE, share) };
  return { low: Math.min(1, share), high: Math.max(1, share) };
}

/** @param level of the workers that are tried */
export function judged(trial: Trial, level: Level, dispersion: number): Outcome {
  const answer = answerOf(questionOf(trial), trial.held, level, dispersion);
  const { held, workers } = trial;
  if (answer === null) return { kind: "open", trial };
  switch (trial.kind) {
    case "doubt": {
      const confirm: Trial = { ...trial, kind: "confirm", workers: held.workers, held: level, before: held };
      return answer === "high" ? { kind: "open", trial: confirm } : { kind: "none", level: held };
    }
    case "confirm": {
      if (answer === "high") return { kind: "none", level };
      // What the search compares with has to be known well.
      const { before = level, ...rest } = trial;
      const all = pooled(before, level, dispersion);
      return tells(all, AS_MUCH, dispersion) ? searched({ ...rest, held: all }) : { kind: "open", trial };
    }
    case "search":
      return searched(
        answer === "high" ? { ...trial, held: pooled(held, level, dispersion) } : { ...trial, failed: workers },
      );
    case "again":
      return answer === "low" ? lowered({ ...trial, held: pooled(level, held, dispersion) }) : { kind: "none", level };
    case "fewer":
      return answer === "low" ? { kind: "knee", held } : searched(trial);
  }
}

/** What is known when a test ends early. */
export const cutShort = ({ kind, held, most }: Trial): Outcome =>
  kind === "doubt" || kind === "confirm" ? { kind: "none", level: held } : found(held, most);

/** A knee that stands may have moved down, or have been found too high by chance. */
function lowered({ held, failed, most }: Trial): Outcome {
  const doubt = doubtOf(held, failed + 1);
  return doubt === null ? { kind: "knee", held } : { kind: "open", trial: { ...doubt, kind: "fewer", most } };
}

function searched({ held, failed, most }: Trial): Outcome {
  const apart = held.workers - failed;
  if (apart <= Math.max(1, NEAR * held.workers)) return found(held, most);
  return { kind: "open", trial: { kind: "search", workers: failed + Math.floor(apart / 2), held, failed, most } };
}

const found = (held: Level, most: number): Outcome =>
  held.workers < most ? { kind: "knee", held } : { kind: "none", level: held };

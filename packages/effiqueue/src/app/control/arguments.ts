/** Arguments of commands, as they came over the socket: whatever is wrong with one is told with what would be right. DESIGN 7.12, 7.13. */
import type { OverrideKind } from "../../model/override.ts";
import { type CommandArguments, CommandError } from "../../report/http/control.ts";
import { MAX_TIMER_MS, msToSec, secToMs } from "../../units.ts";
import { NoProgramError } from "../no-program.ts";

/** @throws NoProgramError; CommandError where one has to be named */
export function chosenPrograms(
  { program }: CommandArguments,
  known: readonly string[],
  need?: "needed",
): readonly string[] {
  if (program === undefined && need === undefined) return known;
  if (typeof program !== "string") throw new CommandError(`name a program: ${known.join(", ")}`);
  if (!known.includes(program)) throw new NoProgramError(program, known);
  return [program];
}

/** @throws CommandError */
export function chosenWorkers(
  { workers }: CommandArguments,
  programs: readonly string[],
  maxWorkersOf: (program: string) => number,
): number {
  if (typeof workers !== "number" || !Number.isSafeInteger(workers) || workers < 0) {
    throw new CommandError(`workers: expected a whole number of at least 0, got ${JSON.stringify(workers)}`);
  }
  for (const program of programs) {
    const most = maxWorkersOf(program);
    if (workers <= most) continue;
    throw new CommandError(`${program}: max_workers is ${most}; set it to at most that, or raise max_workers first`);
  }
  return workers;
}

/** @throws CommandError */
export function chosenPause({ direction = "both" }: CommandArguments): OverrideKind {
  const kind = typeof direction === "string" ? PAUSES.get(direction) : undefined;
  if (kind === undefined) throw new CommandError(`pause: expected in, out or both, got ${JSON.stringify(direction)}`);
  return kind;
}

const PAUSES: ReadonlyMap<string, OverrideKind> = new Map([
  ["in", "pause-in"],
  ["out", "pause-out"],
  ["both", "pause"],
]);

/** Milliseconds; `undefined`: until it is resumed. @throws CommandError */
export function chosenSpanMs({ forSec }: CommandArguments): number | undefined {
  if (forSec === undefined) return undefined;
  const ms = typeof forSec === "number" ? secToMs(forSec) : Number.NaN;
  if (ms > 0 && ms <= MAX_TIMER_MS) return ms;
  throw new CommandError(
    `forSec: expected more than 0 and at most ${msToSec(MAX_TIMER_MS)} seconds, got ${JSON.stringify(forSec)}`,
  );
}
